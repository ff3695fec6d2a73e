"""People's own functions over the official client libraries, declared in one line each."""

from __future__ import annotations

from typing import Any

import httplib2
import pytest
from github import Auth, Github
from googleapiclient.discovery import build
from googleapiclient.http import HttpRequest
from slack_sdk import WebClient

from mulligan import Mulligan, State
from tests.packs.proving import act, reject
from tests.packs.services.account import open_account
from tests.packs.services.test_google_calendar import EVENING

pytestmark = pytest.mark.full


def build_calendar(url: str) -> Any:
    """google-api-python-client with its own description of the service, on loopback."""

    def send(http: Any, *args: Any, headers: dict[str, str], **more: Any) -> HttpRequest:
        return HttpRequest(http, *args, headers={**headers, "authorization": "Bearer sdk"}, **more)

    root = url.removesuffix("/calendar/v3")
    http = httplib2.Http()
    return build(
        "calendar", "v3", http=http, static_discovery=True, requestBuilder=send,
        client_options={"api_endpoint": f"{root}/calendar/v3/"},
    )  # fmt: skip


async def test_googles_client_changes_moves_and_deletes_and_all_is_undone() -> None:
    with open_account("google-calendar") as account:
        simulation, service = account.simulation, account.service
        event = {"id": "dinner00001", "summary": "Dinner", **EVENING}
        simulation.act("POST", "/calendars/primary/events", event)
        simulation.ledger.clear()
        row = service.table.operations["update_event"]
        named = {"calendar_id": "primary", "event_id": "dinner00001"}
        before = service.look(row, named)

        with build_calendar(account.url) as client:
            events = client.events()
            async with Mulligan("memory:", checks=[reject], recover=False) as m:

                @m.tool(**service.update_event())
                def rename(calendar_id: str, event_id: str, summary: str) -> Any:
                    change = {"summary": summary}
                    return events.patch(
                        calendarId=calendar_id, eventId=event_id, body=change
                    ).execute()

                @m.tool(**service.delete_event())
                def remove(calendar_id: str, event_id: str) -> Any:
                    return events.delete(calendarId=calendar_id, eventId=event_id).execute()

                def work() -> None:
                    rename("primary", "dinner00001", "Wrong")
                    remove("primary", "dinner00001")

                left = await act(m, work)

        assert left == []
        assert [by for by, _, _ in simulation.ledger] == ["sdk", "sdk", "agent", "agent"]
        assert service.look(row, named) == before


async def test_pygithubs_objects_tell_what_was_made_and_changed() -> None:
    with open_account("github") as account:
        simulation, service = account.simulation, account.service
        simulation.act("POST", "/repos/family/house/issues", {"title": "Base"})
        row, named = (
            service.table.operations["update_issue"],
            {"repository": "family/house", "issue_number": 10},
        )
        before = service.look(row, named)
        client = Github(base_url=account.url, auth=Auth.Token("sdk"), retry=None)

        async with Mulligan("memory:", checks=[reject], recover=False) as m:

            @m.tool(**service.create_comment())
            def comment(repository: str, issue_number: int, body: str) -> Any:
                return client.get_repo(repository).get_issue(issue_number).create_comment(body)

            @m.tool(**service.update_issue())
            def rename(repository: str, issue_number: int, title: str) -> Any:
                issue = client.get_repo(repository).get_issue(issue_number)
                issue.edit(title=title)
                return issue

            def work() -> None:
                comment("family/house", 10, "Wrong")
                rename("family/house", 10, "Wrong")

            left = await act(m, work)
        client.close()

        assert left == []
        assert [by for by, _, _ in simulation.ledger][-4:] == ["sdk", "sdk", "agent", "agent"]
        assert service.look(row, named) == before
        assert simulation.state["family/house"]["comments"] == {}


async def test_slacks_client_posts_and_a_loud_message_is_held() -> None:
    with open_account("slack") as account:
        client = WebClient(token="agent", base_url=f"{account.url}/")

        async with Mulligan("memory:", checks=[reject], recover=False) as m:

            @m.tool(**account.service.post_message())
            def post(channel: str, text: str) -> Any:
                return client.chat_postMessage(channel=channel, text=text)

            assert await act(m, lambda: post("C1", "Wrong")) == []
            assert [by for by, _, _ in account.simulation.ledger] == ["agent", "agent"]
            assert await act(m, lambda: post("C1", "<!here> Wrong")) == [State.HELD]

        assert account.simulation.list_left() == []
        assert account.simulation.told == []
