"""What a range means: from the start of one phrase to the end of another."""

from __future__ import annotations

from dataclasses import replace

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.grammar.stretches import Spoken, Stretch
from mulligan.checks.dates.meaning.arithmetic import DAY
from mulligan.checks.dates.meaning.phrase import TIMED, Parts, phrase_readings, whole
from mulligan.checks.dates.moment import Moment, span
from mulligan.checks.dates.parts import (
    Clock,
    DayNumber,
    Figures,
    Half,
    Month,
    MonthDay,
    Part,
    Quarter,
    Year,
)
from mulligan.checks.dates.reading import Grain, Reading

_TAKES_YEAR = (MonthDay, Figures, Month, Quarter)
_WITH_YEAR = (*_TAKES_YEAR, Year)


def readings_of(found: Spoken, at: Moment) -> list[Reading]:
    """Everything a phrase or a range can mean."""
    try:
        return _stretch(found, at) if isinstance(found, Stretch) else phrase_readings(found, at)
    except OverflowError:
        # Beyond the first or the last year a calendar holds: nobody means that.
        return []


def _stretch(found: Stretch, at: Moment) -> list[Reading]:
    first, last = _completed(found.first.parts, found.last.parts)
    if _days(found.first.parts) and _clock(last) and not _clock(first):
        # The 22nd to the 23rd at 7: whether it begins at 7 too, the words do not say.
        return []
    starts, ends = whole(first, at), whole(last, at)
    readings = []
    for start in starts:
        later = [end for end in ends if end.end > start.start]
        if not later and _clock(first) and _clock(last):
            later = [replace(each, start=each.start + DAY, end=each.end + DAY) for each in ends]
            later = [each for each in later if each.end > start.start]
        if later:
            readings += _between(start, min(later, key=lambda each: each.end))
    return readings


def _between(start: Reading, end: Reading) -> list[Reading]:
    """From a start to the end of what it lasts to; to July is also until July."""
    rests_on = start.rests_on | end.rests_on
    if end.grain is not Grain.SPAN or end.start <= start.start:
        return [span(start.start, end.end, *rests_on)]
    return [
        span(start.start, end.end, *rests_on, Convention.THROUGH_END),
        span(start.start, end.start, *rests_on, Convention.THROUGH_START),
    ]


def _clock(parts: Parts) -> bool:
    return any(isinstance(part, Clock) for part in parts)


def _completed(first: Parts, last: Parts) -> tuple[Parts, Parts]:
    """Each end with what only the other says: the day, the month, the year, the half of the day."""
    if not _days(first) and isinstance(last[0], TIMED):
        first = (*first, *_days(last), *_parts(last, first))
    if not _days(last):
        last = (*last, *_days(first), *_parts(first, last))
    first, last = _in_month(first, last, 1), _in_month(last, first, -1)
    years = {part.year for part in (*first, *last) if isinstance(part, _WITH_YEAR)} - {None}
    if len(years) == 1:
        (year,) = years
        first, last = _in_year(first, year), _in_year(last, year)
    return _with_half(first, last), last


def _in_month(parts: Parts, other: Parts, side: int) -> Parts:
    """From the 13th to the 15th of July: the 13th is of July too."""
    told = next((part for part in other if isinstance(part, MonthDay)), None)
    if told is None:
        return parts
    return tuple(
        MonthDay(told.month, part.day, told.year)
        if isinstance(part, DayNumber) and side * part.day < side * told.day
        else part
        for part in parts
    )


def _days(parts: Parts) -> Parts:
    return tuple(part for part in parts if not isinstance(part, TIMED))


def _parts(giver: Parts, taker: Parts) -> Parts:
    if any(isinstance(part, Part) for part in taker):
        return ()
    return tuple(part for part in giver if isinstance(part, Part))


def _in_year(parts: Parts, year: int | None) -> Parts:
    """The parts with a year that the other end may have said, or that stood apart."""
    if not any(isinstance(part, _TAKES_YEAR) for part in parts):
        return parts
    return tuple(
        replace(part, year=year) if isinstance(part, _TAKES_YEAR) and part.year is None else part
        for part in parts
        if not isinstance(part, Year)
    )


def _with_half(first: Parts, last: Parts) -> Parts:
    """3 to 5pm begins at 3pm, 10 to 2pm at 10am."""
    end = next((part for part in last if isinstance(part, Clock)), None)
    if end is None or end.half is None:
        return first
    return tuple(
        replace(part, half=_half_before(part, end))
        if isinstance(part, Clock) and part.half is None and part.hour <= 12
        else part
        for part in first
    )


def _half_before(start: Clock, end: Clock) -> Half:
    same = (start.hour % 12, start.minute) < (end.hour % 12, end.minute)
    return Half.PM if (end.half is Half.PM) is same else Half.AM
