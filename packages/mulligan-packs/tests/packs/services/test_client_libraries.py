"""People's own functions over the official client libraries, declared in one line each."""

from __future__ import annotations

import copy
from typing import Any

import httplib2
import pytest
from github import Auth, Github
from googleapiclient.discovery import build
from googleapiclient.http import HttpRequest
from jira import JIRA
from notion_client import Client
from requests import Session
from slack_sdk import WebClient
from stripe import RequestsClient, StripeClient

from mulligan import Mulligan, State
from mulligan_testing.simulations.notion import HOME
from tests.packs.proving import act, reject
from tests.packs.services.account import open_account
from tests.packs.services.test_gmail import RAW
from tests.packs.services.test_google_calendar import EVENING

pytestmark = pytest.mark.full


def build_google(name: str, version: str, url: str) -> Any:
    """google-api-python-client with its own description of a service, on loopback."""

    def send(http: Any, *args: Any, headers: dict[str, str], **more: Any) -> HttpRequest:
        return HttpRequest(http, *args, headers={**headers, "authorization": "Bearer sdk"}, **more)

    return build(
        name, version, http=httplib2.Http(), static_discovery=True, requestBuilder=send,
        client_options={"api_endpoint": url},
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

        with build_google("calendar", "v3", f"{account.url}/") as client:
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


async def test_googles_client_files_mail_drafts_an_answer_and_all_is_undone() -> None:
    with open_account("gmail") as account:
        simulation, service = account.simulation, account.service
        mails = [
            simulation.act("POST", "/users/me/messages", {"raw": RAW, "labelIds": ["INBOX"]})["id"]
            for _ in range(2)
        ]
        simulation.ledger.clear()
        before = copy.deepcopy(simulation.state["messages"])

        with build_google("gmail", "v1", account.url.removesuffix("/gmail/v1")) as client:
            users = client.users()
            async with Mulligan("memory:", checks=[reject], recover=False) as m:

                @m.tool(**service.modify_messages())
                def archive(ids: list[str], remove_label_ids: list[str]) -> Any:
                    body = {"ids": ids, "removeLabelIds": remove_label_ids}
                    return users.messages().batchModify(userId="me", body=body).execute()

                @m.tool(**service.trash_message())
                def discard(message_id: str) -> Any:
                    return users.messages().trash(userId="me", id=message_id).execute()

                @m.tool(**service.create_draft())
                def draft(raw: str) -> Any:
                    body = {"message": {"raw": raw}}
                    return users.drafts().create(userId="me", body=body).execute()

                def work() -> None:
                    archive(mails, ["INBOX"])
                    discard(mails[0])
                    draft(RAW)

                left = await act(m, work)

        assert left == []
        assert [by for by, _, _ in simulation.ledger] == ["sdk"] * 3 + ["agent"] * 4
        assert simulation.state["drafts"] == {}
        for name, mail in simulation.state["messages"].items():
            assert {*mail["labelIds"]} == {*before[name]["labelIds"]}


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


async def test_notions_client_makes_a_page_fills_it_and_changes_another() -> None:
    with open_account("notion") as account:
        simulation, service = account.simulation, account.service
        page = simulation.act("POST", "/pages", {"parent": {"page_id": HOME}, **write_title("Ok")})
        row = service.table.operations["update_page"]
        before = service.look(row, {"page_id": page["id"]})
        simulation.ledger.clear()
        url = account.url.removesuffix("/v1")
        with Client(auth="agent", base_url=url, notion_version="2026-03-11", retry=False) as notion:
            async with Mulligan("memory:", checks=[reject], recover=False) as m:

                @m.tool(**service.create_page())
                def make(parent_id: str, properties: dict[str, Any]) -> Any:
                    return notion.pages.create(parent={"page_id": parent_id}, properties=properties)

                @m.tool(**service.append_block())
                def append(parent_id: str, block: dict[str, Any]) -> Any:
                    return notion.blocks.children.append(block_id=parent_id, children=[block])

                @m.tool(**service.update_page())
                def change(page_id: str, properties: dict[str, Any]) -> Any:
                    return notion.pages.update(page_id=page_id, properties=properties)

                def work() -> None:
                    made = make(HOME, write_title("Wrong")["properties"])
                    text = [{"text": {"content": "Wrong"}}]
                    append(made["id"], {"paragraph": {"rich_text": text}})
                    change(page["id"], write_title("Wrong")["properties"])

                left = await act(m, work)

        assert left == []
        assert [by for by, _, _ in simulation.ledger] == ["agent"] * 6
        assert service.look(row, {"page_id": page["id"]}) == before
        assert simulation.list_left() == [page["id"]]


def write_title(text: str) -> dict[str, Any]:
    return {"properties": {"title": {"title": [{"text": {"content": text}}]}}}


async def test_stripes_client_adds_and_changes_and_a_payment_at_once_is_held() -> None:
    with open_account("stripe") as account:
        simulation, service = account.simulation, account.service
        row, named = service.table.operations["update_customer"], {"customer_id": "cus_home"}
        before = service.look(row, named)
        url = account.url.removesuffix("/v1")
        session = Session()
        v1 = StripeClient(
            "sk_test_agent", base_addresses={"api": url}, max_network_retries=0,
            http_client=RequestsClient(session=session),
        ).v1  # fmt: skip

        async with Mulligan("memory:", checks=[reject], recover=False) as m:

            @m.tool(**service.create_product())
            def add(name: str) -> Any:
                return v1.products.create({"name": name}).to_dict()

            @m.tool(**service.update_customer())
            def change(customer_id: str, metadata: dict[str, str]) -> Any:
                return v1.customers.update(customer_id, {"metadata": metadata}).to_dict()

            @m.tool(**service.create_payment_intent())
            def pay(amount: int, currency: str, *, confirm: bool | None = None) -> Any:
                given = {"amount": amount, "currency": currency, "confirm": bool(confirm)}
                return v1.payment_intents.create(given).to_dict()

            def work() -> None:
                add("Wrong")
                change("cus_home", {"room": "13"})

            assert await act(m, work) == []
            assert [by for by, _, _ in simulation.ledger] == ["sk_test_agent"] * 2 + ["agent"] * 2
            assert await act(m, lambda: pay(100, "eur", confirm=True)) == [State.HELD]
        session.close()

        assert service.look(row, named) == before
        assert simulation.list_left() == []


async def test_jiras_client_changes_and_comments_and_a_status_goes_back() -> None:
    with open_account("jira") as account:
        simulation, service = account.simulation, account.service
        base = {"project": {"key": "HOME"}, "issuetype": {"name": "Task"}, "summary": "Base"}
        simulation.act("POST", "/issue", {"fields": base})
        before = simulation.act("GET", "/issue/10001")
        simulation.ledger.clear()
        url = account.url.removesuffix("/rest/api/3")
        client = JIRA(
            server=url, token_auth="sdk", options={"rest_api_version": "3"}, get_server_info=False,
            max_retries=0,
        )  # fmt: skip

        async with Mulligan("memory:", checks=[reject], recover=False) as m:

            @m.tool(**service.update_issue())
            def rename(issue_id: str, summary: str) -> Any:
                issue = client.issue(issue_id)
                issue.update(fields={"summary": summary})
                return client.issue(issue_id).raw

            @m.tool(**service.create_comment())
            def comment(issue_id: str, body: dict[str, Any]) -> Any:
                return client.add_comment(issue_id, body).raw  # type: ignore[arg-type]

            @m.tool(**service.transition_issue())
            def put(issue_id: str, transition_id: str, status: str) -> None:
                client.transition_issue(issue_id, transition_id)

            def work() -> None:
                rename("10001", "Wrong")
                comment("10001", {"type": "doc", "version": 1, "content": []})
                put("10001", "11", "2")

            left = await act(m, work)
        client.close()

        assert left == []
        assert [by for by, _, _ in simulation.ledger] == ["sdk"] * 3 + ["agent"] * 3
        assert simulation.act("GET", "/issue/10001") == before
