"""High confidence without a model: only where request and calls account for each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mulligan import Confidence, Effect, Mulligan, Standing, State
from mulligan.checks.account import find_account
from mulligan.checks.dates import dates_as_said
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Call, Execution, Outcome, Record
from mulligan.types.turn import History, Turn

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)
FRIDAY, SATURDAY = "2026-11-20", "2026-11-21"
DINNER, LUNCH = {"id": "e1", "title": "Dinner"}, {"id": "e2", "title": "Party"}
FOUND = [DINNER, LUNCH, {"id": "e3", "title": "Dinner with Bob"}]


def made(number: int, tool: str, result: object = None, **given: Any) -> Execution:
    return Execution(
        call=Call(id=f"c{number}", tool=tool, arguments=given),
        outcome=Outcome.SUCCESS,
        at=NOW,
        duration=timedelta(),
        result=result,
    )


def confirms(
    said: str, *calls: Execution, read: object = (DINNER, LUNCH), zone: str = "UTC"
) -> bool:
    turn = Turn(id="t", message=said, now=NOW, timezone=zone)
    looked = made(0, "search", result=read)
    acted = [execution.call.id for execution in calls]
    return find_account(turn, [looked, *calls], acted=acted) is not None


def move(
    event: str, day: object, number: int = 1, tool: str = "move_event", **more: Any
) -> Execution:
    return made(number, tool, event_id=event, day=day, **more)


def call_at(clock: str, minutes: int, name: str) -> Execution:
    given = {"duration": str(minutes)} if minutes else {}
    return made(1, "create_call", event_name=name, start=f"{FRIDAY}T{clock}:00", **given)


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("Move dinner to Friday", [move("e1", FRIDAY)]),
        ("Move dinner and party to Friday", [move("e1", FRIDAY), move("e2", FRIDAY, 2)]),
        ("Move dinner to Friday at 7pm", [move("e1", "2026-11-20T19:00:00+00:00")]),
        ("Cancel party", [made(1, "cancel", event_id="e2")]),
        ("Pay Ann 50", [made(1, "pay", to="Ann", amount=50)]),
        ("Add milk", [made(1, "add", title="milk", note=None, tags=[])]),
        ("Pay ANN 50 Annabel", [made(1, "pay_annabel", to="Ann", amount=50)]),
        ("Pay \u00c9MILE 50", [made(1, "pay", to="\u00c9mile", amount=50)]),
        ("Hi, can you please reschedule the dinner to Friday?", [move("e1", FRIDAY)]),
        (
            "Book a 2 hour call named 'Q3 or Q4' at 2:30 on Friday",
            [call_at("14:30", 120, "Q3 or Q4")],
        ),
        ("Verschiebe bitte dinner auf Freitag", [move("e1", FRIDAY, tool="verschiebe_termin")]),
    ],
)
def test_a_request_that_is_done_to_the_word_is_confirmed(said: str, calls: list[Execution]) -> None:
    assert confirms(said, *calls)


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("Move dinner to Friday", [move("e1", SATURDAY)]),
        ("Move dinner to Friday", [move("e2", FRIDAY)]),
        ("Move dinner to Friday", [move("e1", FRIDAY), move("e1", FRIDAY, 2)]),
        ("Move dinner to Friday", [move("e1", FRIDAY), move("e2", FRIDAY, 2)]),
        ("Move dinner to Friday", [move("e1", FRIDAY, place="Luigi's")]),
        ("Move dinner to Friday", [move("e1", "2026-11-20T19:00:00+00:00")]),
        ("Move dinner to Friday", [move("e1", FRIDAY, tool="delete_event")]),
        ("Move dinner to Friday", [move("e1", FRIDAY, notify=True)]),
        ("Move dinner to Friday", []),
        ("Move dinner and party to Friday", [move("e1", FRIDAY)]),
        ("Do not move dinner to Friday", [move("e1", FRIDAY)]),
        ("Move dinner to Friday if it rains", [move("e1", FRIDAY)]),
        ("Move dinner from Friday to Saturday", [move("e1", FRIDAY)]),
        ("Move dinner to Friday or Saturday", [move("e1", FRIDAY)]),
        ("Move dinner to next Friday", [move("e1", FRIDAY)]),
        ("Should I move dinner to Friday?", [move("e1", FRIDAY)]),
        ("Move dinner to Friday at 7pm", [move("e1", FRIDAY)]),
        ("Pay Ann 50", [made(1, "pay", to="Ann", amount=500)]),
        ("Pay Ann 50 and Bob 30", [made(1, "pay", to="Ann", amount=30)]),
        ("Pay Annabel 50", [made(1, "pay", to="Ann", amount=50)]),
        ("Pay Ann 50 ann", [made(1, "pay", to="Ann", amount=50)]),
        ("Pay Ann for Bob", [made(1, "pay", to="Bob", payer="Ann")]),
        ("Log dinner on Friday", [made(1, "log", event_id="e1", day="2026-11-13")]),
        ("Cancel the last party", [made(1, "cancel", event_id="e2")]),
        ("Cancel party", [made(1, "cancel", event_id="e2"), made(2, "cancel", event_id="e2")]),
        ("Cancel party and tell Ann why", [made(1, "cancel", event_id="e2")]),
        ("Book a call named 'Sync' at 8 on Friday", [call_at("20:00", 0, "Sync")]),
        ("Book a 2 hour call named 'Sync' at 2:30 on Friday", [call_at("14:30", 60, "Sync")]),
        ("Verschiebe dinner nicht auf Freitag", [move("e1", FRIDAY, tool="verschiebe_termin")]),
        ("Storniere party oder dinner", [made(1, "storniere", event_id="e2")]),
        ("Storniere die n\u00e4chste party", [made(1, "storniere", event_id="e2")]),
    ],
)
def test_in_any_doubt_there_is_no_fact(said: str, calls: list[Execution]) -> None:
    assert not confirms(said, *calls)


def test_two_objects_of_the_name_and_a_text_are_no_proof_of_an_id() -> None:
    twins = [DINNER, {"id": "e7", "title": "Dinner"}]

    assert not confirms("Move dinner to Friday", move("e1", FRIDAY), read=twins)
    assert not confirms("Move dinner to Friday", move("e1", FRIDAY), read="Dinner is e1")
    assert not confirms("Move dinner with Bob to Friday", move("e1", FRIDAY), read=FOUND)
    assert confirms("Move dinner with Bob to Friday", move("e3", FRIDAY), read=FOUND[2:])


def test_without_a_zone_and_after_a_failure_nothing_is_confirmed() -> None:
    turn = Turn(id="t", message="Move dinner to Friday", now=NOW, known={"dinner": "e1"})
    known = Turn(id="t", message="Cancel dinner", now=NOW, known={"dinner": "e1"})
    cancelled = made(1, "cancel", event="e1")
    failed = Execution(call=cancelled.call, outcome=Outcome.UNKNOWN, at=NOW, duration=timedelta())

    assert find_account(turn, [move("e1", FRIDAY)], acted=["c1"]) is None
    assert find_account(known, [cancelled], acted=["c1"]) is not None
    assert find_account(known, [failed], acted=["c1"]) is None
    assert find_account(known, [cancelled], acted=["c1", "c2"]) is None


CUSTOMERS = [
    {"customer_id": "31", "customer": "Ida Roth", "owner_email": "kim.vale@firm.test"},
    {"customer_id": "32", "customer": "Leo Marsh", "owner_email": "kim.vale@firm.test"},
]


@pytest.mark.parametrize(
    ("customer", "owner", "sure"),
    [
        ("31", "noor.haddad@firm.test", True),
        ("32", "noor.haddad@firm.test", False),
        ("31", "kim.vale@firm.test", False),
    ],
)
def test_a_field_is_changed_to_the_address_of_the_one_that_was_named(
    customer: str, owner: str, *, sure: bool
) -> None:
    given = {"customer_id": customer, "field": "owner_email", "new_value": owner}
    looked = [made(8, "search_customers", result=CUSTOMERS, owner="any")]
    looked.append(made(9, "find_address", result=["noor.haddad@firm.test"], name="Noor"))
    turn = Turn(id="t", message="Assign Ida Roth to Noor", now=NOW, timezone="UTC")

    found = find_account(turn, [*looked, made(1, "update_customer", **given)], acted=["c1"])

    assert (found is not None) is sure


@pytest.mark.parametrize(
    ("before", "sure"),
    [("Please move dinner to Friday", True), ("Please move dinner to Monday", False)],
)
def test_what_was_said_before_counts_as_said(before: str, *, sure: bool) -> None:
    said = [{"role": "user", "content": before}, {"role": "assistant", "content": "Which one?"}]
    turn = Turn(id="t", message="The id is e1", now=NOW, timezone="UTC", history=History(said))

    assert (find_account(turn, [move("e1", FRIDAY)], acted=["c1"]) is not None) is sure


async def test_a_turn_without_a_judge_is_sure_of_what_a_check_has_looked_at() -> None:
    days = {"e1": "2026-11-18"}

    def put_back(record: Record) -> None:
        days[str(record.arguments["event_id"])] = str(record.before)

    async with Mulligan("memory:", checks=[dates_as_said()], recover=False) as m:

        @m.tool(effect=Effect.READ)
        async def search() -> list[dict[str, str]]:
            return [DINNER, LUNCH]

        @m.tool(
            effect=Effect.REVERSIBLE, before=lambda r: days[r.arguments["event_id"]], undo=put_back
        )
        async def move_event(event_id: str, day: str) -> None:
            days[event_id] = day

        async def agent(turn: OpenTurn) -> str:
            found = await search()
            await move_event(found[0]["id"], FRIDAY)
            return "Moved."

        done = await m.act("Move dinner to Friday", agent, now=NOW, timezone="Europe/Berlin")
        [action] = [m.insights.open_list.find(done.attempts[0].calls[1])]

    assert (done.standing, done.confidence) == (Standing.ACCEPTED, Confidence.HIGH)
    assert (action.state, action.detail["by"]) == (State.VERIFIED, "checks and facts")
