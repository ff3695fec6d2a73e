"""The checks an application with this pack gets, on attempts as they happen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from mulligan import Mulligan
from mulligan.checks.standard import StandardChecks
from mulligan.types.call import Call, Execution
from mulligan_packs.calendar import CalDAV, Event, Place, calendar_facts, calendar_tools
from mulligan_testing.radicale import RadicaleServer
from tests.checks.attempts import Attempt, attempt, gathered, ran
from tests.packs.calendar.family import event_text

# The attempts are of Monday, October 20, 2025.
FRIDAY, SATURDAY = "2025-10-24T18:00", "2025-10-25T18:00"
DINNER = Event(id="ab12cd", title="Dinner", start="2025-10-22T18:00", end="2025-10-22T19:00")
HOME = "12 Elm Street, Springfield"


def found(*events: Event) -> Execution:
    return ran("get_calendar_events", {"start": "2025-10-20", "end": "2025-10-26"}, result=events)


def rules(tried: Attempt) -> list[str]:
    with Mulligan("memory:") as m:
        calendar_tools(m, CalDAV("http://127.0.0.1:1/", name="calendar"))
        toolbox = m._parts.toolbox

        def find_shape(call: Call) -> object:
            return next((each.shape for each in toolbox.list_named(call.tool)), None)

        return sorted({found.rule for found in StandardChecks(find_shape)(tried)})


def moved(start: str, event_id: str = DINNER.id) -> Execution:
    return ran("update_calendar_event", {"event_id": event_id, "start": start, "if_match": '"1"'})


def bulk(*starts: str) -> Execution:
    updates = [{"event_id": DINNER.id, "start": start} for start in starts]
    return ran("bulk_update_calendar_events", {"updates": updates})


@pytest.mark.parametrize(
    ("said", "calls", "expected"),
    [
        ("Move dinner to Friday", [found(DINNER), moved(FRIDAY)], []),
        ("Move dinner to Friday", [found(DINNER), moved(SATURDAY)], ["date"]),
        ("Move both to Friday", [found(DINNER), bulk(FRIDAY, FRIDAY)], []),
        ("Move both to Friday", [found(DINNER), bulk(FRIDAY, SATURDAY)], ["date"]),
        ("Move dinner to Friday", [moved(FRIDAY)], ["value"]),
        ("Move both to Friday", [bulk(FRIDAY)], ["value"]),
        ("Move the Game Night", [moved(FRIDAY, "family20251022GameNight")], ["id", "value"]),
    ],
)
def test_what_was_done_is_held_against_what_was_said(
    said: str, calls: Sequence[Execution], expected: list[str]
) -> None:
    areas = sorted({rule.partition(".")[0] for rule in rules(attempt(said, *calls))})

    assert areas == expected


def test_an_element_of_a_bulk_is_checked_also_when_it_is_all_that_is_left() -> None:
    left = ran(
        "bulk_update_calendar_events", {"updates": {"event_id": DINNER.id, "start": SATURDAY}}
    )

    assert rules(attempt("Move both to Friday", found(DINNER), left)) != []


def test_the_same_event_twice_is_seen() -> None:
    calls = [ran("create_calendar_event", {"title": "Cake", "start": FRIDAY}) for _ in range(2)]

    assert rules(attempt("Cake on Friday", *calls)) == ["call.repeated"]


def test_home_is_not_a_shop() -> None:
    look_up = ran(
        "get_location_info",
        {"query": "home"},
        result=Place(name="Home Depot", address="900 Mall Road"),
    )

    assert rules(attempt("Dinner at home", look_up, known={"home": HOME})) == ["place.not_home"]


def test_a_time_that_is_taken_is_read_from_the_calendar(
    radicale: RadicaleServer, calendar_url: str, open_calendar: Callable[[str], CalDAV]
) -> None:
    radicale.put(calendar_url, event_text(1), name="event-1.ics")
    call = ran(
        "create_calendar_event",
        {"title": "Chess", "start": "2026-11-18T18:00", "end": "2026-11-18T19:00"},
    )
    tried = attempt("Chess when I am free", call, zone="Europe/Berlin")

    facts = [
        fact
        for gather in calendar_facts(open_calendar(calendar_url), zone="Europe/Berlin")
        for fact in gathered(gather, tried)
    ]

    known = attempt(tried.turn.message, call, zone="Europe/Berlin", facts=facts)
    assert rules(known) == ["time.taken"]


PLUMBER = Event(id="pl77", title="Plumber", start=FRIDAY, end=FRIDAY)


def deleted(event_id: str) -> Execution:
    return ran("delete_calendar_event", {"event_id": event_id})


def created(**given: object) -> Execution:
    return ran("create_calendar_event", {"title": "Yoga", **given})


@pytest.mark.parametrize(
    ("said", "calls", "expected"),
    [
        ("Delete the dinner", [deleted(DINNER.id)], []),
        ("Delete the dinner", [deleted(PLUMBER.id)], ["object.not_as_said"]),
        ("When is the dinner?", [deleted(DINNER.id)], ["request.only_asked"]),
        (
            "Yoga on 2025-10-22 at 18:00, or at 20:00 if I already have something",
            [created(start="2025-10-22T18:00", end="2025-10-22T19:00")],
            ["condition.other_case"],
        ),
        (
            "Yoga on 2025-10-22 at 18:00, or at 20:00 if I already have something",
            [created(start="2025-10-22T20:00", end="2025-10-22T21:00")],
            [],
        ),
        (
            "Dinner at home on 2025-10-24",
            [created(location="Home Depot, 9 Mall Rd")],
            ["place.not_home"],
        ),
    ],
)
def test_the_object_and_the_case_are_the_ones_that_were_meant(
    said: str, calls: Sequence[Execution], expected: list[str]
) -> None:
    assert rules(attempt(said, found(DINNER, PLUMBER), *calls)) == expected
