from __future__ import annotations

from datetime import date

import pytest

from mulligan_dates.reader import find_meaning
from mulligan_dates.readings import Grain
from tests.dates.said import moment, moments


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


def test_a_part_of_a_day_is_no_exact_time_but_lies_in_it() -> None:
    [evening] = find_meaning("tomorrow evening", moment()).readings

    assert evening.grain is Grain.PART
    assert evening.start.date() == date(2025, 10, 23)
    assert 15 <= evening.start.hour < 24
