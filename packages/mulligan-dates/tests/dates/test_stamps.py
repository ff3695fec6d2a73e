"""Time stamps as machines write them, and zones that are told in figures."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from mulligan_dates.reader import find_expressions, find_meaning
from mulligan_dates.readings import Moment
from tests.dates.said import moments

BERLIN = Moment(now=datetime(2025, 10, 22, 10, 15), zone=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    "stamp",
    [
        "2025-12-05T10:00",
        "2025-12-05T10:00:00",
        "2025-12-05T10:00:00.000",
        "2025-12-05 10:00",
        "2025/12/05 10:00",
        "20251205T1000",
        "20251205T100000",
    ],
)
def test_a_stamp_is_told_on_a_clock_of_24_hours(stamp: str) -> None:
    assert moments(stamp) == ["2025-12-05 10:00:00"]


@pytest.mark.parametrize("stamp", ["2025-12-05 25:00", "2025-12-05T10:75", "2025-13-05T10:00"])
def test_a_stamp_that_no_clock_shows_is_unknown(stamp: str) -> None:
    assert moments(stamp) == []


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("2025-12-05T10:00Z", "2025-12-05 11:00:00"),
        ("2025-12-05T10:00:00+02:00", "2025-12-05 09:00:00"),
        ("2025-12-05T10:00:00-0530", "2025-12-05 16:30:00"),
        ("2025-12-05 at 10am GMT+2", "2025-12-05 09:00:00"),
        ("Fri, 5 Dec 2025 10:00:00 +0200", "2025-12-05 09:00:00"),
        ("Fri, 5 Dec 2025 10:00:00 -0530", "2025-12-05 16:30:00"),
        ("Fri, 5 Dec 2025 10:00:00 GMT", "2025-12-05 11:00:00"),
        ("2025-12-05 at 10am UTC-5", "2025-12-05 16:00:00"),
        ("2025-12-05 at 10am UTC+05:30", "2025-12-05 05:30:00"),
    ],
)
def test_a_zone_in_figures_is_put_on_the_persons_clock(stamp: str, expected: str) -> None:
    assert [str(each.start) for each in find_meaning(stamp, BERLIN).readings] == [expected]


def test_a_zone_that_is_told_twice_is_unknown() -> None:
    assert find_meaning("2025-12-05 at 10am EST-5", BERLIN).readings == ()


def test_four_figures_right_behind_seconds_are_no_zone() -> None:
    assert find_meaning("tomorrow 10:00:00-1100", BERLIN).readings == ()


def test_hours_behind_a_day_are_a_range_and_no_zone() -> None:
    (found,) = find_expressions("Book 2025-12-05 10:00-12:00 please", BERLIN)

    assert [(str(each.start), str(each.end)) for each in found.readings] == [
        ("2025-12-05 10:00:00", "2025-12-05 12:00:00")
    ]
