from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from mulligan.checks.conditions import condition_met
from mulligan.checks.dates import dates_as_said, times_as_said
from mulligan.checks.duplicates import made_once
from mulligan.checks.facts.refusals import only_warn
from mulligan.checks.ids import UUID, exists, not_glued, well_formed
from mulligan.checks.objects import on_objects, owners_as_said, still_to_come
from mulligan.checks.order import ends_after_start, not_in_the_past
from mulligan.checks.places import home_is_home
from mulligan.checks.quotes import quotes_kept
from mulligan.checks.ranks import rank_as_said
from mulligan.checks.seen import addresses_seen, ids_seen
from mulligan.checks.slots import SlotParameters, free_as_asked
from mulligan.checks.subject.concern import (
    has_concern,
    is_about_attempts,
    limit_to_calls,
    limit_to_parameters,
    limit_to_tools,
    with_concern_of,
)
from mulligan.core.call import Call
from mulligan.core.finding import Finding
from mulligan.core.turn import Turn
from mulligan.packs.calendar import calendar_checks

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)


def say(message: str, timezone: str | None = "Europe/Berlin") -> Turn:
    return Turn(id="t", message=message, now=NOW, timezone=timezone)


TURN = say("Move dinner to Friday")
GIVEN = {"id": "e1", "day": "2026-11-20", "end": "2026-11-21", "place": "Home", "title": "Party"}
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
    assert not is_about_attempts(check)


def test_a_check_has_looked_only_where_there_was_something_to_compare() -> None:
    timed = Call(id="c", tool="move", arguments={"start": "2026-11-20T19:00:00+01:00"})

    assert has_concern(times_as_said(), turn=say("Dinner at 7pm"), call=timed)
    assert not has_concern(times_as_said(), turn=say("Move dinner"), call=timed)
    assert not has_concern(dates_as_said(), turn=say("Move dinner"), call=MOVE)
    assert not has_concern(dates_as_said(), turn=say("Dinner on Friday", timezone=None), call=MOVE)
    assert not has_concern(dates_as_said({"move": ["start"]}), turn=TURN, call=MOVE)
    assert not has_concern(quotes_kept({"move": ["title"]}), turn=TURN, call=MOVE)


def test_a_check_that_says_nothing_is_about_everything() -> None:
    assert has_concern(find_nothing, turn=TURN, call=OTHER)
    assert is_about_attempts(find_nothing)
    assert with_concern_of(find_nothing, find_nothing) is find_nothing


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


def test_the_calendar_looks_at_every_element_of_a_bulk() -> None:
    updates = [{"event_id": "e1", "start": "2026-11-20T10:00"}]
    bulk = Call(id="c", tool="bulk_update_calendar_events", arguments={"updates": updates})

    concerned = [check for check in calendar_checks() if has_concern(check, turn=TURN, call=bulk)]

    assert concerned
    assert not any(has_concern(check, turn=TURN, call=OTHER) for check in calendar_checks())
