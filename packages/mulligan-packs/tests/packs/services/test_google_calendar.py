"""Google Calendar: what is undone, held, and left to a person."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from mulligan import Mulligan, State
from mulligan_packs.services import connect
from mulligan_testing.simulations import ServiceFault
from tests.packs.proving import act, reject
from tests.packs.services.account import Account, open_account

pytestmark = pytest.mark.full

EVENING = {
    "start": {"dateTime": "2026-11-20T18:00:00Z", "timeZone": "UTC"},
    "end": {"dateTime": "2026-11-20T19:00:00Z", "timeZone": "UTC"},
}
WEEKLY = {"recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"]}
DINNER, SERIES = "dinner00001", "series00001"
EXCEPTION, PLAIN = f"{SERIES}_20261127T180000Z", f"{SERIES}_20261204T180000Z"


@pytest.fixture
def account() -> Iterator[Account]:
    with open_account("google-calendar") as account:
        sim = account.simulation
        guests = {"attendees": [{"email": "grandma@example.com"}]}
        sim.act("POST", "/calendars/primary/events", {"id": DINNER, "summary": "Dinner", **EVENING})
        sim.act(
            "POST",
            "/calendars/primary/events",
            {"id": "guests00001", "summary": "Party", **EVENING, **guests},
        )
        sim.act(
            "POST",
            "/calendars/primary/events",
            {"id": SERIES, "summary": "Chess", **EVENING, **WEEKLY},
        )
        sim.act("PATCH", f"/calendars/primary/events/{EXCEPTION}", {"summary": "Chess, late"})
        sim.ledger.clear()
        yield account


def look(account: Account, event: str, *, calendar: str = "primary") -> Any:
    row = account.service.table.operations["update_event"]
    return account.service.look(row, {"calendar_id": calendar, "event_id": event})


async def test_what_was_made_is_cancelled_again(account: Account) -> None:
    left = await account.reject("create_event", "primary", "Cinema", **EVENING)

    [made] = [
        e
        for e in account.simulation.state["calendars"]["primary"].values()
        if e.get("summary") == "Cinema"
    ]
    assert left == []
    assert made["status"] == "cancelled"


@pytest.mark.parametrize("event", [DINNER, SERIES, EXCEPTION, PLAIN])
@pytest.mark.parametrize("name", ["update_event", "delete_event"])
async def test_an_event_a_series_and_its_exceptions_are_put_back(
    account: Account, name: str, event: str
) -> None:
    # An event of a series that was changed and put back is an exception from then on.
    names = (DINNER, EXCEPTION, PLAIN) if event == PLAIN else (DINNER, SERIES, EXCEPTION, PLAIN)
    before = [look(account, each) for each in names]
    given = {"summary": "Wrong", "location": "Mars"} if name == "update_event" else {}

    left = await account.reject(name, "primary", event, **given)

    assert left == []
    assert len(account.simulation.ledger) >= 2
    assert [look(account, each) for each in names] == before


async def test_a_moved_event_is_moved_back(account: Account) -> None:
    before = look(account, DINNER)

    left = await account.reject("move_event", "primary", DINNER, "family")

    assert left == []
    assert look(account, DINNER) == before
    assert look(account, DINNER, calendar="family") is None


async def test_each_event_of_a_bulk_is_undone_and_an_edited_one_is_left(account: Account) -> None:
    before = look(account, DINNER)
    updates = [
        {"calendar_id": "primary", "event_id": DINNER, "summary": "Wrong"},
        {"calendar_id": "primary", "event_id": EXCEPTION, "summary": "Wrong too"},
    ]

    def work(tools: dict[str, Any]) -> None:
        tools["update_events"](updates)
        path = f"/calendars/primary/events/{EXCEPTION}"
        account.simulation.act("PATCH", path, {"location": "theirs"})

    left = await account.reject_all(work)

    assert [each.state for each in left] == [State.CONFLICT]
    assert look(account, DINNER) == before
    assert look(account, EXCEPTION)["location"] == "theirs"


async def test_a_video_call_that_was_added_is_gone_again(account: Account) -> None:
    before = look(account, DINNER)
    call = {"createRequest": {"requestId": "r1"}}

    left = await account.reject(
        "update_event", "primary", DINNER, conference_data=call, conference_data_version=1
    )

    assert left == []
    assert look(account, DINNER) == before


@pytest.mark.parametrize(
    ("name", "event", "given", "held"),
    [
        ("update_event", "guests00001", {"summary": "Off", "send_updates": "all"}, True),
        ("delete_event", "guests00001", {"send_updates": "externalOnly"}, True),
        ("update_event", "guests00001", {"summary": "Off", "send_updates": "none"}, False),
        ("update_event", DINNER, {"summary": "Off", "send_updates": "all"}, False),
        (
            "update_event",
            DINNER,
            {"attendees": [{"email": "a@example.com"}], "send_updates": "all"},
            True,
        ),
    ],
)
async def test_what_guests_would_be_told_of_is_held(
    account: Account, name: str, event: str, given: dict[str, Any], held: bool
) -> None:
    left = await account.reject(name, "primary", event, **given)

    assert [each.state for each in left] == ([State.HELD] if held else [])
    assert account.simulation.told == []
    assert bool(account.simulation.ledger) is not held


async def test_an_edit_right_before_a_call_has_it_refused(account: Account) -> None:
    simulation, path = account.simulation, f"/calendars/primary/events/{DINNER}"

    def edit(when: str) -> None:
        simulation.disturb = lambda _: None
        simulation.act("PATCH", path, {"location": f"theirs, {when}"})

    simulation.disturb = edit
    left = await account.reject("update_event", "primary", DINNER, summary="Wrong")

    assert [each.state in (State.UNKNOWN, State.NEEDS_HUMAN) for each in left] == [True]
    assert [by for by, _, _ in simulation.ledger] == ["second"]
    assert look(account, DINNER)["location"] == "theirs, before"


async def test_a_create_without_an_answer_is_found_by_its_id(account: Account) -> None:
    account.simulation.faults = [ServiceFault.LOST_AFTER]

    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        tools = {each.__name__: each for each in account.service.tools(m)}
        await act(m, lambda: tools["create_event"]("primary", "Cinema", **EVENING))
        made = [
            e
            for e in account.simulation.state["calendars"]["primary"].values()
            if e.get("summary") == "Cinema"
        ]

    assert [each["status"] for each in made] == ["cancelled"]


async def test_ones_own_function_is_declared_in_one_line(account: Account) -> None:
    before = look(account, DINNER)
    simulation = account.simulation

    async with Mulligan("memory:", checks=[reject], recover=False) as m:

        @m.tool(**account.service.update_event())
        def rename(calendar_id: str, event_id: str, title: str) -> dict[str, Any]:
            path = f"/calendars/{calendar_id}/events/{event_id}"
            return simulation.act("PATCH", path, {"summary": title}, by="sdk")

        assert await act(m, lambda: rename("primary", DINNER, "Wrong")) == []

    assert [by for by, _, _ in simulation.ledger] == ["sdk", "agent"]
    assert look(account, DINNER) == before


async def test_an_edit_that_ones_own_function_did_not_hear_of_is_not_undone_with_it(
    account: Account,
) -> None:
    simulation, path = account.simulation, f"/calendars/primary/events/{DINNER}"

    async with Mulligan("memory:", checks=[reject], recover=False) as m:

        @m.tool(**account.service.update_event())
        def rename(calendar_id: str, event_id: str, title: str) -> dict[str, Any]:
            simulation.act("PATCH", path, {"location": "theirs"})
            return simulation.act("PATCH", path, {"summary": title}, by="sdk")

        left = await act(m, lambda: rename("primary", DINNER, "Wrong"))

    assert len(left) == 1
    assert look(account, DINNER)["location"] == "theirs"


async def test_a_token_is_asked_for_with_each_request_and_is_nowhere_else(
    account: Account, caplog: pytest.LogCaptureFixture, tmp_path: Any
) -> None:
    tokens = iter([f"secret-token-{number}" for number in range(100)])
    caplog.set_level(logging.DEBUG)
    store = tmp_path / "family.db"
    service = connect("google-calendar", token=lambda: next(tokens), base_url=account.url)

    async with Mulligan(f"sqlite:///{store}", checks=[reject], recover=False) as m:
        tools = {each.__name__: each for each in service.tools(m)}
        await act(m, lambda: tools["update_event"]("primary", DINNER, summary="Wrong"))
        told = json.dumps([repr(each) for each in m.insights.tools()])

    service.close()
    files = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    asked = {by for by, _, _ in account.simulation.ledger}
    assert len(asked) == 2
    assert all(by.startswith("secret-token") for by in asked)
    assert b"secret-token" not in files
    assert "secret-token" not in caplog.text + told + repr(service)


def test_a_service_can_be_copied_and_says_what_it_has_not() -> None:
    with open_account("google-calendar") as account:
        copied = copy.copy(account.service)

        assert copied.table is account.service.table
        with pytest.raises(AttributeError, match="no operation 'nothing'"):
            copied.nothing()
