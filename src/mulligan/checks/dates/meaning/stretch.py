"""What a range means: from the start of one phrase to the end of another."""

from __future__ import annotations

from dataclasses import replace

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.grammar.stretches import Spoken, Stretch
from mulligan.checks.dates.meaning.arithmetic import DAY
from mulligan.checks.dates.meaning.phrase import TIMED, Parts, resolve_parts, resolve_phrase
from mulligan.checks.dates.moment import Moment, make_span
from mulligan.checks.dates.parts import (
    Clock,
    DayNumber,
    Month,
    MonthDay,
    NumericDate,
    Part,
    Quarter,
    Weekday,
    Year,
)
from mulligan.checks.dates.reading import Grain, Reading
from mulligan.checks.language.senses import Half, Which

_CLOCK = Convention.CLOCK_AM.question
_NEXT = Convention.NEXT_WEEK.question
_TAKES_YEAR = (MonthDay, NumericDate, Month, Quarter)
_WITH_YEAR = (*_TAKES_YEAR, Year)


def resolve_spoken(found: Spoken, at: Moment) -> list[Reading]:
    """Everything a phrase or a range can mean."""
    try:
        return (
            _resolve_stretch(found, at) if isinstance(found, Stretch) else resolve_phrase(found, at)
        )
    except OverflowError:
        # Beyond the first or the last year a calendar holds: nobody means that.
        return []


def _resolve_stretch(found: Stretch, at: Moment) -> list[Reading]:
    first, last = _complete_ends(found.first.parts, found.last.parts)
    if _filter_days(found.first.parts) and _has_clock(last) and not _has_clock(first):
        # The 22nd to the 23rd at 7: whether it begins at 7 too, the words do not say.
        return []
    starts, ends = resolve_parts(first, at), resolve_parts(last, at)
    lent = not _filter_days(found.first.parts) and bool(_filter_days(found.last.parts))
    readings = []
    for start in starts:
        later = [end for end in (*ends, *_resolve_from(start, last, at)) if end.end > start.start]
        if not later and _has_clock(first) and _has_clock(last):
            if lent and not _has_open_half(start, *ends):
                # 10pm to 6am tomorrow: the day is that of the end, or of both.
                early = replace(start, start=start.start - DAY, end=start.end - DAY)
                readings += [each for end in ends for each in _join_readings(early, end)]
            later = [replace(each, start=each.start + DAY, end=each.end + DAY) for each in ends]
            later = [each for each in later if each.end > start.start]
        for end in _choose_ends(later):
            readings += _join_readings(start, end)
    return readings


def _resolve_from(start: Reading, last: Parts, at: Moment) -> list[Reading]:
    """Monday to *Friday*: the one after it; to *next* Friday: also the one of the week after."""
    named = next((part for part in last if isinstance(part, Weekday)), None)
    if named is None or start.start.date() <= at.today:
        return []
    wanted = {None: Convention.SIDE_FUTURE, Which.NEXT: Convention.NEXT_WEEK}.get(named.which)
    ends = resolve_parts(last, replace(at, now=start.start)) if wanted else []
    return [each for each in ends if wanted in each.rests_on]


def _has_open_half(*readings: Reading) -> bool:
    """Whether it is not told if a time is before or after noon."""
    return any(each.question == _CLOCK for reading in readings for each in reading.rests_on)


def _choose_ends(later: list[Reading]) -> list[Reading]:
    """The first end there is; of a *next* that people take for two days, both."""
    if not later:
        return []
    first = min(later, key=lambda each: each.end)
    others = [e for e in later if any(c.question == _NEXT for c in e.rests_on) and e is not first]
    return [first, *others]


def _join_readings(start: Reading, end: Reading) -> list[Reading]:
    """From a start to the end of what it lasts to; to July is also until July."""
    rests_on = start.rests_on | end.rests_on
    if end.grain is not Grain.SPAN or end.start <= start.start:
        return [make_span(start.start, end.end, *rests_on)]
    return [
        make_span(start.start, end.end, *rests_on, Convention.THROUGH_END),
        make_span(start.start, end.start, *rests_on, Convention.THROUGH_START),
    ]


def _has_clock(parts: Parts) -> bool:
    return any(isinstance(part, Clock) for part in parts)


def _complete_ends(first: Parts, last: Parts) -> tuple[Parts, Parts]:
    """Each end with what only the other says: the day, the month, the year, the half of the day."""
    if not _filter_days(first) and isinstance(last[0], TIMED):
        first = (*first, *_filter_days(last), *_borrow_day_part(last, first))
    if not _filter_days(last):
        last = (*last, *_filter_days(first), *_borrow_day_part(first, last))
    first, last = _fill_month(first, last, 1), _fill_month(last, first, -1)
    years = {part.year for part in (*first, *last) if isinstance(part, _WITH_YEAR)} - {None}
    if len(years) == 1:
        (year,) = years
        first, last = _fill_year(first, year), _fill_year(last, year)
    return _fill_half(first, last), last


def _fill_month(parts: Parts, other: Parts, side: int) -> Parts:
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


def _filter_days(parts: Parts) -> Parts:
    return tuple(part for part in parts if not isinstance(part, TIMED))


def _borrow_day_part(giver: Parts, taker: Parts) -> Parts:
    if any(isinstance(part, Part) for part in taker):
        return ()
    return tuple(part for part in giver if isinstance(part, Part))


def _fill_year(parts: Parts, year: int | None) -> Parts:
    """The parts with a year that the other end may have said, or that stood apart."""
    if not any(isinstance(part, _TAKES_YEAR) for part in parts):
        return parts
    return tuple(
        replace(part, year=year) if isinstance(part, _TAKES_YEAR) and part.year is None else part
        for part in parts
        if not isinstance(part, Year)
    )


def _fill_half(first: Parts, last: Parts) -> Parts:
    """3 to 5pm begins at 3pm, 10 to 2pm at 10am."""
    end = next((part for part in last if isinstance(part, Clock)), None)
    if end is None or end.half is None:
        return first
    return tuple(
        replace(part, half=_choose_half(part, end))
        if isinstance(part, Clock) and part.half is None and part.hour <= 12
        else part
        for part in first
    )


def _choose_half(start: Clock, end: Clock) -> Half:
    same = (start.hour % 12, start.minute) < (end.hour % 12, end.minute)
    return Half.PM if (end.half is Half.PM) is same else Half.AM
