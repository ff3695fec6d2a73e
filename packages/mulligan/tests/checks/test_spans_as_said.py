"""From when to when, for how long, and by how much something is moved: held against the words."""

from __future__ import annotations

import pytest

from mulligan.checks.standard import StandardChecks
from tests.checks.attempts import attempt, ran

RULES = {"time.span_not_as_said", "time.shift_not_as_said"}
NEW = [
    # said on Monday, 2025-10-20, the span that is right, and one that is wrong
    ("Book the hall from 6 to 11 pm on Friday", "24T18:00 24T23:00", "24T18:00 24T22:00"),
    ("Book the hall from 6 to 11 pm on Friday", "24T18:00 24T23:00", "24T19:00 24T23:00"),
    ("Book the hall 6-11pm tomorrow", "21T18:00 21T23:00", "21T18:00 21T20:00"),
    ("Put down lunch from 12:00 to 13:30 on Friday", "24T12:00 24T13:30", "24T12:00 24T13:00"),
    ("Block 14:00-15:30 on Tuesday", "21T14:00 21T15:30", "21T14:00 21T15:00"),
    ("Reserve the room from 9 am until 5 pm on Thursday", "23T09:00 23T17:00", "23T09:00 23T10:00"),
    ("Block my calendar from 9 till noon tomorrow", "21T09:00 21T12:00", "21T09:00 21T13:00"),
    ("Book the bar from 10pm to 2am on Friday", "24T22:00 25T02:00", "24T22:00 25T01:00"),
    (
        "Please set up training from 8:30 to 10 am tomorrow",
        "21T08:30 21T10:00",
        "21T08:00 21T10:00",
    ),
    ("Set up a meeting tomorrow at 3 pm for two hours", "21T15:00 21T17:00", "21T15:00 21T16:00"),
    (
        "Book the court for an hour and a half at 6 pm today",
        "20T18:00 20T19:30",
        "20T18:00 20T19:00",
    ),
    ("Book a car tomorrow at 10 am for 90 minutes", "21T10:00 21T11:30", "21T10:00 21T11:00"),
    ("Schedule half an hour with Ann tomorrow at 4 pm", "21T16:00 21T16:30", None),
    (
        "Schedule a 30-minute call with Ann tomorrow at 10 am",
        "21T10:00 21T10:30",
        "21T10:00 21T11:00",
    ),
    ("Book a two-hour workshop on Friday at 9 am", "24T09:00 24T11:00", "24T09:00 24T10:00"),
    ("Add a 45 minute review on Friday at 2 pm", "24T14:00 24T14:45", "24T14:00 24T15:00"),
    ("Set up a half-hour sync tomorrow at 1 pm", "21T13:00 21T13:30", "21T13:00 21T14:00"),
    ("Create a one-hour session tomorrow at 11 am", "21T11:00 21T12:00", "21T11:00 21T11:30"),
    ("Plan a 3 hour lab on Thursday at 1 pm", "23T13:00 23T16:00", "23T13:00 23T15:00"),
    ("Buche den Saal am Freitag von 14 bis 16 Uhr", "24T14:00 24T16:00", "24T14:00 24T15:00"),
    (
        "Trag morgen um 10 Uhr für zwei Stunden eine Probe ein",
        "21T10:00 21T12:00",
        "21T10:00 21T11:00",
    ),
    (
        "Reserviere den Raum am Donnerstag von 9 bis 12 Uhr",
        "23T09:00 23T12:00",
        "23T10:00 23T12:00",
    ),
]
QUIET = [
    # A window to choose from, another thing's length, a free choice: any span will do.
    ("Find a time from 2 to 4 pm tomorrow for a 30-minute call", "21T14:30 21T15:00"),
    ("Book Ann when we are both free from 2 to 6 pm tomorrow", "21T15:00 21T16:00"),
    ("Meet Ann between 2 and 4 pm tomorrow", "21T14:30 21T15:00"),
    ("Book a workshop on Friday at 9 am with a 15-minute break", "24T09:00 24T12:00"),
    ("I work from 9 to 5 on Fridays. Book dinner on Friday at 7 pm", "24T19:00 24T21:00"),
    ("Book a table on Friday at 7 pm, it is a 20-minute drive", "24T19:00 24T21:00"),
    ("Book a table on Friday at 7 pm and remind me two hours before", "24T19:00 24T21:00"),
    ("Lunch with Ann in two hours", "20T11:00 20T12:00"),
    ("I waited for two hours. Book the dentist tomorrow at 10 am", "21T10:00 21T11:00"),
    ("Move the sync from 3 pm to 4 pm", "20T16:00 20T17:00"),
    ("Book the room tomorrow at 10 am", "21T10:00 21T11:00"),
    ("Book the whole of Friday", "24 25"),
    ("The shop is open from 9 to 12. Plan a visit tomorrow at 10 am", "21T10:00 21T11:00"),
    ("Plan a visit on Friday at 10 am, after the two-hour lecture", "24T10:00 24T11:00"),
]
MOVED = [
    # of an event on Thursday, 2025-10-23, from 15:00 to 16:00
    ("Move my dentist appointment an hour later", "23T16:00 23T17:00", "23T15:30 23T16:30"),
    ("Move the dentist two hours earlier", "23T13:00 23T14:00", "23T17:00 23T18:00"),
    ("Push the dentist back by 30 minutes", "23T15:30 23T16:30", "23T16:00 23T17:00"),
    ("Make the dentist half an hour earlier", "23T14:30 23T15:30", "23T15:30 23T16:30"),
    ("Delay the dentist by 45 minutes", "23T15:45 23T16:45", "23T14:15 23T15:15"),
    ("Move the dentist by an hour", "23T14:00 23T15:00", "23T17:00 23T18:00"),
    ("Postpone the dentist by two hours", "23T17:00 23T18:00", "20T11:00 20T12:00"),
    ("Please start the dentist 15 minutes later", "23T15:15 23T16:15", "23T15:10 23T16:10"),
    (
        "Verschiebe den Zahnarzt um eine Stunde nach hinten",
        "23T16:00 23T17:00",
        "23T17:00 23T18:00",
    ),
    ("Leg den Zahnarzt zwei Stunden früher", "23T13:00 23T14:00", "23T14:00 23T15:00"),
]
UNMOVED = [
    ("Move the dentist to an hour later than lunch", "23T13:00 23T14:00"),
    ("Move the dentist to Friday, an hour later", "24T16:00 24T17:00"),
    ("Move the dentist to 17:00 and call me 10 minutes earlier", "23T17:00 23T18:00"),
]


def make_call(tool: str, span: str, **given: object):
    start, end = (f"2025-10-{each}" for each in span.split())
    return ran(tool, {**given, "start": start, "end": end}, result={"ok": True})


def find_rules(said: str, *executions: object) -> set[str]:
    found = {each.rule for each in StandardChecks(lambda _: None)(attempt(said, *executions))}
    return found & RULES


@pytest.mark.parametrize(("said", "right", "wrong"), NEW)
def test_a_span_that_was_said_is_the_one_that_is_taken(said, right, wrong) -> None:
    assert not find_rules(said, make_call("create_event", right, title="It"))
    if wrong:
        wanted = {"time.span_not_as_said"}
        assert find_rules(said, make_call("create_event", wrong, title="It")) == wanted


@pytest.mark.parametrize(("said", "taken"), QUIET)
def test_a_span_that_is_about_something_else_decides_nothing(said, taken) -> None:
    assert not find_rules(said, make_call("create_event", taken, title="It"))


READ = {
    "id": "e17",
    "title": "Dentist",
    "start": "2025-10-23T15:00",
    "end": "2025-10-23T16:00",
}


@pytest.mark.parametrize(("said", "right", "wrong"), MOVED)
def test_what_is_moved_by_an_hour_is_moved_from_where_it_was(said, right, wrong) -> None:
    looked = ran("find_events", {"query": "dentist"}, result=[READ])

    assert not find_rules(said, looked, make_call("update_event", right, event_id="e17"))
    moved = make_call("update_event", wrong, event_id="e17")
    assert find_rules(said, looked, moved) == {"time.shift_not_as_said"}


@pytest.mark.parametrize(("said", "taken"), UNMOVED)
def test_a_shift_from_something_else_decides_nothing(said, taken) -> None:
    looked = ran("find_events", {"query": "dentist"}, result=[READ])

    assert not find_rules(said, looked, make_call("update_event", taken, event_id="e17"))


def test_where_it_was_is_not_known_nothing_is_said() -> None:
    moved = make_call("update_event", "23T09:00 23T10:00", event_id="e17")

    assert not find_rules("Move my dentist appointment an hour later", moved)
