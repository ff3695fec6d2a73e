"""What phrases can mean. Now is Wednesday 2025-10-22, 10:15, unless a test says otherwise."""

from __future__ import annotations

from datetime import datetime

import pytest

from mulligan.checks.dates.conventions import Convention, choose_pins
from mulligan.checks.dates.reading import Expression, Grain
from mulligan.checks.dates.resolve import find_expressions, find_meaning
from tests.checks.dates.said import AMERICAN, NOW, days, moment, moments


def stretches(phrase: str, now: datetime = NOW) -> list[str]:
    found = find_meaning(phrase, moment(now), pins=AMERICAN)
    spans = [each for each in found.readings if each.grain is Grain.SPAN]
    return [f"{each.start:%m-%d %H:%M}/{each.end:%m-%d %H:%M}" for each in spans]


def said(message: str, now: datetime = NOW) -> list[Expression]:
    return find_expressions(message, moment(now), pins=AMERICAN)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("today", ["2025-10-22"]),
        ("tomorrow", ["2025-10-23"]),
        ("the day after tomorrow", ["2025-10-24"]),
        ("two days before yesterday", ["2025-10-19"]),
        ("a week from tomorrow", ["2025-10-30"]),
        ("a week from Friday", ["2025-10-24", "2025-10-31"]),
        ("in a fortnight", ["2025-11-05"]),
        ("in two weeks' time", ["2025-11-05"]),
        ("three weeks ago", ["2025-10-01"]),
        ("four Mondays from now", ["2025-11-17"]),
        ("a month from now", ["2025-11-22"]),
        ("in one year and 2 months", ["2026-12-22"]),
        ("a year after March 1, 2024", ["2025-03-01"]),
    ],
)
def test_days_are_counted_from_now_or_from_what_is_named(phrase: str, expected: list[str]) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Friday", ["2025-10-17", "2025-10-24"]),
        ("Wednesday", ["2025-10-22", "2025-10-29"]),
        ("this Friday", ["2025-10-24"]),
        ("this Monday", ["2025-10-20", "2025-10-27"]),
        ("next Friday", ["2025-10-24", "2025-10-31"]),
        ("next Monday", ["2025-10-27"]),
        ("this coming Friday", ["2025-10-24"]),
        ("last Friday", ["2025-10-17"]),
        ("last Monday", ["2025-10-13", "2025-10-20"]),
        ("Friday next week", ["2025-10-31"]),
        ("next week on Friday", ["2025-10-31"]),
        ("Sunday next week", ["2025-10-26", "2025-11-02"]),
        ("Friday week", ["2025-10-31"]),
        ("Friday after next", ["2025-10-31", "2025-11-07"]),
    ],
)
def test_a_weekday_means_every_day_that_people_take_it_for(
    phrase: str, expected: list[str]
) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("the first Monday of December", ["2024-12-02", "2025-12-01"]),
        ("last Friday of the month", ["2025-10-31"]),
        ("second Tuesday of next month", ["2025-11-11"]),
        ("the last day of February 2028", ["2028-02-29"]),
        ("the third Thursday", ["2025-10-16", "2025-11-20"]),
        ("the fifth Monday of November 2025", []),
        ("20th of next month", ["2025-11-20"]),
        ("Tuesday the 28th", ["2025-10-28"]),
        ("the 3rd", ["2025-10-03", "2025-11-03"]),
        ("the thirty first of December", ["2024-12-31", "2025-12-31"]),
    ],
)
def test_ordinals_count_within_the_stretch_that_is_named(phrase: str, expected: list[str]) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("2025-11-03", ["2025-11-03"]),
        ("3 November 2025", ["2025-11-03"]),
        ("November 3rd, 2025", ["2025-11-03"]),
        ("Nov. 3", ["2024-11-03", "2025-11-03"]),
        ("11/3/2025", ["2025-11-03"]),
        ("25/3/2025", ["2025-03-25"]),
        ("3-Nov-25", ["2025-11-03"]),
        ("2025-nov-3", ["2025-11-03"]),
        ("November third two thousand and twenty five", ["2025-11-03"]),
        ("June second nineteen ninety eight", ["1998-06-02"]),
        ("Feb 29", ["2024-02-29", "2028-02-29"]),
        ("Feb 30", []),
        ("Monday, November 3", ["2025-11-03"]),
        ("Friday, November 3 2025", []),
        ("tomorrow, October 23", ["2025-10-23"]),
        ("tomorrow, October 24", []),
    ],
)
def test_written_dates_are_read_and_contradictions_are_not(
    phrase: str, expected: list[str]
) -> None:
    assert days(phrase) == expected


def test_figures_are_read_in_the_order_of_the_country_and_in_both_if_it_is_not_known() -> None:
    assert days("3/4/2026", pins=choose_pins("en-US")) == ["2026-03-04"]
    assert days("3/4/2026", pins=choose_pins("en-GB")) == ["2026-04-03"]
    assert days("3/4/2026", pins=frozenset()) == ["2026-03-04", "2026-04-03"]


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("half past six tonight", ["2025-10-22 18:30:00"]),
        ("noon", ["2025-10-22 12:00:00"]),
        ("tomorrow at midnight", ["2025-10-23 00:00:00", "2025-10-24 00:00:00"]),
        ("quarter to 9", ["2025-10-22 20:45:00", "2025-10-23 08:45:00"]),
        ("ten past 4 tomorrow afternoon", ["2025-10-23 16:10:00"]),
        ("tomorrow 5pm", ["2025-10-23 17:00:00"]),
        ("at 7 tomorrow", ["2025-10-23 07:00:00", "2025-10-23 19:00:00"]),
        ("tomorrow at 07:30", ["2025-10-23 07:30:00"]),
        ("tomorrow at 15h30", ["2025-10-23 15:30:00"]),
        ("tomorrow at 8.30pm", ["2025-10-23 20:30:00"]),
        ("8am", ["2025-10-22 08:00:00", "2025-10-23 08:00:00"]),
        ("six thirty p.m.", ["2025-10-22 18:30:00"]),
        ("3 in the morning tomorrow", ["2025-10-23 03:00:00"]),
        ("tomorrow evening at 12", ["2025-10-24 00:00:00"]),
        ("tonight at 3", []),
        ("in half an hour", ["2025-10-22 10:45:00"]),
        ("in an hour and a half", ["2025-10-22 11:45:00"]),
        ("2 hours 5 min ago", ["2025-10-22 08:10:00"]),
        ("end of the day", ["2025-10-22 23:59:59"]),
    ],
)
def test_times_hold_both_halves_of_the_day_where_nothing_settles_it(
    phrase: str, expected: list[str]
) -> None:
    assert moments(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("3-5pm tomorrow", ["10-23 15:00/10-23 17:00"]),
        ("tomorrow from 10 to 2pm", ["10-23 10:00/10-23 14:00"]),
        ("between 9:30am and 11am on Friday, October 24", ["10-24 09:30/10-24 11:00"]),
        ("Nov 3 to 5, 2025", ["11-03 00:00/11-06 00:00"]),
        ("from the 3rd to the 5th of November 2025", ["11-03 00:00/11-06 00:00"]),
        ("tomorrow for 3 days", ["10-23 00:00/10-26 00:00"]),
        ("tomorrow at 3pm for 2 hours", ["10-23 15:00/10-23 17:00"]),
        ("next month", ["11-01 00:00/12-01 00:00"]),
        ("November 2025", ["11-01 00:00/12-01 00:00"]),
        ("Q4 2025", ["10-01 00:00/01-01 00:00"]),
        ("this week", ["10-20 00:00/10-27 00:00", "10-19 00:00/10-26 00:00"]),
        ("this weekend", ["10-25 00:00/10-27 00:00", "10-24 18:00/10-27 00:00"]),
        ("by the end of the month", ["10-22 10:15/11-01 00:00"]),
        ("the end of the month", []),
    ],
)
def test_stretches_of_time_have_a_start_and_an_end(phrase: str, expected: list[str]) -> None:
    assert stretches(phrase) == expected


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


def test_a_vague_amount_is_marked_as_a_guess() -> None:
    (found,) = said("Call me in a few days")

    assert found.vague
    assert not found.known


def test_a_time_without_a_day_says_no_day() -> None:
    time, day = said("At 7pm, and the other one tomorrow")

    assert not time.dated
    assert day.dated


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


def test_a_long_row_of_what_is_left_out_does_not_grow_with_each() -> None:
    found = said("Tomorrow. No, the week after. " * 40)

    assert max(len(each.readings) for each in found) <= 32
