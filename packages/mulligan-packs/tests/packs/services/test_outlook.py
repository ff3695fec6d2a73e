"""Outlook through Microsoft Graph: its calendars and its mail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mulligan import State
from mulligan_testing.simulations import Outlook, ServiceFault
from mulligan_testing.simulations.core import ApiRequest
from tests.packs.services.account import Account, open_account

pytestmark = pytest.mark.full

NOON = {
    "start": {"dateTime": "2026-11-20T12:00:00", "timeZone": "UTC"},
    "end": {"dateTime": "2026-11-20T13:00:00", "timeZone": "UTC"},
}
LATER = {"dateTime": "2026-11-20T14:00:00", "timeZone": "UTC"}
WEEKLY = {
    "pattern": {"type": "weekly", "interval": 1},
    "range": {"type": "numbered", "numberOfOccurrences": 4},
}
GUESTS = [{"emailAddress": {"address": "grandma@example.com"}, "type": "required"}]
LUNCH, PARTY, SERIES = "AAMkE00000001", "AAMkE00000002", "AAMkE00000003"
ONE = f"{SERIES}.2026-11-27"
NOTE = "AAMkM00000001"


@pytest.fixture
def calendar() -> Iterator[Account]:
    with open_account("outlook-calendar") as account:
        events: list[dict[str, Any]] = [
            {"subject": "Lunch"},
            {"subject": "Party", "attendees": GUESTS},
            {"subject": "Chess", "recurrence": WEEKLY},
        ]
        for each in events:
            account.simulation.act("POST", "/me/calendars/c1/events", {**each, **NOON})
        reset(account)
        yield account


@pytest.fixture
def mail() -> Iterator[Account]:
    with open_account("outlook-mail") as account:
        said = {"subject": "Dinner", "body": {"contentType": "text", "content": "At six"}}
        account.simulation.act("POST", "/me/mailFolders/inbox/messages", said)
        reset(account)
        yield account


def reset(account: Account) -> None:
    account.simulation.ledger.clear()
    account.simulation.told.clear()


def look(account: Account, event: str) -> Any:
    row = account.service.table.operations["update_event"]
    return account.service.look(row, {"calendar_id": "c1", "event_id": event})


async def test_an_event_and_one_of_a_series_are_as_they_were(calendar: Account) -> None:
    for event in (LUNCH, SERIES, ONE):
        before = look(calendar, event)

        left = await calendar.reject(
            "update_event", "c1", event, subject="Wrong", location={"displayName": "Mars"}
        )

        assert left == []
        assert look(calendar, event) == before
    assert len(calendar.simulation.ledger) == 6


async def test_an_edit_right_before_a_call_has_it_refused_and_one_after_it_stays(
    calendar: Account,
) -> None:
    theirs = {"location": {"displayName": "theirs"}}

    def edit(_: str) -> None:
        calendar.simulation.disturb = lambda _: None
        calendar.simulation.act("PATCH", f"/me/calendars/c1/events/{LUNCH}", theirs)

    calendar.simulation.disturb = edit
    assert len(await calendar.reject("update_event", "c1", LUNCH, subject="Wrong")) == 1
    assert [by for by, _, _ in calendar.simulation.ledger] == ["second"]

    def work(tools: dict[str, Any]) -> None:
        tools["update_event"]("c1", LUNCH, subject="Wrong")
        edit("after")

    assert [each.state for each in await calendar.reject_all(work)] == [State.CONFLICT]
    assert look(calendar, LUNCH)["location"] == theirs["location"]


async def test_a_create_without_an_answer_is_repeated_under_its_key_and_makes_one(
    calendar: Account,
) -> None:
    calendar.simulation.faults = [ServiceFault.LOST_AFTER]

    left = await calendar.reject("create_event", "c1", "Wrong", **NOON)

    assert left == []
    assert [method for _, method, _ in calendar.simulation.ledger] == ["POST", "DELETE"]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("create_event", {"subject": "Party", **NOON, "attendees": GUESTS}),
        ("update_event", {"event_id": PARTY, "subject": "Off"}),
        ("update_event", {"event_id": LUNCH, "attendees": GUESTS}),
        ("update_event", {"event_id": LUNCH, "is_online_meeting": True}),
        ("update_event", {"event_id": SERIES, "end": LATER}),
        ("delete_event", {"event_id": LUNCH}),
        ("cancel_event", {"event_id": PARTY}),
        ("decline_event", {"event_id": PARTY}),
    ],
)
async def test_what_guests_would_hear_of_or_cannot_be_put_back_is_held(
    calendar: Account, name: str, given: dict[str, Any]
) -> None:
    left = await calendar.reject(name, calendar_id="c1", **given)

    assert [each.state for each in left] == [State.HELD]
    assert calendar.simulation.told == []
    assert calendar.simulation.ledger == []


async def test_marks_moves_and_a_text_are_undone_one_after_the_other(mail: Account) -> None:
    def work(tools: dict[str, Any]) -> None:
        tools["update_message"](NOTE, is_read=False, categories=["Wrong"])
        tools["move_message"](NOTE, "f-plans")
        tools["update_message"](NOTE, subject="Wrong")
        tools["trash_message"](NOTE)

    row = mail.service.table.operations["create_draft"]
    before = mail.service.look(row, {"(id)": NOTE})

    assert await mail.reject_all(work) == []
    assert mail.service.look(row, {"(id)": NOTE}) == before
    assert len(mail.simulation.ledger) == 8


async def test_what_was_made_is_gone_and_what_somebody_filed_there_is_not(mail: Account) -> None:
    def make(tools: dict[str, Any]) -> str:
        folder = str(tools["create_folder"]("inbox", "Wrong")["id"])
        tools["copy_message"](NOTE, folder)
        tools["create_reply"](NOTE, comment="Wrong")
        return folder

    assert await mail.reject_all(make) == []
    assert mail.simulation.list_left() == [NOTE]

    def share(tools: dict[str, Any]) -> None:
        path = f"/me/messages/{NOTE}/move"
        mail.simulation.act("POST", path, {"destinationId": make(tools)})

    left = await mail.reject_all(share)

    assert [each.state for each in left] == [State.CONFLICT]
    assert NOTE in mail.simulation.state["messages"]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("send_mail", {"message": {"subject": "Dinner", "toRecipients": GUESTS}}),
        ("send_draft", {"message_id": NOTE}),
        ("reply", {"message_id": NOTE, "comment": "Yes"}),
        ("delete_message", {"message_id": NOTE}),
        ("delete_folder", {"folder_id": "f-plans"}),
    ],
)
async def test_what_is_sent_or_deleted_for_good_is_held(
    mail: Account, name: str, given: dict[str, Any]
) -> None:
    left = await mail.reject(name, **given)

    assert [each.state for each in left] == [State.HELD]
    assert mail.simulation.told == []
    assert mail.simulation.ledger == []


def test_a_move_changes_the_id_unless_immutable_ones_are_asked_for() -> None:
    outlook = Outlook()
    made = outlook.act("POST", "/me/mailFolders/inbox/messages", {"subject": "Dinner"})["id"]
    path, body = f"/v1.0/me/messages/{made}/move", {"destinationId": "f-plans"}

    for headers, same in (({"prefer": 'IdType="ImmutableId"'}, True), ({}, False)):
        request = ApiRequest(method="POST", path=path, body=body, headers=headers)
        assert (outlook.answer(request).body["id"] == made) is same


def test_a_limit_says_when_to_ask_again() -> None:
    outlook = Outlook()
    outlook.faults = [ServiceFault.LIMITED]

    answer = outlook.answer(ApiRequest(method="POST", path="/v1.0/me/sendMail", body={}))

    assert (answer.status, "Retry-After" in answer.headers) == (429, True)
