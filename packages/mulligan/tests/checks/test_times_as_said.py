"""Times of day, and days that a mail tells. It is Monday 2025-10-20."""

from __future__ import annotations

import pytest

from mulligan.checks.dates import dates_as_written, times_as_said
from mulligan.types.finding import Severity
from tests.checks.attempts import attempt, ran


def flagged(said: str, *values: str) -> bool:
    call = ran("book", {f"at_{number}": value for number, value in enumerate(values)})
    return bool(list(times_as_said()(attempt(said, call))))


@pytest.mark.parametrize(
    ("said", "value", "wrong"),
    [
        ("dinner tomorrow at half past six", "2025-10-21T18:30", False),
        ("dinner tomorrow at half past six", "2025-10-21T17:30", True),
        ("dinner tomorrow at 6:30pm", "2025-10-21T06:30", True),
        ("dinner at 7pm", "2025-10-25T20:00", True),
        ("dinner at 7pm", "2025-10-25T23:00:00Z", False),
        ("dinner at 7pm", "2025-10-25T00:00:00Z", False),
        ("dinner around 7pm", "2025-10-25T20:00", False),
        ("dinner after 7pm", "2025-10-25T20:00", False),
        ("every day at 7pm", "2025-10-25T20:00", False),
        ("dinner from 7pm to 9pm", "2025-10-25T20:00", False),
        ("move the 3pm call to 4pm", "2025-10-25T17:00", True),
        ("dinner the day after tomorrow at 8", "2025-10-22T19:00", True),
        ("dinner the day after tomorrow after 8", "2025-10-22T21:00", False),
    ],
)
def test_a_time_is_flagged_only_against_one_exact_time(
    said: str, value: str, *, wrong: bool
) -> None:
    assert flagged(said, value) is wrong


@pytest.mark.parametrize(
    ("said", "severity"),
    [
        ("dentist tomorrow at 8am", Severity.ERROR),
        ("dentist tomorrow at 8am if they have it, or else the first slot", Severity.WARNING),
        ("slide the calls of tomorrow by two hours, the one at 8am stays", Severity.WARNING),
    ],
)
def test_a_time_is_no_error_where_another_one_is_allowed(said: str, severity: Severity) -> None:
    call = ran("book", {"at": "2025-10-21T08:20"})

    (finding,) = times_as_said()(attempt(said, call))

    assert finding.severity is severity


@pytest.mark.parametrize(
    ("said", "value", "wrong"),
    [
        ("dentist tomorrow afternoon", "2025-10-21T08:30", True),
        ("dentist tomorrow afternoon", "2025-10-21T15:00", False),
        ("dentist a week from today, in the morning", "2025-10-27T15:00", True),
        ("dentist on Friday morning or afternoon", "2025-10-24T15:00", False),
        ("dinner tonight", "2025-10-20T23:30", False),
        ("dinner tonight", "2025-10-20T12:00", True),
        ("dentist tomorrow afternoon at 11 am", "2025-10-21T11:00", False),
    ],
)
def test_a_time_lies_in_the_part_of_the_day_that_was_said(
    said: str, value: str, *, wrong: bool
) -> None:
    assert flagged(said, value) is wrong


@pytest.mark.parametrize(
    ("said", "value", "wrong"),
    [
        ("call Tokyo tomorrow at 9am", "2025-10-21T09:00:00+09:00", False),
        ("call Tokyo tomorrow at 9am", "2025-10-21T11:00:00+09:00", True),
        ("call Tokyo tomorrow at 9am", "2025-10-21T09:00:00Z", True),
        ("call the office at 9am their time", "2025-10-20T20:00", False),
        ("call the office at 9am Tokyo time", "2025-10-20T20:00", False),
        ("call the office at 9am, time is short", "2025-10-20T20:00", True),
        ("morgen um 9 Uhr Ortszeit anrufen", "2025-10-21T15:00", False),
    ],
)
def test_a_time_may_be_that_of_another_place(said: str, value: str, *, wrong: bool) -> None:
    assert flagged(said, value) is wrong


@pytest.mark.parametrize(
    ("said", "name", "value", "wrong"),
    [
        ("wake me at quarter to seven", "time", "07:15", True),
        ("wake me at quarter to seven", "time", "06:45", False),
        ("wake me at quarter to seven", "alarm_time", "6:45 AM", False),
        ("wake me at quarter to seven", "alarm_time", "7:45 am", True),
        ("leave at half past six", "travel_time", "00:40", False),
        ("wake me at quarter to seven", "pattern", "07:15", False),
    ],
)
def test_a_time_without_a_day_is_compared_too(
    said: str, name: str, value: str, *, wrong: bool
) -> None:
    found = list(times_as_said()(attempt(said, ran("set_alarm", {name: value}))))

    assert bool(found) is wrong


def test_a_finding_tells_both_times() -> None:
    call = ran("book", {"at": "2025-10-21T17:30"})

    (finding,) = times_as_said({"book": ["at"]})(attempt("tomorrow at half past six", call))

    assert finding.rule == "time.not_as_said"
    assert finding.issue == (
        "book was given at='2025-10-21T17:30', which is 17:30 for the person; "
        'they said "tomorrow at half past six", and that can mean 06:30 or 18:30.'
    )
    assert finding.correction == "Use 06:30 or 18:30 for at."


def test_an_unknown_zone_gives_no_finding() -> None:
    call = ran("book", {"at": "2025-10-21T17:30"})

    assert list(times_as_said()(attempt("tomorrow at 7pm", call, zone=None))) == []


def test_an_hour_later_is_later_than_what_is_changed_was() -> None:
    moved = {"event_id": "ev1", "start": "2025-10-24T13:00"}

    found = times_as_said()(attempt("let's do lunch half an hour later", ran("update", moved)))

    assert list(found) == []


WRITTEN = dates_as_written({"create_event": ["start"]})
ASKED = "Put what Bob's mail says into my calendar."


def mail(body: str, sent: str = "2025-10-16 09:00") -> dict[str, str]:
    return {"from": "Bob", "body": body, "sent": sent}


@pytest.mark.parametrize(
    ("body", "day", "flagged"),
    [
        ("Let's meet tomorrow at 5 pm.", "2025-10-17", False),
        ("Let's meet tomorrow at 5 pm.", "2025-10-21", True),
        ("Let's meet tomorrow at 5 pm.", "2025-10-25", False),
        ("Let's meet in a week.", "2025-10-27", True),
        ("Let's meet on October 24.", "2025-10-24", False),
        ("Let's meet soon.", "2025-10-21", False),
    ],
)
def test_a_day_is_reckoned_from_when_it_was_told(body: str, day: str, *, flagged: bool) -> None:
    read = ran("read_mail", result=[mail(body)])
    made = ran("create_event", {"title": "Meeting", "start": f"{day}T17:00"})

    found = list(WRITTEN(attempt(ASKED, read, made)))

    assert [each.rule for each in found] == ["date.reckoned_from_today"] * flagged
    assert all("2025-10-16" in each.issue for each in found)


def test_what_the_person_says_comes_first() -> None:
    read = ran("read_mail", result=[mail("Let's meet tomorrow.")])
    made = ran("create_event", {"title": "Meeting", "start": "2025-10-21T17:00"})

    assert not list(WRITTEN(attempt("Put Bob's meeting on tomorrow.", read, made)))


def test_a_mail_of_today_or_without_its_day_says_nothing() -> None:
    made = ran("create_event", {"title": "Meeting", "start": "2025-10-21T17:00"})
    for record in (mail("See you tomorrow.", "2025-10-20 08:00"), {"body": "See you tomorrow."}):
        assert not list(WRITTEN(attempt(ASKED, ran("read_mail", result=[record]), made)))
