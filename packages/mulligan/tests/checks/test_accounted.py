"""High confidence without a model: only where request and calls account for each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mulligan import Confidence, Effect, Mulligan, Standing, State
from mulligan.checks.dates import dates_as_said
from mulligan.checks.facts import find_account
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Call, Execution, Outcome, Record
from mulligan.types.turn import Turn

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


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("Move dinner to Friday", [move("e1", FRIDAY)]),
        ("Please move my dinner to 2026-11-20.", [move("e1", FRIDAY)]),
        ("Move dinner and party to Friday", [move("e1", FRIDAY), move("e2", FRIDAY, 2)]),
        ("Move dinner to Friday at 7pm", [move("e1", "2026-11-20T19:00:00+00:00")]),
        ("Cancel party", [made(1, "cancel", event_id="e2")]),
        ("Cancel order W17", [made(1, "cancel_order", order_id="W17")]),
        ("Pay Ann 50", [made(1, "pay", to="Ann", amount=50)]),
        ("Add milk", [made(1, "add", title="milk", note=None, tags=[])]),
        ("Pay ANN 50 Annabel", [made(1, "pay_annabel", to="Ann", amount=50)]),
        ("Pay \u00c9MILE 50", [made(1, "pay", to="\u00c9mile", amount=50)]),
    ],
)
def test_a_request_that_is_done_to_the_word_is_confirmed(said: str, calls: list[Execution]) -> None:
    assert confirms(said, *calls)


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("Move dinner to Friday", [move("e1", SATURDAY)]),
        ("Move dinner to Friday", [move("e2", FRIDAY)]),
        ("Move dinner to Friday", [move("e9", FRIDAY)]),
        ("Move dinner to Friday", [move("e1", FRIDAY), move("e1", FRIDAY, 2)]),
        ("Move dinner to Friday", [move("e1", FRIDAY), move("e2", FRIDAY, 2)]),
        ("Move dinner to Friday", [move("e1", FRIDAY, place="Luigi's")]),
        ("Move dinner to Friday", [move("e1", FRIDAY, notify=True)]),
        ("Move dinner to Friday", [move("e1", "2026-11-20T19:00:00+00:00")]),
        ("Move dinner to Friday", [move("e1", FRIDAY, tool="delete_event")]),
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
        ("Pay Ann_b 50", [made(1, "pay", to="Ann", amount=50)]),
        ("Pay Ann 50 ann", [made(1, "pay", to="Ann", amount=50)]),
        ("Pay Ann for Bob", [made(1, "pay", to="Bob", payer="Ann")]),
        ("Log dinner on Friday", [made(1, "log", event_id="e1", day="2026-11-13")]),
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
