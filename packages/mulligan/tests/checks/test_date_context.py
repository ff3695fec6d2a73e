"""What surrounds an expression. Now is Wednesday 2025-10-22, 10:15."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan.checks.dates import dates_as_said
from mulligan.types.turn import Turn
from mulligan_dates.reader import find_expressions
from mulligan_dates.readings import Expression, Moment
from tests.checks.attempts import Attempt, ran

NOW = Moment(now=datetime(2025, 10, 22, 10, 15))


def said(message: str) -> list[Expression]:
    return find_expressions(message, NOW)


@pytest.mark.parametrize(
    ("message", "binding"),
    [
        ("Book a table for Friday", True),
        ("Cancel Friday's dinner", True),
        ("Move Friday's dinner", False),
        ("Reschedule tomorrow's call, please", False),
        ("Send yesterday's notes to Ann", False),
        ("Answer the mail from Friday", False),
        ("Finish the December report", False),
        ("Finish it in December", True),
        ("Do it as soon as possible", False),
        ("My contract began on March 3, 2019", False),
        ("It was due on Monday", False),
        ("We are away from Friday to Sunday", True),
    ],
)
def test_a_date_that_only_names_a_thing_does_not_bind(message: str, *, binding: bool) -> None:
    (found,) = said(message)

    assert found.binding is binding


@pytest.mark.parametrize(
    "message",
    [
        "Any time but not on Friday",
        "I can't do Friday",
        "Whenever you like, except tomorrow",
        "The deadline is Friday, so meet before that",
        "Call her every two weeks from Friday",
        "A weekly call, the first one on Friday",
        "Find a time this week or next",
        "Arrive on Friday and leave the following Monday",
    ],
)
def test_a_day_that_is_ruled_out_or_repeated_leaves_the_rest_open(message: str) -> None:
    assert any(not each.known for each in said(message))


def test_a_not_in_the_sentence_before_rules_nothing_out() -> None:
    (found,) = said("This is not urgent. Friday will do")

    assert found.known


def test_tomorrow_said_in_the_small_hours_may_be_the_day_that_comes() -> None:
    night = Moment(now=datetime(2025, 10, 22, 2, 30))

    (found,) = find_expressions("Wake me tomorrow at 7am", night)

    assert [f"{each.start:%m-%d %H}" for each in found.readings] == ["10-22 07", "10-23 07"]


def wrong(message: str, day: str) -> bool:
    """Whether a day is flagged that was given after a message of Sunday 2026-11-15, in Berlin."""
    sunday = datetime(2026, 11, 15, 11, 0, tzinfo=UTC)
    turn = Turn(id="t", message=message, now=sunday, timezone="Europe/Berlin")
    return bool(list(dates_as_said()(Attempt(turn=turn, executions=(ran("set", {"day": day}),)))))


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("Move Friday's dinner two days later", "2026-11-22"),
        ("Move Friday's dinner one day earlier", "2026-11-19"),
        ("Move Monday's meeting a day later", "2026-11-17"),
        ("Meet on Friday, follow up three days later", "2026-11-23"),
        ("Meet a week on Friday", "2026-11-27"),
        ("Dinner on Friday, brunch the morning after", "2026-11-21"),
        ("Dinner on Friday, back home the next morning", "2026-11-21"),
        ("Arrive on Friday, stay two nights", "2026-11-22"),
        ("Dinner on Friday, back home the next morning at 8", "2026-11-21"),
        ("Meet on Friday, follow up after two days", "2026-11-22"),
        ("Arrive on Friday. Stay for two days.", "2026-11-22"),
        ("Book a three-night stay on Friday", "2026-11-23"),
        ("Brunch the next day, after dinner on Friday", "2026-11-21"),
        ("Arrive on Friday the 27th, leave the Sunday after", "2026-11-29"),
        ("Dinner on Friday. We eat at 7. Remind me the day before.", "2026-11-19"),
        ("Dinner on Friday, lunch on Monday. Remind me of both the day before.", "2026-11-19"),
        ("Move the dinner two days later", "2026-11-28"),
        ("Meet a week tomorrow", "2026-11-23"),
    ],
)
def test_a_day_reckoned_from_another_day_that_is_named_is_not_flagged(
    message: str, day: str
) -> None:
    assert not wrong(message, day)


@pytest.mark.parametrize(
    "message",
    [
        "Meet in two days",
        "Meet two days from now",
        "Meet two days later",
        "Meet on Friday, remind me in two days",
        "Meet a week on Friday",
        "Dinner on Friday, remind me the day before",
        "Good morning! Book a table for two on Friday after 7",
        "Book a two hour meeting on Friday",
    ],
)
def test_a_day_reckoned_from_now_or_from_what_is_told_is_still_held_to_it(message: str) -> None:
    assert wrong(message, "2026-12-02")


def test_a_condition_does_not_make_a_request_look_back() -> None:
    (ahead,) = said("Put yoga on Friday, unless I already have something")
    (logged,) = said("Log my run on Friday, if I have time")

    assert (ahead.looks_back, logged.looks_back) == (False, True)
