"""Times of a calendar: their order, free time, the first of a day, one time or another."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from mulligan.checks.schedule import (
    BUSY,
    SlotParameters,
    Taken,
    alternative_as_said,
    ends_after_start,
    free_as_asked,
    not_in_the_past,
    rank_as_said,
    ranks_read,
    read_either,
    taken_times,
)
from mulligan.types.call import Execution
from mulligan.types.finding import Fact, Severity
from tests.checks.attempts import Attempt, attempt, gathered, ran, severities

PLANS = {"create": ["start"]}


@pytest.mark.parametrize(
    ("start", "end", "flagged"),
    [
        ("2025-10-24T19:00", "2025-10-24T18:00", True),
        ("2025-10-24T19:00", "2025-10-23", True),
        ("2025-10-24T19:00", "2025-10-24", False),
        ("2025-10-24T23:00", "2025-10-25T01:00", False),
        (date(2025, 10, 24), date(2025, 10, 23), True),
        ("2025-10-24T19:00-04:00", datetime(2025, 10, 24, 23, 30, tzinfo=UTC), False),
        ("2025-10-24T19:00", "soon", False),
        ("2025-10-24T19:00", None, False),
    ],
)
def test_an_end_before_its_start_is_flagged(start: object, end: object, *, flagged: bool) -> None:
    tried = attempt("Dinner", ran("create", {"start": start, "end": end}))

    findings = ends_after_start(("start", "end"), ("from", "to"))(tried)

    assert severities(findings) == [Severity.ERROR] * flagged


@pytest.mark.parametrize(
    ("said", "start", "severity"),
    [
        ("Book a table for next Friday", "2024-10-24T19:00", Severity.ERROR),
        ("Book a table for next Friday", "2025-10-19", Severity.ERROR),
        ("Book a table for next Friday", "2025-10-20T08:00", None),
        ("Dinner with Ann on the 19th", "2025-10-19", Severity.WARNING),
        ("I had lunch with Ann, schedule it for yesterday", "2025-10-19", Severity.WARNING),
    ],
)
def test_a_plan_for_a_past_day_is_an_error_only_if_the_message_is_about_the_future(
    said: str, start: str, severity: Severity | None
) -> None:
    findings = not_in_the_past(PLANS)(attempt(said, ran("create", {"start": start})))

    assert severities(findings) == ([severity] if severity else [])


def test_where_the_zone_is_unknown_a_day_must_be_over_everywhere() -> None:
    def flagged(start: str) -> bool:
        tried = attempt("Book it", ran("create", {"start": start}), zone=None)
        return bool(list(not_in_the_past(PLANS)(tried)))

    assert not flagged("2025-10-19")
    assert flagged("2025-10-18")


SPANS = {
    "create": SlotParameters(start="start", minutes="duration"),
    "book": SlotParameters(start="start", end="end"),
}
LUNCH = Taken(what="Lunch", start=datetime(2025, 10, 24, 12, 0), end=datetime(2025, 10, 24, 13, 0))


def calendar(day: date) -> list[Taken]:
    return [LUNCH] if day == date(2025, 10, 24) else []


def book_free(said: str, tool: str, **given: object) -> Attempt:
    call = ran(tool, given)
    tried = attempt(said, call)
    return attempt(said, call, facts=gathered(taken_times(SPANS, read=calendar), tried))


@pytest.mark.parametrize(
    ("start", "duration", "flagged"),
    [
        ("2025-10-24T12:30", 30, True),
        ("2025-10-24T11:30", "45", True),
        ("2025-10-24T11:30", 30, False),
        ("2025-10-23T12:00", 30, False),
        ("2025-10-24T16:30+00:00", 30, True),
        ("noon", 30, False),
        ("9999-12-31T23:50", 30, False),
    ],
)
def test_a_time_that_is_taken_is_flagged_where_a_free_one_was_asked_for(
    start: str, duration: object, *, flagged: bool
) -> None:
    tried = book_free("Meet Ann when I'm free on Friday", "create", start=start, duration=duration)

    findings = list(free_as_asked(SPANS)(tried))

    assert [finding.rule for finding in findings] == ["time.taken"] * flagged
    assert all("Lunch" in finding.issue for finding in findings)


@pytest.mark.parametrize(
    "said", ["Meet Ann at 12:30", "Send 'Are you free?' and meet Ann at 12:30"]
)
def test_a_person_who_names_the_time_may_double_book(said: str) -> None:
    tried = book_free(said, "create", start="2025-10-24T12:30", duration=30)

    assert list(free_as_asked(SPANS)(tried)) == []


def test_what_the_call_itself_put_there_is_no_clash_but_an_equal_time_of_another_is() -> None:
    given = {"start": "2025-10-24T12:00", "end": "2025-10-24T13:00"}
    said = "Put it where I'm free"

    assert list(free_as_asked(SPANS)(book_free(said, "book", title="Lunch", **given))) == []
    assert len(list(free_as_asked(SPANS)(book_free(said, "book", title="Call", **given)))) == 1


IDS = {"delete": ["event_id"]}
STARTS = {
    "ev1": datetime(2025, 10, 24, 9, 0),
    "ev2": datetime(2025, 10, 24, 11, 0),
    "ev3": datetime(2025, 10, 24, 15, 0),
    "ev4": datetime(2025, 10, 25, 9, 0),
}


def read(event_id: str) -> dict[str, object] | None:
    return {"start": STARTS[event_id].isoformat()} if event_id in STARTS else None


def read_day(day: date) -> list[Taken]:
    return [
        Taken(what=name, start=start, end=start + timedelta(hours=1))
        for name, start in STARTS.items()
        if start.date() == day
    ]


def deleting(said: str, *event_ids: str) -> Attempt:
    calls = [ran("delete", {"event_id": event_id}) for event_id in event_ids]
    gather = ranks_read(IDS, when="start", read=read, read_day=read_day)
    return attempt(said, *calls, facts=gathered(gather, attempt(said, *calls)))


def test_each_object_is_placed_in_its_day() -> None:
    tried = deleting("Delete them", "ev1", "ev2", "ev3", "ev4", "ev5")

    assert [(fact.subject, fact.value) for fact in tried.facts] == [
        ("ev1", "first"),
        ("ev2", "between"),
        ("ev3", "last"),
        ("ev4", "only"),
    ]
    assert "first of 3 on 2025-10-24" in tried.facts[0].about


@pytest.mark.parametrize(
    ("said", "event_id", "flagged"),
    [
        ("Cancel my first meeting on Friday", "ev1", False),
        ("Cancel my first meeting on Friday", "ev2", True),
        ("Cancel my last event of the day", "ev1", True),
        ("Cancel my first meeting on Saturday", "ev4", False),
        ("Cancel my first meeting with Ann on Friday", "ev2", False),
        ("Cancel my first meeting on Friday after lunch", "ev3", False),
        ("Cancel my first meeting on Friday and the last event on Saturday", "ev3", False),
        ("Send 'my first meeting on Friday' and delete it", "ev2", False),
    ],
)
def test_another_than_the_first_or_the_last_is_flagged_where_that_was_asked_for(
    said: str, event_id: str, *, flagged: bool
) -> None:
    findings = list(rank_as_said(IDS)(deleting(said, event_id)))

    assert [finding.rule for finding in findings] == ["object.wrong_rank"] * flagged


EITHER = alternative_as_said({"create_event": "start"})
SAID = "Put yoga on 2025-10-24 at 10:00, or at 16:00 if I already have something."
STANDUP = ran(
    "list_events",
    result=[{"title": "Standup", "start": "2025-10-24T09:30", "end": "2025-10-24T10:30"}],
)
NO_CLASH = ran(
    "list_events",
    result=[{"title": "Lunch", "start": "2025-10-24T12:00", "end": "2025-10-24T13:00"}],
)


def book(at: str) -> Execution:
    return ran("create_event", {"title": "Yoga", "start": f"2025-10-24T{at}"})


@pytest.mark.parametrize(
    ("message", "either"),
    [
        (SAID, (time(10), time(16))),
        ("At 9am or 2 pm if that is taken", (time(9), time(14))),
        ("at 10:00 or 16:00 if at 10:00 I already have something", (time(10), time(16))),
        ("at 10:00 or 16:00", None),
        ("at 10:00, or at 10:00 if I am busy", None),
        ("at 31:00 or 16:00 if I am busy", None),
    ],
)
def test_the_two_times_are_read_in_their_order(
    message: str, either: tuple[time, time] | None
) -> None:
    assert read_either(message) == either


@pytest.mark.parametrize(
    ("seen", "at", "wrong"),
    [
        (STANDUP, "10:00", True),
        (STANDUP, "16:00", False),
        (NO_CLASH, "10:00", False),
        (NO_CLASH, "16:00", True),
    ],
)
def test_what_the_calendar_was_seen_to_hold_decides(seen: object, at: str, *, wrong: bool) -> None:
    found = list(EITHER(attempt(SAID, seen, book(at))))  # type: ignore[arg-type]

    errors = [each.rule for each in found if each.severity is Severity.ERROR]
    assert errors == (["condition.other_case"] if wrong else [])


def test_taking_the_first_time_unseen_is_a_warning() -> None:
    (finding,) = EITHER(attempt(SAID, book("10:00")))

    assert finding.severity is Severity.WARNING
    assert not list(EITHER(attempt(SAID, book("16:00"))))


def test_facts_of_the_calendar_count_like_a_look() -> None:
    busy = Fact(kind=BUSY, subject="Standup", value="2025-10-24T09:30/2025-10-24T10:30", about="")

    (finding,) = EITHER(attempt(SAID, book("10:00"), facts=[busy]))

    assert finding.correction == "Take 16:00."
