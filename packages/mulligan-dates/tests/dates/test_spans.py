from __future__ import annotations

from datetime import datetime

import pytest

from mulligan_dates.reader import find_meaning
from mulligan_dates.readings import Grain
from tests.dates.said import AMERICAN, NOW, moment


def stretches(phrase: str, now: datetime = NOW) -> list[str]:
    found = find_meaning(phrase, moment(now), pins=AMERICAN)
    spans = [each for each in found.readings if each.grain is Grain.SPAN]
    return [f"{each.start:%m-%d %H:%M}/{each.end:%m-%d %H:%M}" for each in spans]


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
