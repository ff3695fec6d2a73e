"""What a message says about time. It is Wednesday 2025-10-22, 10:15."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from mulligan_dates.reader import NOTHING_SAID, find_expressions, find_meaning, read_message
from mulligan_dates.readings import (
    NO_PINS,
    Convention,
    Expression,
    Moment,
    Reading,
    choose_pins,
    describe_reading,
    describe_readings,
    is_allowed,
    make_day,
    make_instant,
    make_span,
)
from tests.dates.said import AMERICAN, NOW, days, moment

FRIDAY = date(2025, 10, 24)
WEEK = make_span(date(2025, 10, 20), date(2025, 10, 27))


def said(message: str, now: datetime = NOW) -> list[Expression]:
    return find_expressions(message, moment(now), pins=AMERICAN)


def list_days(found: Expression) -> list[str]:
    return [str(each.start.date()) for each in found.readings]


def test_a_reading_names_the_conventions_it_rests_on_and_a_pin_settles_them() -> None:
    both = find_meaning("next Friday", moment()).readings
    pinned = find_meaning("next Friday", moment(), pins=frozenset({Convention.NEXT_WEEK}))
    (agreed,) = find_meaning("next Monday", moment()).readings

    assert {str(each.start.date()): set(each.rests_on) for each in both} == {
        "2025-10-24": {Convention.NEXT_SOONEST},
        "2025-10-31": {Convention.NEXT_WEEK},
    }
    assert list_days(pinned) == ["2025-10-31"]
    assert agreed.rests_on == frozenset()


@pytest.mark.parametrize(
    ("locale", "pinned", "read"),
    [
        ("en-US", {Convention.ORDER_MONTH}, ["2026-03-04"]),
        ("en_CA", {Convention.ORDER_MONTH}, ["2026-03-04"]),
        ("en-GB", {Convention.ORDER_DAY}, ["2026-04-03"]),
        ("de-AT", {Convention.ORDER_DAY}, ["2026-04-03"]),
        ("de", {Convention.ORDER_DAY}, ["2026-04-03"]),
        ("en-gb", {Convention.ORDER_DAY}, ["2026-04-03"]),
        ("en", set(), ["2026-03-04", "2026-04-03"]),
        ("zh-Hant", set(), ["2026-03-04", "2026-04-03"]),
        ("", set(), ["2026-03-04", "2026-04-03"]),
    ],
)
def test_a_locale_settles_the_order_of_figures_if_it_names_a_country(
    locale: str, pinned: set[Convention], read: list[str]
) -> None:
    pins = choose_pins(locale)

    assert pins == pinned
    assert days("3/4/2026", pins=pins) == read


def test_what_rests_on_the_other_side_of_a_pin_is_not_allowed() -> None:
    pins = frozenset({Convention.ORDER_DAY})

    assert is_allowed([Convention.ORDER_DAY, Convention.CLOCK_PM], pins)
    assert not is_allowed([Convention.ORDER_MONTH, Convention.CLOCK_PM], pins)
    assert is_allowed([Convention.ORDER_MONTH], NO_PINS)


def test_figures_that_make_a_date_in_one_order_only_rest_on_no_convention() -> None:
    either = find_meaning("3/4/2026", moment()).readings
    only = find_meaning("25/4/2026", moment()).readings

    assert {each.start.month: set(each.rests_on) for each in either} == {
        3: {Convention.ORDER_MONTH},
        4: {Convention.ORDER_DAY},
    }
    assert [set(each.rests_on) for each in only] == [set()]


def test_a_message_that_says_this_and_next_settles_what_next_is() -> None:
    this, following = said("This Friday and next Friday work for me")

    assert (list_days(this), list_days(following)) == (["2025-10-24"], ["2025-10-31"])


def test_expressions_are_found_where_they_stand() -> None:
    message = "Please move tomorrow's dinner to next Friday at 7pm, thanks."

    first, second = said(message)

    assert message[first.start : first.end] == first.text == "tomorrow's"
    assert second.text == "next Friday at 7pm"


def test_a_correction_replaces_what_was_said_before_it() -> None:
    first, later = said("Make it tomorrow. No, the week after.")

    assert (first.superseded, later.superseded) == (True, False)
    assert list_days(later) == ["2025-10-30"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Cancel my meetings on Friday", ["2025-10-24"]),
        ("Forward the mail from Friday", ["2025-10-17", "2025-10-24"]),
        ("I booked it. It was on Friday", ["2025-10-17", "2025-10-24"]),
        ("Hello, Friday last call", ["2025-10-17", "2025-10-24"]),
        ("Hello, Friday past the bridge", ["2025-10-17", "2025-10-24"]),
        ("Hello, MEETING FRIDAY", ["2025-10-17", "2025-10-24"]),
    ],
)
def test_a_weekday_lies_ahead_if_something_is_planned_for_it(
    message: str, expected: list[str]
) -> None:
    (found,) = said(message)

    assert list_days(found) == expected


@pytest.mark.parametrize(
    ("phrase", "now", "expected"),
    [
        ("a week on Friday", "2025-10-22", ["2025-10-31"]),
        ("a week on Friday", "2025-10-24", ["2025-10-31", "2025-11-07"]),
        ("Friday week", "2025-10-24", ["2025-10-31", "2025-11-07"]),
        ("two weeks on Friday", "2025-10-23", ["2025-11-07"]),
        ("in a month", "2025-01-31", ["2025-02-28"]),
        ("in a month", "2024-01-31", ["2024-02-29"]),
        ("in one day", "2025-12-31", ["2026-01-01"]),
        ("Easter 2038", "2025-10-22", ["2038-04-25"]),
        ("tomorrow", "9999-12-31", []),
        ("in 2 days", "9999-12-31", []),
    ],
)
def test_the_answer_depends_on_the_day_it_is_asked_on(
    phrase: str, now: str, expected: list[str]
) -> None:
    assert days(phrase, datetime.fromisoformat(now)) == expected


def test_tomorrow_said_in_the_small_hours_may_be_the_day_that_comes() -> None:
    (found,) = said("Wake me tomorrow at 7am", datetime(2025, 10, 22, 2, 30))

    assert [f"{each.start:%m-%d %H}" for each in found.readings] == ["10-22 07", "10-23 07"]


@pytest.mark.parametrize(
    "message",
    ["Good morning!", "We sat in the sun", "It may rain", "March on!", "Second try", "5 a week",
     "a 5 minute call", "2019 people came", "end it"],
)  # fmt: skip
def test_words_that_only_look_like_time_are_left_alone(message: str) -> None:
    assert said(message) == []


def test_a_message_without_a_time_has_no_clauses_to_bind_one_to() -> None:
    at = Moment(now=NOW)

    assert read_message("Add milk, and call Ann", at) == NOTHING_SAID
    assert read_message("Add milk on Friday, and call Ann", at).clauses


def test_a_long_row_of_what_is_left_out_does_not_grow_with_each() -> None:
    found = said("Tomorrow. No, the week after. " * 40)

    assert max(len(each.readings) for each in found) <= 32


def test_a_vague_amount_is_a_guess_and_a_time_of_day_says_no_day() -> None:
    (vague,) = said("Call me in a few days")
    time, day = said("At 7pm, and the other one tomorrow")

    assert (vague.vague, vague.known) == (True, False)
    assert (time.dated, day.dated) == (False, True)


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


def test_a_condition_does_not_make_a_request_look_back() -> None:
    (ahead,) = said("Put yoga on Friday, unless I already have something")
    (logged,) = said("Log my run on Friday, if I have time")

    assert (ahead.looks_back, logged.looks_back) == (False, True)


@pytest.mark.parametrize(
    ("reading", "last", "told"),
    [
        (make_day(FRIDAY), FRIDAY, "Friday 2025-10-24"),
        (make_instant(datetime(2025, 10, 24, 19, 5)), FRIDAY, "Friday 2025-10-24 19:05"),
        (WEEK, date(2025, 10, 26), "Monday 2025-10-20 to Sunday 2025-10-26"),
        (
            make_span(datetime(2025, 10, 24, 15), datetime(2025, 10, 24, 17, 30)),
            FRIDAY,
            "Friday 2025-10-24 15:00 to 17:30",
        ),
    ],
)
def test_a_reading_is_told_with_its_weekday_and_as_finely_as_it_is(
    reading: Reading, last: date, told: str
) -> None:
    assert reading.last_day == last
    assert describe_reading(reading) == told


def test_the_first_four_readings_are_told_and_the_others_counted() -> None:
    found = [make_day(date(2025, 10, n)) for n in range(20, 26)]

    assert describe_readings(found[:2]) == "Monday 2025-10-20 or Tuesday 2025-10-21"
    assert describe_readings(found).endswith("Thursday 2025-10-23 or 2 more")
    assert describe_readings([]) == "nothing known"


def test_the_end_of_a_month_binds_only_as_a_limit() -> None:
    (end,) = find_expressions("Book it for the end of the month", moment())
    (limit,) = find_expressions("Book it by the end of the month", moment())

    assert end.readings
    assert not end.binding
    assert limit.binding
