from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan.checks.custom import only_warn
from mulligan.checks.dates import dates_as_said, times_as_said
from mulligan.checks.ids import UUID, exists, not_glued, well_formed
from mulligan.checks.objects import on_objects, owners_as_said, still_to_come
from mulligan.checks.places import home_is_home
from mulligan.checks.provenance import addresses_seen, ids_seen
from mulligan.checks.requests import condition_met, made_once, quotes_kept
from mulligan.checks.schedule import (
    SlotParameters,
    ends_after_start,
    free_as_asked,
    not_in_the_past,
    rank_as_said,
)
from mulligan.checks.subject import (
    has_concern,
    limit_to_calls,
    limit_to_parameters,
    limit_to_tools,
    watch_checks,
    with_concern_of,
)
from mulligan.loops.actions import Attempted
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Finding
from mulligan.types.turn import Turn

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)


def say(message: str, timezone: str | None = "Europe/Berlin") -> Turn:
    return Turn(id="t", message=message, now=NOW, timezone=timezone)


TURN = say("Move dinner to Friday")
GIVEN = {
    "id": "e1", "day": "2026-11-20", "end": "2026-11-21", "place": "Home", "title": "Party",
    "guest": "ann@example.org",
}  # fmt: skip
MOVE = Call(id="c1", tool="move", arguments=GIVEN)
OTHER = Call(id="c2", tool="lookup", arguments={"q": "x"})
IDS = {"move": ["id"]}


def find_nothing(subject: object) -> Iterator[Finding]:
    yield from ()


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (dates_as_said(), "Move dinner to Friday"),
        (made_once("move"), ""),
        (well_formed(UUID, IDS), ""),
        (not_glued(IDS), ""),
        (exists(IDS), ""),
        (ids_seen(IDS), ""),
        (addresses_seen("move"), ""),
        (still_to_come(IDS, when="day"), "Cancel the party"),
        (on_objects(dates_as_said(), IDS, when="day"), ""),
        (owners_as_said(IDS), ""),
        (rank_as_said(IDS), "Move the first meeting on Friday"),
        (condition_met("move"), "Move it if the price is above 7"),
        (quotes_kept({"move": ["title"]}), 'Call it "Party"'),
        (home_is_home({"move": ["place"]}), "Dinner at home"),
        (not_in_the_past({"move": ["day"]}), ""),
        (ends_after_start(("day", "end")), ""),
        (free_as_asked({"move": SlotParameters(start="day", end="end")}), "When I am free"),
        (only_warn(made_once("move"), refused=lambda _: False), ""),
    ],
)
def test_every_shipped_check_says_which_calls_it_looks_at(check, said: str) -> None:
    assert has_concern(check, turn=say(said), call=MOVE)
    assert not has_concern(check, turn=say(said), call=OTHER)
    assert watch_checks([check], set()) == [check]


def test_a_check_has_looked_only_where_there_was_something_to_compare() -> None:
    timed = Call(id="c", tool="move", arguments={"start": "2026-11-20T19:00:00+01:00"})

    assert has_concern(times_as_said(), turn=say("Dinner at 7pm"), call=timed)
    assert not has_concern(times_as_said(), turn=say("Move dinner"), call=timed)
    assert not has_concern(dates_as_said(), turn=say("Move dinner"), call=MOVE)
    assert not has_concern(dates_as_said(), turn=say("Dinner on Friday", timezone=None), call=MOVE)
    assert not has_concern(dates_as_said({"move": ["start"]}), turn=TURN, call=MOVE)
    assert not has_concern(quotes_kept({"move": ["title"]}), turn=TURN, call=MOVE)
    assert not has_concern(addresses_seen("lookup"), turn=TURN, call=OTHER)


def test_a_check_that_does_not_say_what_it_looks_at_is_about_nothing_by_that() -> None:
    assert not has_concern(find_nothing, turn=TURN, call=OTHER)
    assert with_concern_of(find_nothing, find_nothing) is find_nothing


def made(call: Call) -> Execution:
    return Execution(
        call=call, outcome=Outcome.SUCCESS, at=NOW, duration=timedelta(), result={"ok": True}
    )


def as_mapping(execution: Execution) -> str:
    match execution.call.arguments:
        case {"q": found}:
            return str(found)
    return ""


@pytest.mark.parametrize(
    ("look", "reads"),
    [
        (lambda e: e.call.arguments["q"], True),
        (lambda e: e.call.arguments.get("q"), True),
        (lambda e: list(e.call.arguments.items()), True),
        (lambda e: list(e.call.arguments.values()), True),
        (lambda e: f"{e.call.arguments}", True),
        (lambda e: dict(e.call.arguments), True),
        (lambda e: json.dumps(e.call.arguments), True),
        (lambda e: e.call.arguments == {"q": "x"}, True),
        (as_mapping, True),
        (lambda e: e.result["ok"], True),
        (lambda e: e == e, True),
        (lambda e: replace(e.call, tool="other").arguments["q"], True),
        (lambda e: e.call.arguments.get("day"), False),
        (lambda e: "q" in e.call.arguments, False),
        (lambda e: [*e.call.arguments, *e.call.arguments.keys()], False),
        (lambda e: len(e.call.arguments), False),
        (lambda e: (e.call.tool, e.call.id, e.outcome, e.failure, repr(e)), False),
    ],
)
def test_whether_a_check_has_read_a_call_is_noted(
    look: Callable[[Execution], object], reads: bool
) -> None:
    read: set[str] = set()
    attempted = Attempted(turn=TURN, executions=(made(OTHER),))

    def check(attempted: Attempted) -> None:
        for execution in attempted.executions:
            look(execution)

    [watched] = watch_checks([check], read)
    watched(attempted)

    assert read == ({"c2"} if reads else set())
    assert watched.__name__ == "check"


def test_what_a_check_is_shown_is_what_was_made() -> None:
    shown: list[Execution] = []

    [watched] = watch_checks([lambda attempted: shown.extend(attempted.executions)], set())
    watched(Attempted(turn=TURN, executions=(made(MOVE),)))

    [execution] = shown
    assert isinstance(execution, Execution)
    assert execution.call == MOVE
    assert replace(execution, result="other").result == "other"
    assert (execution.call.arguments, execution.result) == (GIVEN, {"ok": True})
    assert copy.deepcopy(execution.call.arguments) == pickle.loads(pickle.dumps(GIVEN))


def test_a_check_can_be_limited_and_stays_the_check_it_is() -> None:
    by_tool = limit_to_tools(["move"])(find_nothing)
    by_words = limit_to_tools(["move"], when=lambda turn: "lunch" in turn.message)(find_nothing)
    by_parameter = limit_to_parameters({"move": ["id"]})(find_nothing)
    broken = limit_to_calls(lambda turn, call: bool(1 / 0))(find_nothing)

    assert list(by_tool(object())) == []
    assert by_tool.__qualname__ == "find_nothing"
    assert has_concern(by_tool, turn=TURN, call=MOVE)
    assert not has_concern(by_tool, turn=TURN, call=OTHER)
    assert not has_concern(by_words, turn=TURN, call=MOVE)
    assert not has_concern(
        by_parameter, turn=TURN, call=Call(id="c", tool="move", arguments={"id": ""})
    )
    assert not has_concern(broken, turn=TURN, call=MOVE)
