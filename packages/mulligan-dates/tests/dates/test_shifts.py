"""Days and moments that are counted from another."""

from __future__ import annotations

import pytest

from tests.dates.said import days, moments


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("day after tomorrow", ["2025-10-24"]),
        ("overmorrow", ["2025-10-24"]),
        ("tomorow", ["2025-10-23"]),
        ("tomorrw", ["2025-10-23"]),
        ("tmw", ["2025-10-23"]),
        ("yday", ["2025-10-21"]),
        ("one day ago", ["2025-10-21"]),
        ("in 2 days time", ["2025-10-24"]),
        ("2 days out", ["2025-10-24"]),
        ("2 days away", ["2025-10-24"]),
        ("3 days from now", ["2025-10-25"]),
        ("ten days ago today", ["2025-10-12"]),
        ("in twenty-one days", ["2025-11-12"]),
        ("in a hundred days", ["2026-01-30"]),
        ("a hundred days ago", ["2025-07-14"]),
        ("in 100 days", ["2026-01-30"]),
        ("today plus 3 days", ["2025-10-25"]),
        ("today + 3 days", ["2025-10-25"]),
        ("tomorrow + 1 week", ["2025-10-30"]),
        ("a week today", ["2025-10-29"]),
        ("a week tomorrow", ["2025-10-30"]),
        ("a year ago today", ["2024-10-22"]),
        ("two weeks today", ["2025-11-05"]),
        ("two weeks tomorrow", ["2025-11-06"]),
        ("in a week's time", ["2025-10-29"]),
        ("fortnight ago", ["2025-10-08"]),
        ("a fortnight today", ["2025-11-05"]),
        ("a fortnight tomorrow", ["2025-11-06"]),
        ("two fortnights ago", ["2025-09-24"]),
        ("a month from tomorrow", ["2025-11-23"]),
        ("in half a year", ["2026-04-22"]),
        ("a decade ago", ["2015-10-22"]),
        ("a century ago", ["1925-10-22"]),
        ("a quarter ago", ["2025-07-22"]),
        ("2 mos ago", ["2025-08-22"]),
        ("in 3 mths", ["2026-01-22"]),
        ("in 3 mos", ["2026-01-22"]),
        ("1 yr ago", ["2024-10-22"]),
        ("week ago", ["2025-10-15"]),
        ("month ago", ["2025-09-22"]),
        ("a week and a day from now", ["2025-10-30"]),
    ],
)
def test_days_are_counted_from_now_in_many_words(phrase: str, expected: list[str]) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("now + 2 hours", ["2025-10-22 12:15:00"]),
        ("this time next week", ["2025-10-29 10:15:00"]),
        ("this time tomorrow", ["2025-10-23 10:15:00"]),
        ("this time yesterday", ["2025-10-21 10:15:00"]),
        ("this time next month", ["2025-11-22 10:15:00"]),
        ("this time last year", ["2024-10-22 10:15:00"]),
    ],
)
def test_this_time_is_what_the_clock_shows_now(phrase: str, expected: list[str]) -> None:
    assert moments(phrase) == expected


@pytest.mark.parametrize(
    "phrase",
    [
        "this time",
        "same time tomorrow",
        "the week after Christmas",
        "two and a half weeks ago",
        "20 next month",
        "in a 2d",
        ".5 hours ago",
        "5 business days from now",
        "not tomorrow",
        "weeks ago",
    ],
)
def test_what_is_counted_from_elsewhere_or_not_in_full_is_unknown(phrase: str) -> None:
    assert days(phrase) == []
