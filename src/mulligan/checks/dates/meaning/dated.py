"""Which days, moments or stretches the parts of a phrase can mean together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.meaning.agreement import DAY_NAMES, resolve_day_names
from mulligan.checks.dates.meaning.arithmetic import add
from mulligan.checks.dates.meaning.feasts import find_feast
from mulligan.checks.dates.meaning.spans import (
    OFFSETS,
    STRETCHES,
    expand_weekends,
    resolve_span,
    resolve_week,
)
from mulligan.checks.dates.meaning.weekdays import (
    find_nth_in_each,
    resolve_nth,
    resolve_weekday_away,
    resolve_weekday_from,
    resolve_weekday_near,
)
from mulligan.checks.dates.moment import Moment, make_day, make_instant, make_span
from mulligan.checks.dates.parts import (
    Dated,
    DayNumber,
    DayShift,
    Edge,
    Feast,
    Lasting,
    Month,
    MonthDay,
    Now,
    Nth,
    NumericDate,
    Period,
    Puzzle,
    Quarter,
    Shift,
    Weekday,
    WeekdayAway,
    WeekdayFrom,
    WeekOf,
    Year,
)
from mulligan.checks.dates.reading import Grain, Reading
from mulligan.checks.language.senses import Side, Unit, Which

_WEEK = 7
_THIS_DAY = Period(Unit.DAY, Which.THIS)


def resolve_dated(parts: Sequence[Dated], at: Moment) -> list[Reading]:
    """Every reading on which all the parts agree; none if no rule fits them all."""
    if any(isinstance(part, Puzzle) for part in parts):
        return []
    if len(parts) > 1:
        parts = _merge_day_number(_merge_year(_drop_day(parts), at), at)
    for i, part in enumerate(parts):
        rest = [*parts[:i], *parts[i + 1 :]]
        match part:
            case Shift(anchored=True):
                return _resolve_moved(part, rest, at)
            case WeekdayFrom():
                return resolve_weekday_from(part, resolve_dated(rest, at))
            case Lasting():
                return extend_readings(resolve_dated(rest, at), part)
            case Edge():
                return _resolve_edge(part.side, resolve_dated(rest, at))
            case WeekOf():
                return _resolve_weeks(resolve_dated(rest, at))
    return _resolve_joined(parts, at)


def _resolve_moved(shift: Shift, rest: Sequence[Dated], at: Moment) -> list[Reading]:
    """What follows, moved; a weekday that is said besides names the day it is moved to."""
    weekday = next((part for part in rest if isinstance(part, Weekday)), None)
    if weekday is not None and len(rest) > 1:
        others = [part for part in rest if part is not weekday]
        return resolve_weekday_near(weekday.day, _resolve_moved(shift, others, at))
    moved = (shift_reading(each, shift) for each in resolve_dated(rest, at))
    return [each for each in moved if each is not None]


def shift_reading(reading: Reading, part: Shift) -> Reading | None:
    """The reading moved by an amount of time.

    A stretch stays unknown: two weeks after March, but from which end of it?
    """
    start = add(reading.start, part.amount, sign=part.sign)
    if start is None or reading.grain is Grain.SPAN:
        return None
    if part.amount.seconds and reading.grain is Grain.DAY:
        # Five hours before tomorrow: before it begins.
        return make_instant(start, *reading.rests_on)
    return replace(reading, start=start, end=start + (reading.end - reading.start))


def extend_readings(starts: Iterable[Reading], lasting: Lasting) -> list[Reading]:
    """From each start on, for as long as it lasts."""
    found = []
    for each in starts:
        end = add(each.start, lasting.amount)
        if end is not None and each.grain is not Grain.SPAN:
            found.append(make_span(each.start, max(end, each.end), *each.rests_on))
    return found


def _resolve_joined(parts: Sequence[Dated], at: Moment) -> list[Reading]:
    """Parts of which none works on the others."""
    names = [part for part in parts if isinstance(part, DAY_NAMES)]
    if names and len(names) == len(parts):
        return resolve_day_names(names, at)
    stretches = [part for part in parts if isinstance(part, STRETCHES)]
    others = [part for part in parts if not isinstance(part, STRETCHES)]
    match others, stretches:
        case _, []:
            return _resolve_apart(others, at)
        case [Nth(number=number, weekday=weekday, weekend=weekend)], [stretch]:
            days = find_nth_in_each(resolve_span(stretch, at), number=number, weekday=weekday)
            return expand_weekends(days) if weekend else days
        case [Weekday(day=day)], [Period(unit=Unit.WEEK) as week]:
            return find_nth_in_each(resolve_span(week, at), number=1, weekday=day)
        case [], [stretch]:
            return resolve_span(stretch, at)
        case _:
            return []


def _resolve_apart(parts: Sequence[Dated], at: Moment) -> list[Reading]:
    """Parts beside which no stretch of time is named."""
    match parts:
        case [Now()]:
            return [make_instant(at.now)]
        case [Shift() as shift]:
            return _resolve_from_now(shift, at)
        case [Weekday(day=day), Shift() as shift] | [Shift() as shift, Weekday(day=day)]:
            return resolve_weekday_near(day, _resolve_from_now(shift, at))
        case [DayShift() as day, Shift() as shift]:
            return _resolve_day_ahead(day, shift, at)
        case [WeekdayAway() as away]:
            return [resolve_weekday_away(away, at)]
        case [Nth() as nth]:
            return resolve_nth(nth, at)
        case _:
            return []


def _resolve_day_ahead(day: DayShift, shift: Shift, at: Moment) -> list[Reading]:
    """Tomorrow in two weeks; three days or two hours would be counted from now."""
    amount = shift.amount
    whole = not amount.seconds and (amount.months > 0 or amount.days % _WEEK == 0)
    moved = shift_reading(make_day(at.today + timedelta(days=day.days)), shift)
    return [moved] if moved and whole and shift.sign > 0 else []


def _resolve_from_now(part: Shift, at: Moment) -> list[Reading]:
    moved = add(at.now, part.amount, sign=part.sign)
    if moved is None:
        return []
    if part.amount.seconds:
        return [make_instant(moved)]
    return [
        make_day(moved.date(), Convention.SHIFT_DAY),
        make_instant(moved, Convention.SHIFT_MOMENT),
    ]


def _resolve_edge(side: Side, readings: Iterable[Reading]) -> list[Reading]:
    """Only the edge of a day is a moment; how long the end of a month lasts, nobody agrees on."""
    days = [each for each in readings if each.grain is Grain.DAY]
    if side is Side.END:
        return [make_instant(each.end - timedelta(seconds=1), *each.rests_on) for each in days]
    return [make_instant(each.start, *each.rests_on) for each in days if side is Side.START]


def _resolve_weeks(readings: Iterable[Reading]) -> list[Reading]:
    """The weeks that hold the days."""
    return [
        replace(week, rests_on=week.rests_on | each.rests_on)
        for each in readings
        if each.grain is Grain.DAY
        for week in resolve_week(each.start.date(), 0)
    ]


def _drop_day(parts: Sequence[Dated]) -> Sequence[Dated]:
    """The end of the day on Friday: of that day, and not of this one."""
    named = any(isinstance(part, DAY_NAMES) for part in parts)
    return [part for part in parts if not (named and part == _THIS_DAY)]


def _merge_year(parts: Sequence[Dated], at: Moment) -> list[Dated]:
    """A year that is said apart, put to the date it belongs to."""
    found = list(parts)
    said = next((part for part in found if _read_year(part, at) is not None), None)
    year = _read_year(said, at) if said is not None else None
    if said is None or year is None:
        return found
    for i, part in enumerate(found):
        match part:
            case (
                MonthDay(year=None) | NumericDate(year=None) | Month(year=None) | Quarter(year=None)
            ):
                found[i] = replace(part, year=year)
            case Feast(name=name):
                day = find_feast(name, year, country=at.country)
                found[i] = MonthDay(day.month, day.day, day.year) if day else Puzzle()
            case _:
                continue
        found.remove(said)
        break
    return found


def _read_year(part: Dated, at: Moment) -> int | None:
    """The year that a part is, if it is one."""
    match part:
        case Year(year=year):
            return year
        case Period(unit=Unit.YEAR, which=which):
            return at.today.year + OFFSETS[which]
        case _:
            return None


def _merge_day_number(parts: list[Dated], at: Moment) -> list[Dated]:
    """A day's number and the month it is of, as one date."""
    number = next((part for part in parts if isinstance(part, DayNumber)), None)
    if number is None:
        return parts
    for part in parts:
        match part:
            case Month(month=month, year=year, which=which):
                date = MonthDay(month, number.day, year, which)
            case Period(unit=Unit.MONTH) if starts := resolve_span(part, at):
                date = MonthDay(starts[0].start.month, number.day, starts[0].start.year)
            case _:
                continue
        return [date, *(each for each in parts if each is not number and each is not part)]
    return parts
