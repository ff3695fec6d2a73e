"""People's own functions over msgraph-sdk, which returns objects of its own; and over any such."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from mulligan import Mulligan
from tests.packs.proving import act, reject
from tests.packs.services.account import Account, open_account
from tests.packs.services.test_outlook import NOON

pytestmark = [
    pytest.mark.full,
    # Its own modules warn of each other while they are imported.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    # Its transport does not hand on that it is to close.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
HEAVY = "it is 400 MB: pip install msgraph-sdk"


@dataclass
class Time:
    """As a client library has it."""

    date_time: str
    time_zone: str = "UTC"


@dataclass
class Event:
    """The same."""

    id: str
    subject: str
    start: Time
    end: Time
    show_as: str | None = None
    additional_data: dict[str, Any] = field(default_factory=dict)


def read_event(said: dict[str, Any]) -> Event:
    start, end = (Time(said[name]["dateTime"]) for name in ("start", "end"))
    more = {name: value for name, value in said.items() if name.startswith("@")}
    return Event(said["id"], said["subject"], start, end, additional_data=more)


async def test_an_object_that_is_no_mapping_tells_what_was_made_and_left() -> None:
    with open_account("outlook-calendar") as account:
        simulation, service = account.simulation, account.service

        async with Mulligan("memory:", checks=[reject], recover=False) as m:

            @m.tool(**service.create_event())
            def create(
                calendar_id: str, subject: str, start: Any, end: Any, transaction_id: str = ""
            ) -> Event:
                body = {"subject": subject, "start": start, "end": end}
                path = f"/me/calendars/{calendar_id}/events"
                return read_event(simulation.act("POST", path, body, by="sdk"))

            @m.tool(**service.update_event())
            def rename(calendar_id: str, event_id: str, subject: str) -> Event:
                path = f"/me/calendars/{calendar_id}/events/{event_id}"
                return read_event(simulation.act("PATCH", path, {"subject": subject}, by="sdk"))

            left = await act(m, lambda: rename("c1", create("c1", "Wrong", **NOON).id, "Wronger"))

        assert left == []
        assert [by for by, _, _ in simulation.ledger] == ["sdk", "sdk", "agent", "agent"]
        assert simulation.list_left() == []


@asynccontextmanager
async def open_graph(account: Account) -> AsyncIterator[Any]:
    """msgraph-sdk on loopback: what the person has."""
    graph = importlib.import_module("msgraph")

    class Signed:
        """Says who it is, and asks for ids that a move leaves as they are."""

        async def authenticate_request(self, request: Any, *_: Any) -> None:
            request.headers.add("Authorization", "Bearer sdk")
            request.headers.add("Prefer", 'IdType="ImmutableId"')

    adapter = graph.GraphRequestAdapter(Signed())
    adapter.base_url = account.url
    yield graph.GraphServiceClient(request_adapter=adapter).me
    await adapter._http_client.aclose()


async def test_microsofts_client_makes_and_renames_events_and_all_is_undone() -> None:
    with open_account("outlook-calendar") as account:
        simulation, service = account.simulation, account.service
        made = simulation.act("POST", "/me/calendars/c1/events", {"subject": "Dinner", **NOON})
        simulation.ledger.clear()
        pytest.importorskip("msgraph", reason=HEAVY)
        from msgraph.generated.models.date_time_time_zone import DateTimeTimeZone
        from msgraph.generated.models.event import Event as GraphEvent

        async with (
            open_graph(account) as me,
            Mulligan("memory:", checks=[reject], recover=False) as m,
        ):

            @m.tool(**service.create_event())
            async def create(
                calendar_id: str, subject: str, start: Any, end: Any, transaction_id: str = ""
            ) -> GraphEvent:
                times = [
                    DateTimeTimeZone(date_time=each["dateTime"], time_zone=each["timeZone"])
                    for each in (start, end)
                ]
                event = GraphEvent(
                    subject=subject, start=times[0], end=times[1], transaction_id=transaction_id
                )
                return await me.calendars.by_calendar_id(calendar_id).events.post(event)

            @m.tool(**service.update_event())
            async def rename(calendar_id: str, event_id: str, subject: str) -> GraphEvent:
                event = me.calendars.by_calendar_id(calendar_id).events.by_event_id(event_id)
                return await event.patch(GraphEvent(subject=subject))

            async def work() -> None:
                await rename("c1", made["id"], "Wrong")
                await create("c1", "Wrong", **NOON)

            left = await act(m, work)

        assert left == []
        assert [by for by, _, _ in simulation.ledger] == ["sdk", "sdk", "agent", "agent"]
        assert [each["subject"] for each in simulation.state["calendars"]["c1"].values()] == [
            "Dinner"
        ]


async def test_microsofts_client_marks_and_moves_mail_and_all_is_undone() -> None:
    with open_account("outlook-mail") as account:
        simulation, service = account.simulation, account.service
        made = simulation.act("POST", "/me/mailFolders/inbox/messages", {"subject": "Dinner"})
        simulation.ledger.clear()
        pytest.importorskip("msgraph", reason=HEAVY)
        from msgraph.generated.models.message import Message
        from msgraph.generated.users.item.messages.item.move.move_post_request_body import (
            MovePostRequestBody,
        )

        async with (
            open_graph(account) as me,
            Mulligan("memory:", checks=[reject], recover=False) as m,
        ):

            @m.tool(**service.update_message())
            async def mark(message_id: str, is_read: bool) -> Message:
                return await me.messages.by_message_id(message_id).patch(Message(is_read=is_read))

            @m.tool(**service.move_message())
            async def move(message_id: str, destination_id: str) -> Message:
                body = MovePostRequestBody(destination_id=destination_id)
                return await me.messages.by_message_id(message_id).move.post(body)

            async def work() -> None:
                await mark(made["id"], False)
                await move(made["id"], "f-plans")

            left = await act(m, work)

        [message] = simulation.state["messages"].values()
        assert left == []
        assert [by for by, _, _ in simulation.ledger] == ["sdk", "sdk", "agent", "agent"]
        assert (message["isRead"], message["parentFolderId"]) == (True, "f-inbox")
