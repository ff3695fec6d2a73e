"""Hours are elapsed time and days are of the calendar, also where the clocks change."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from mulligan_dates import resolve
from mulligan_dates.reader import calculate_datetime
from tests.dates.said import BERLIN, found_in, resolved

NEW_YORK = ZoneInfo("America/New_York")
BACK = datetime(2026, 10, 24, 12, tzinfo=BERLIN)
FORTH = datetime(2026, 3, 28, 12, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("phrase", "at", "expected"),
    [
        ("in 18 hours", BACK, "2026-10-25 05:00"),
        ("in 15 hours", FORTH, "2026-03-29 04:00"),
        ("18 hours ago", datetime(2026, 10, 25, 12, tzinfo=BERLIN), "2026-10-24 19:00"),
        ("in 18 hours", datetime(2026, 10, 31, 12, tzinfo=NEW_YORK), "2026-11-01 05:00"),
        ("in 900 minutes", FORTH, "2026-03-29 04:00"),
        ("in a day and 3 hours", BACK, "2026-10-25 15:00"),
        ("3 hours after 1am tomorrow", BACK, "2026-10-25 03:00"),
        ("tomorrow at 1am for 3 hours", BACK, "2026-10-25 01:00/2026-10-25 03:00"),
        ("the next 18 hours", BACK, "2026-10-24 12:00/2026-10-25 05:00"),
        ("within 18 hours", BACK, "2026-10-24 12:00/2026-10-25 05:00"),
    ],
)
def test_hours_and_minutes_are_elapsed_time(phrase: str, at: datetime, expected: str) -> None:
    assert expected in resolved(phrase, at)


def test_days_are_days_of_the_calendar() -> None:
    assert resolved("in 1 day", BACK) == ["2026-10-25", "2026-10-25 12:00"]


@pytest.mark.parametrize(
    ("phrase", "at", "shown", "fold"),
    [
        ("in an hour", datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "02:30", 1),
        ("an hour ago", datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "02:30", 0),
        ("an hour ago", datetime(2026, 10, 25, 2, 30, tzinfo=UTC), "02:30", 1),
    ],
)
def test_of_two_equal_times_on_the_clock_the_right_one_is_meant(
    phrase: str, at: datetime, shown: str, fold: int
) -> None:
    (found,) = resolve(phrase, at=at, timezone="Europe/Berlin")

    assert (f"{found.start:%H:%M}", found.start.fold) == (shown, fold)


def test_the_second_of_two_equal_times_is_one_instant() -> None:
    at = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)

    (found,) = calculate_datetime("in an hour", at, timezone="Europe/Berlin")["readings"]

    assert found["start"] == "2026-10-25T02:30:00+01:00"


def test_a_span_that_the_clock_shows_backwards_has_only_its_end() -> None:
    at = datetime(2026, 10, 25, 0, 45, tzinfo=UTC)

    found = resolve("within 30 minutes", at=at, timezone="Europe/Berlin")

    assert [(f"{each.start:%H:%M}", each.start.fold) for each in found] == [("02:15", 1)]


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("3pm Pacific time", "2026-10-28 23:00"),
        ("10am ET on November 3, 2026", "2026-11-03 16:00"),
        ("10am Eastern time on July 3, 2027", "2027-07-03 16:00"),
        ("10am MEZ on July 3, 2027", "2027-07-03 11:00"),
    ],
)
def test_a_zone_that_is_named_by_its_region_has_summer_time(phrase: str, expected: str) -> None:
    assert resolved(phrase) == [expected]


def test_small_letters_that_are_words_too_are_no_zone() -> None:
    assert found_in("Meet me at 3pm pt two, please") == {"3pm": ["2026-10-28 15:00"]}
