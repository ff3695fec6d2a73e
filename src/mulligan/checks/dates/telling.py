"""Readings in words: a date is never told without its weekday."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime

from mulligan.checks.dates.reading import Grain, Reading

_MOST = 4


def rank_readings(readings: Iterable[Reading], *, today: date) -> list[Reading]:
    """What lies ahead first, the nearest of it at the top; then what is over."""
    return sorted(readings, key=lambda each: (each.last_day < today, abs(_count_days(each, today))))


def _count_days(reading: Reading, today: date) -> int:
    return (reading.start.date() - today).days


def describe_readings(readings: Sequence[Reading]) -> str:
    """All readings in one line, the first few of them in full."""
    if not readings:
        return "nothing that is known here"
    shown = " or ".join(describe_reading(each) for each in readings[:_MOST])
    more = len(readings) - _MOST
    return f"{shown} or {more} more" if more > 0 else shown


def describe_reading(reading: Reading) -> str:
    """One reading: `Friday 2025-10-24`, with a time or an end where it has one."""
    first = describe_day(reading.start)
    match reading.grain:
        case Grain.SECOND | Grain.MINUTE:
            return f"{first} {reading.start:%H:%M}"
        case Grain.SPAN if reading.last_day != reading.start.date():
            return f"{first} to {reading.last_day:%A} {reading.last_day}"
        case Grain.SPAN:
            return f"{first} {reading.start:%H:%M} to {reading.end:%H:%M}"
        case _:
            return first


def describe_day(moment: datetime) -> str:
    """A day with its weekday."""
    return f"{moment:%A} {moment.date()}"
