"""Weekdays, ordinals and dates with the name of a month."""

from __future__ import annotations

from datetime import datetime

import pytest

from mulligan_dates.reader import find_expressions
from tests.dates.said import AMERICAN, days, moment


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("FRIDAY", ["2025-10-17", "2025-10-24"]),
        ("firday", ["2025-10-17", "2025-10-24"]),
        ("Friday coming", ["2025-10-24"]),
        ("the upcoming Friday", ["2025-10-24"]),
        ("nxt friday", ["2025-10-24", "2025-10-31"]),
        ("Friday past", ["2025-10-17"]),
        ("Friday last", ["2025-10-17"]),
        ("Friday this week", ["2025-10-24"]),
        ("next week's Friday", ["2025-10-31"]),
        ("Friday next", ["2025-10-24", "2025-10-31"]),
        ("a week Friday", ["2025-10-31"]),
        ("a week from next Friday", ["2025-10-31", "2025-11-07"]),
        ("two weeks Friday", ["2025-11-07"]),
        ("two weeks from next Monday", ["2025-11-10"]),
        ("Friday before last", ["2025-10-10"]),
        ("the Friday before last", ["2025-10-10"]),
        ("the Monday before last", ["2025-10-06", "2025-10-13"]),
        ("the second Friday from now", ["2025-10-31"]),
        ("three Mondays ago", ["2025-10-06"]),
        ("in two Fridays", ["2025-10-31"]),
        ("the Friday before Christmas", ["2024-12-20", "2025-12-19"]),
        ("the day after Friday", ["2025-10-18", "2025-10-25"]),
        ("the day after next Monday", ["2025-10-28"]),
        ("the day before Christmas", ["2024-12-24", "2025-12-24"]),
        ("one week after Nov 5 2025", ["2025-11-12"]),
        ("Friday 24", ["2025-10-24"]),
        ("Friday the thirteenth", ["2025-06-13", "2026-02-13"]),
        ("Fri, 24 Oct", ["2025-10-24"]),
        ("Friday the twenty-fourth of October", ["2025-10-24"]),
        ("Friday, 24.10.", ["2025-10-24"]),
    ],
)
def test_which_weekday_is_meant_can_stand_before_and_behind_it(
    phrase: str, expected: list[str]
) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("second Tuesday of next month", ["2025-11-11"]),
        ("the last Friday of October 2025", ["2025-10-31"]),
        ("the 1st of the month", ["2025-10-01"]),
        ("next month on the 15th", ["2025-11-15"]),
        ("last day of next month", ["2025-11-30"]),
        ("first day of November", ["2024-11-01", "2025-11-01"]),
        ("first day of 2026", ["2026-01-01"]),
        ("the last day of 2025", ["2025-12-31"]),
        ("the second day of next month", ["2025-11-02"]),
        ("the penultimate day of the month", ["2025-10-30"]),
        ("second to last day of the month", ["2025-10-30"]),
        ("100th day of the year", ["2025-04-10"]),
        ("the 31st", ["2025-08-31", "2025-10-31"]),
    ],
)
def test_ordinals_count_from_both_ends(phrase: str, expected: list[str]) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("December the 5th", ["2024-12-05", "2025-12-05"]),
        ("5. Dec", ["2024-12-05", "2025-12-05"]),
        ("fifth of December", ["2024-12-05", "2025-12-05"]),
        ("5dec2025", ["2025-12-05"]),
        ("05DEC25", ["2025-12-05"]),
        ("Dec 5 2025", ["2025-12-05"]),
        ("5 Dec '25", ["2025-12-05"]),
        ("Dec-05-2025", ["2025-12-05"]),
        ("2025 Dec 5", ["2025-12-05"]),
        ("2025, December 5", ["2025-12-05"]),
        ("5 December, 2025", ["2025-12-05"]),
        ("December 5 this year", ["2025-12-05"]),
        ("next year on December 5", ["2026-12-05"]),
        ("last December 5th", ["2024-12-05"]),
        ("this December 5", ["2025-12-05"]),
        ("Decmber 5", ["2024-12-05", "2025-12-05"]),
        ("Sep 5th", ["2025-09-05", "2026-09-05"]),
        ("Febuary 5", ["2025-02-05", "2026-02-05"]),
        ("March 5", ["2025-03-05", "2026-03-05"]),
    ],
)
def test_a_month_is_written_in_many_ways(phrase: str, expected: list[str]) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "now", "expected"),
    [
        ("a week on Friday", "2025-10-22", ["2025-10-31"]),
        ("a week on Friday", "2025-10-24", ["2025-10-31", "2025-11-07"]),
        ("Friday week", "2025-10-24", ["2025-10-31", "2025-11-07"]),
        ("two weeks on Friday", "2025-10-23", ["2025-11-07"]),
    ],
)
def test_weeks_are_counted_from_the_coming_one_or_from_today(
    phrase: str, now: str, expected: list[str]
) -> None:
    assert days(phrase, datetime.fromisoformat(now)) == expected


@pytest.mark.parametrize("phrase", ["Friday last call", "Friday past the bridge", "MEETING FRIDAY"])
def test_words_behind_and_before_a_weekday_are_not_always_about_it(phrase: str) -> None:
    (found,) = find_expressions(f"Hello, {phrase}", moment(), pins=AMERICAN)

    assert [str(each.start.date()) for each in found.readings] == ["2025-10-17", "2025-10-24"]


@pytest.mark.parametrize("phrase", ["every first of the month", "each 15th", "every 2nd Friday"])
def test_what_recurs_on_a_number_of_a_day_is_no_one_day(phrase: str) -> None:
    assert days(phrase) == []
