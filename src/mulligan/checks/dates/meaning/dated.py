"""Which days, moments or stretches the parts of a phrase can mean together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.meaning.agreement import DAY_NAMES, agreed
from mulligan.checks.dates.meaning.arithmetic import add
from mulligan.checks.dates.meaning.feasts import feast_in
from mulligan.checks.dates.meaning.spans import (
    OFFSETS,
    STRETCHES,
    span_readings,
    week_readings,
    weekends,
)
from mulligan.checks.dates.meaning.weekdays import (
    nth_in_each,
    nth_of_month,
    weekday_away,
    weekday_from,
    weekday_near,
)
from mulligan.checks.dates.moment import Moment, instant, span, whole_day
from mulligan.checks.dates.parts import (
    Dated,
    DayNumber,
    Edge,
    Feast,
    Figures,
    Lasting,
    Month,
    MonthDay,
    Now,
    Nth,
    Period,
    Puzzle,
    Quarter,
    Shift,
    Side,
    Unit,
    Weekday,
    WeekdayAway,
    WeekdayFrom,
    WeekOf,
    Which,
    Year,
)
from mulligan.checks.dates.reading import Grain, Reading

_THIS_DAY = Period(Unit.DAY, Which.THIS)


def dated_readings(parts: Sequence[Dated], at: Moment) -> list[Reading]:
    """Every reading on which all the parts agree; none if no rule fits them all."""
    if any(isinstance(part, Puzzle) for part in parts):
        return []
    parts = _day_of_month(_with_year(_without_day(parts), at), at)
    for i, part in enumerate(parts):
        rest = [*parts[:i], *parts[i + 1 :]]
        match part:
            case Shift(anchored=True):
                return _moved(part, rest, at)
            case WeekdayFrom():
                return weekday_from(part, dated_readings(rest, at))
            case Lasting():
                return lasting_from(dated_readings(rest, at), part)
            case Edge():
                return _edge(part.side, dated_readings(rest, at))
            case WeekOf():
                return _weeks(dated_readings(rest, at))
    return _joined(parts, at)


def _moved(shift: Shift, rest: Sequence[Dated], at: Moment) -> list[Reading]:
    """What follows, moved; a weekday that is said besides names the day it is moved to."""
    weekday = next((part for part in rest if isinstance(part, Weekday)), None)
    if weekday is not None and len(rest) > 1:
        others = [part for part in rest if part is not weekday]
        return weekday_near(weekday.day, _moved(shift, others, at))
    moved = (shifted(each, shift) for each in dated_readings(rest, at))
    return [each for each in moved if each is not None]


def shifted(reading: Reading, part: Shift) -> Reading | None:
    """The reading moved by an amount of time.

    A stretch stays unknown: two weeks after March, but from which end of it?
    """
    start = add(reading.start, part.amount, sign=part.sign)
    if start is None or reading.grain is Grain.SPAN:
        return None
    return replace(reading, start=start, end=start + (reading.end - reading.start))


def lasting_from(starts: Iterable[Reading], lasting: Lasting) -> list[Reading]:
    """From each start on, for as long as it lasts."""
    found = []
    for each in starts:
        end = add(each.start, lasting.amount)
        if end is not None and each.grain is not Grain.SPAN:
            found.append(span(each.start, max(end, each.end), *each.rests_on))
    return found


def _joined(parts: Sequence[Dated], at: Moment) -> list[Reading]:
    """Parts of which none works on the others."""
    names = [part for part in parts if isinstance(part, DAY_NAMES)]
    if names and len(names) == len(parts):
        return agreed(names, at)
    stretches = [part for part in parts if isinstance(part, STRETCHES)]
    match [part for part in parts if not isinstance(part, STRETCHES)], stretches:
        case [Now()], []:
            return [instant(at.now)]
        case [Shift() as shift], []:
            return _from_now(shift, at)
        case [Weekday(day=day), Shift() as shift] | [Shift() as shift, Weekday(day=day)], []:
            return weekday_near(day, _from_now(shift, at))
        case [WeekdayAway() as away], []:
            return [weekday_away(away, at)]
        case [Nth() as nth], []:
            return nth_of_month(nth, at)
        case [Nth(number=number, weekday=weekday, weekend=weekend)], [stretch]:
            days = nth_in_each(span_readings(stretch, at), number=number, weekday=weekday)
            return weekends(days) if weekend else days
        case [Weekday(day=day)], [Period(unit=Unit.WEEK) as week]:
            return nth_in_each(span_readings(week, at), number=1, weekday=day)
        case [], [stretch]:
            return span_readings(stretch, at)
        case _:
            return []


def _from_now(part: Shift, at: Moment) -> list[Reading]:
    moved = add(at.now, part.amount, sign=part.sign)
    if moved is None:
        return []
    if part.amount.seconds:
        return [instant(moved)]
    return [
        whole_day(moved.date(), Convention.SHIFT_DAY),
        instant(moved, Convention.SHIFT_MOMENT),
    ]


def _edge(side: Side, readings: Iterable[Reading]) -> list[Reading]:
    """Only the edge of a day is a moment; how long the end of a month lasts, nobody agrees on."""
    days = [each for each in readings if each.grain is Grain.DAY]
    if side is Side.END:
        return [instant(each.end - timedelta(seconds=1), *each.rests_on) for each in days]
    return [instant(each.start, *each.rests_on) for each in days if side is Side.START]


def _weeks(readings: Iterable[Reading]) -> list[Reading]:
    """The weeks that hold the days."""
    return [
        replace(week, rests_on=week.rests_on | each.rests_on)
        for each in readings
        if each.grain is Grain.DAY
        for week in week_readings(each.start.date(), 0)
    ]


def _without_day(parts: Sequence[Dated]) -> Sequence[Dated]:
    """The end of the day on Friday: of that day, and not of this one."""
    named = any(isinstance(part, DAY_NAMES) for part in parts)
    return [part for part in parts if not (named and part == _THIS_DAY)]


def _with_year(parts: Sequence[Dated], at: Moment) -> list[Dated]:
    """A year that is said apart, put to the date it belongs to."""
    found = list(parts)
    said = next((part for part in found if _year_of(part, at) is not None), None)
    year = _year_of(said, at) if said is not None else None
    if said is None or year is None:
        return found
    for i, part in enumerate(found):
        match part:
            case MonthDay(year=None) | Figures(year=None) | Month(year=None) | Quarter(year=None):
                found[i] = replace(part, year=year)
            case Feast(name=name):
                day = feast_in(name, year, country=at.country)
                found[i] = MonthDay(day.month, day.day, day.year) if day else Puzzle()
            case _:
                continue
        found.remove(said)
        break
    return found


def _year_of(part: Dated, at: Moment) -> int | None:
    """The year that a part is, if it is one."""
    match part:
        case Year(year=year):
            return year
        case Period(unit=Unit.YEAR, which=which):
            return at.today.year + OFFSETS[which]
        case _:
            return None


def _day_of_month(parts: list[Dated], at: Moment) -> list[Dated]:
    """A day's number and the month it is of, as one date."""
    number = next((part for part in parts if isinstance(part, DayNumber)), None)
    if number is None:
        return parts
    for part in parts:
        match part:
            case Month(month=month, year=year, which=which):
                date = MonthDay(month, number.day, year, which)
            case Period(unit=Unit.MONTH) if starts := span_readings(part, at):
                date = MonthDay(starts[0].start.month, number.day, starts[0].start.year)
            case _:
                continue
        return [date, *(each for each in parts if each is not number and each is not part)]
    return parts
