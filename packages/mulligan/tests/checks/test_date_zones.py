"""Every zone there is, around every change of its clocks from 2020 to 2035."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from mulligan.checks.dates import date_facts
from mulligan.types.call import Call
from mulligan.types.turn import Turn
from mulligan_dates.reader import calculate_datetime
from mulligan_dates.readings import find_zone, list_instants

FIRST, LAST = datetime(2020, 1, 1, tzinfo=UTC), datetime(2036, 1, 1, tzinfo=UTC)
STEP = timedelta(days=6)
ZONES = sorted(available_timezones())
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def transitions(zone: ZoneInfo) -> Iterator[datetime]:
    """The instants at which the clocks of a zone change, to the second."""
    low, before = FIRST, FIRST.astimezone(zone).utcoffset()
    while low < LAST:
        high = low + STEP
        after = high.astimezone(zone).utcoffset()
        if before != after:
            yield bisected(low, high, zone)
        low, before = high, after


def bisected(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """The first second at which the clocks show something else than at `low`."""
    before = low.astimezone(zone).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = low + (high - low) // timedelta(seconds=2) * timedelta(seconds=1)
        same = middle.astimezone(zone).utcoffset() == before
        low, high = (middle, high) if same else (low, middle)
    return high


def weekday(day: date) -> str:
    """By counting days from a Monday, and so by another way than the code under test."""
    return WEEKDAYS[(day - date(2001, 1, 1)).days % 7]


@pytest.mark.parametrize("part", range(4))
def test_every_weekday_is_right_on_every_day_the_clocks_change(part: int) -> None:
    seen: set[tuple[str, ...]] = set()
    for name in ZONES[part::4]:
        zone = ZoneInfo(name)
        changes = tuple(transitions(zone))
        pattern = tuple(f"{at}{at.astimezone(zone).utcoffset()}" for at in changes)
        if pattern in seen:
            # Another name for the same clocks.
            continue
        seen.add(pattern)
        for at in changes:
            for now in (at - timedelta(seconds=1), at):
                assert_days_are_right(now, name, zone)


def assert_days_are_right(now: datetime, name: str, zone: ZoneInfo) -> None:
    today = now.astimezone(zone).date()
    turn = Turn(id="t", message="the day after tomorrow", now=now, timezone=name)
    call = Call(id="c", tool="t", arguments={"at": now.isoformat()})

    weekday_fact, phrase_fact = date_facts(turn, [call])
    later = today + timedelta(days=2)

    assert weekday_fact.value == weekday(today)
    assert phrase_fact.value == f"{weekday(later)} {later}"


def test_a_wall_time_in_every_gap_and_fold_names_instants_that_exist() -> None:
    for name in ("America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca"):
        zone = ZoneInfo(name)
        for at in transitions(zone):
            wall = at.astimezone(zone).replace(tzinfo=None)
            for minutes in (-90, -60, -30, -15, 0, 15, 30, 60, 90):
                found = list_instants(wall + timedelta(minutes=minutes), zone)
                assert 1 <= len(found) <= 2
                for instant, _ in found:
                    assert instant.astimezone(UTC).astimezone(zone) == instant


def test_tomorrow_is_one_day_on_even_where_a_whole_day_is_skipped() -> None:
    # Samoa went from the 29th to the 31st of December 2011.
    now = datetime(2011, 12, 30, 9, 0, tzinfo=UTC)

    answer = calculate_datetime("today", now, timezone="Pacific/Apia")

    assert answer["readings"][0]["told"] == "Thursday 2011-12-29"


@pytest.mark.parametrize(
    "name", ["", "Mars/Phobos", "../../etc/passwd", "Europe", "a\0b", "x" * 999]
)
def test_what_is_no_zone_is_none(name: str) -> None:
    assert find_zone(name) is None
