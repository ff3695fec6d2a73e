from __future__ import annotations

from datetime import datetime

import pytest

from tests.dates.said import days


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Cyber Monday 2025", ["2025-12-01"]),
        ("Giving Tuesday 2025", ["2025-12-02"]),
        ("Black Friday 2025", ["2025-11-28"]),
        ("Holy Saturday 2026", ["2026-04-04"]),
        ("Trinity Sunday 2026", ["2026-05-31"]),
        ("Epiphany 2026", ["2026-01-06"]),
        ("next April Fools' Day", ["2026-04-01"]),
        ("last Bonfire Night", ["2024-11-05"]),
        ("this Halloween", ["2025-10-31"]),
        ("two Sundays before Christmas 2025", ["2025-12-14"]),
    ],
)
def test_days_with_a_name_are_the_same_wherever_they_are_kept(
    phrase: str, expected: list[str]
) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize("now", [datetime(1, 1, 1), datetime(9999, 12, 31)])
def test_a_holiday_at_the_end_of_the_calendar_does_not_fail(now: datetime) -> None:
    assert len(days("Christmas", now)) <= 2
    assert len(days("Easter", now)) <= 2
