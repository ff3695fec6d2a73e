from __future__ import annotations

import pytest

from mulligan_dates.reader import find_meaning
from tests.dates.said import days, moment


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("today", ["2025-10-22"]),
        ("tomorrow", ["2025-10-23"]),
        ("the day after tomorrow", ["2025-10-24"]),
        ("two days before yesterday", ["2025-10-19"]),
        ("a week from tomorrow", ["2025-10-30"]),
        ("a week from Friday", ["2025-10-24", "2025-10-31"]),
        ("tomorrow in two weeks", ["2025-11-06"]),
        ("today in a month", ["2025-11-22"]),
        ("tomorrow in 3 days", []),
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
    ("phrase", "end"),
    [
        ("tomorrow for 3 days", "2025-10-26 00:00"),
        ("tomorrow at 3pm for 2 hours", "2025-10-23 17:00"),
    ],
)
def test_what_lasts_ends_that_much_later(phrase: str, end: str) -> None:
    assert [f"{each.end:%Y-%m-%d %H:%M}" for each in find_meaning(phrase, moment()).readings] == [
        end
    ]
