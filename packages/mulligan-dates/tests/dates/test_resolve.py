"""What phrases can mean. Now is Wednesday 2025-10-22, 10:15, unless a test says otherwise."""

from __future__ import annotations

from datetime import datetime

import pytest

from mulligan_dates.reader import NOTHING_SAID, find_expressions, find_meaning, read_message
from mulligan_dates.readings import Convention, Expression, Moment
from tests.dates.said import AMERICAN, NOW, days, moment


def said(message: str, now: datetime = NOW) -> list[Expression]:
    return find_expressions(message, moment(now), pins=AMERICAN)


@pytest.mark.parametrize(
    "phrase",
    [
        "",
        "soon",
        "every Friday",
        "on Fridays",
        "Super Tuesday",
        "Chinese New Year",
        "the closest Monday to May 5",
        "the party",
        "tomorrow or so, says Bob",
        "week 42",
        "the 1990s",
        "10 August 88 BC",
        "several days from now",
        "99999999999999999999 days from now",
        "in 9000 years",
        "later in the year",
    ],
)
def test_what_is_not_understood_is_unknown(phrase: str) -> None:
    assert find_meaning(phrase, moment()).readings == ()


def test_a_reading_names_the_conventions_it_rests_on_and_a_pin_settles_them() -> None:
    both = find_meaning("next Friday", moment()).readings
    pinned = find_meaning("next Friday", moment(), pins=frozenset({Convention.NEXT_WEEK})).readings

    assert {str(each.start.date()): set(each.rests_on) for each in both} == {
        "2025-10-24": {Convention.NEXT_SOONEST},
        "2025-10-31": {Convention.NEXT_WEEK},
    }
    assert [str(each.start.date()) for each in pinned] == ["2025-10-31"]


def test_where_all_conventions_agree_none_is_named() -> None:
    (only,) = find_meaning("next Monday", moment()).readings

    assert only.rests_on == frozenset()


def test_a_message_that_says_this_and_next_settles_what_next_is() -> None:
    this, following = said("This Friday and next Friday work for me")

    assert [str(each.start.date()) for each in this.readings] == ["2025-10-24"]
    assert [str(each.start.date()) for each in following.readings] == ["2025-10-31"]


def test_expressions_are_found_where_they_stand() -> None:
    message = "Please move tomorrow's dinner to next Friday at 7pm, thanks."

    first, second = said(message)

    assert message[first.start : first.end] == first.text == "tomorrow's"
    assert second.text == "next Friday at 7pm"


def test_a_correction_replaces_what_was_said_before_it() -> None:
    friday, later = said("Make it tomorrow. No, the week after.")

    assert friday.superseded
    assert not later.superseded
    assert [str(each.start.date()) for each in later.readings] == ["2025-10-30"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Cancel my meetings on Friday", ["2025-10-24"]),
        ("Forward the mail from Friday", ["2025-10-17", "2025-10-24"]),
        ("I booked it. It was on Friday", ["2025-10-17", "2025-10-24"]),
    ],
)
def test_a_weekday_lies_ahead_if_something_is_planned_for_it(
    message: str, expected: list[str]
) -> None:
    (found,) = said(message)

    assert [str(each.start.date()) for each in found.readings] == expected


@pytest.mark.parametrize(
    "message",
    [
        "Good morning!",
        "We sat in the sun",
        "It may rain",
        "March on!",
        "Second try",
        "a 5 minute call",
    ],
)
def test_words_that_only_look_like_time_are_left_alone(message: str) -> None:
    assert said(message) == []


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Christmas", ["2024-12-25", "2025-12-25"]),
        ("next Christmas", ["2025-12-25"]),
        ("last Easter", ["2025-04-20"]),
        ("Easter 2026", ["2026-04-05"]),
        ("Good Friday 2027", ["2027-03-26"]),
        ("two days before Christmas 2025", ["2025-12-23"]),
    ],
)
def test_holidays_that_are_the_same_everywhere_need_no_country(
    phrase: str, expected: list[str]
) -> None:
    assert days(phrase) == expected


def test_a_message_without_a_time_has_no_clauses_to_bind_one_to() -> None:
    at = Moment(now=NOW)

    assert read_message("Add milk, and call Ann", at) == NOTHING_SAID
    assert read_message("Add milk on Friday, and call Ann", at).clauses


def test_a_long_row_of_what_is_left_out_does_not_grow_with_each() -> None:
    found = said("Tomorrow. No, the week after. " * 40)

    assert max(len(each.readings) for each in found) <= 32
