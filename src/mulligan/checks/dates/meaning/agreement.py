"""The days that several parts agree on: Tuesday the 3rd, tomorrow, March 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.meaning.arithmetic import DAY, find_month_span, make_date
from mulligan.checks.dates.meaning.feasts import find_feast
from mulligan.checks.dates.meaning.weekdays import resolve_weekday
from mulligan.checks.dates.moment import Moment, make_day
from mulligan.checks.dates.parts import DayNumber, DayShift, Feast, MonthDay, NumericDate, Weekday
from mulligan.checks.dates.reading import Reading
from mulligan.checks.language.senses import Which

DayName = DayShift | MonthDay | NumericDate | Feast | DayNumber | Weekday
DAY_NAMES = (DayShift, MonthDay, NumericDate, Feast, DayNumber, Weekday)
"""In the order of how much each says."""

Candidate = tuple[date, frozenset[Convention]]
_NOTHING: frozenset[Convention] = frozenset()
_LEAP_DAY = (2, 29)
_SMALL_HOURS = range(1, 4)
"""When many who are still up call the coming day tomorrow."""
_LONG_AGO = timedelta(days=182)
"""Nearer to a date's next return than to its last."""


def resolve_day_names(parts: Sequence[DayName], at: Moment) -> list[Reading]:
    """The days every part admits: the one that is told, or the nearest before and after."""
    first, *others = sorted(parts, key=lambda part: DAY_NAMES.index(type(part)))
    if isinstance(first, Weekday):
        return resolve_weekday(first, at)
    kept = [
        (day, rests_on)
        for day, rests_on in _list_candidates(first, at, wide=bool(others))
        if all(_admits(other, day, at) for other in others)
    ]
    if isinstance(first, DayShift) or getattr(first, "year", None) is not None:
        return [make_day(day, *rests_on) for day, rests_on in kept]
    if isinstance(first, DayNumber) and others:
        # Friday the 26th: if this month has one, it is that.
        now = (at.today.year, at.today.month)
        this_month = [day for day, _ in kept if (day.year, day.month) == now]
        if this_month:
            return [make_day(day) for day in this_month]
    which = getattr(first, "which", None)
    slips = any(isinstance(other, Weekday) for other in others)
    readings: list[Reading] = []
    for rests_on in {rests_on: None for _, rests_on in kept}:
        days = sorted(day for day, why in kept if why == rests_on)
        # Tuesday, May 9, and the last one was a Tuesday but not the next: one of them is a slip.
        if slips and days[-1] < at.today - _LONG_AGO:
            continue
        if which is None:
            readings += _choose_nearest(days, rests_on, at.today)
        else:
            most = 1 if isinstance(first, Feast) else 2
            chosen = _choose_days(days, which, at.today)[:most]
            readings += [make_day(day, *rests_on) for day in chosen]
    return readings


def _choose_nearest(
    days: list[date], rests_on: frozenset[Convention], today: date
) -> list[Reading]:
    """Today or the last one before it, and the first after it."""
    before = [day for day in days if day < today]
    after = [day for day in days if day > today]
    found = []
    if today in days:
        found.append(make_day(today, *rests_on))
    elif before:
        found.append(make_day(before[-1], *rests_on, Convention.SIDE_PAST))
    if after:
        found.append(make_day(after[0], *rests_on, Convention.SIDE_FUTURE))
    return found


def _choose_days(days: list[date], which: Which, today: date) -> list[date]:
    """Last Easter is over, next Easter is to come, this Easter is of this year.

    Next December 5 is the first to come, or the one of the next year.
    """
    before = [day for day in days if day < today]
    after = [day for day in days if day >= today]
    match which:
        case Which.LAST | Which.PAST:
            return before[-1:]
        case Which.THIS:
            return [day for day in days if day.year == today.year]
        case Which.NEXT:
            return after[:2]
        case _:
            return after[:1]


def _list_candidates(part: DayName, at: Moment, *, wide: bool) -> list[Candidate]:
    """Days a part can mean; `wide` looks further, where other parts will choose."""
    today = at.today
    match part:
        case DayShift(days=1) if at.now.hour in _SMALL_HOURS:
            return [
                (today, frozenset({Convention.NIGHT_SLEEP})),
                (today + DAY, frozenset({Convention.NIGHT_CALENDAR})),
            ]
        case DayShift(days=days):
            return [(today + days * DAY, _NOTHING)]
        case MonthDay(month=month, day=number):
            return [
                (day, _NOTHING)
                for day in _list_in_years(month, number, year=part.year, today=today)
            ]
        case NumericDate():
            return _list_in_both_orders(part, today)
        case Feast(name=name):
            years = range(today.year - 1, today.year + 2)
            found = (find_feast(name, year, country=at.country) for year in years)
            return [(day, _NOTHING) for day in found if day is not None]
        case DayNumber(day=number):
            reach = 12 if wide else 2
            return [(day, _NOTHING) for day in _list_in_months(number, today, reach)]
        case Weekday():
            return []


def _list_in_months(number: int, today: date, reach: int) -> Iterator[date]:
    """That day of every month so many months before and after."""
    for ahead in range(-reach, reach + 1):
        month = find_month_span(today.year, today.month + ahead)
        day = make_date(month[0].year, month[0].month, day=number) if month else None
        if day is not None:
            yield day


def _list_in_years(month: int, number: int, *, year: int | None, today: date) -> Iterator[date]:
    """That date in the year that is told, or in those around today."""
    reach = 8 if (month, number) == _LEAP_DAY else 1
    years = range(today.year - reach, today.year + reach + 1) if year is None else (year,)
    for each in years:
        day = make_date(each, month, day=number)
        if day is not None:
            yield day


def _list_in_both_orders(part: NumericDate, today: date) -> list[Candidate]:
    """A month and a day in either order; no convention is needed where only one makes a date."""
    month_first = list(_list_in_years(part.first, part.second, year=part.year, today=today))
    day_first = list(_list_in_years(part.second, part.first, year=part.year, today=today))
    if part.first == part.second or not (month_first and day_first):
        return [(day, _NOTHING) for day in month_first or day_first]
    # Dots are a habit of those who begin with the day, also where slashes are read otherwise.
    usual = _NOTHING if part.dotted else frozenset({Convention.ORDER_DAY})
    return [
        *((day, usual) for day in day_first),
        *((day, frozenset({Convention.ORDER_MONTH})) for day in month_first),
    ]


def _admits(part: DayName, day: date, at: Moment) -> bool:
    match part:
        case Weekday(day=weekday):
            return day.weekday() == weekday
        case DayNumber(day=number):
            return day.day == number
        case MonthDay(month=month, day=number, year=year):
            return (day.month, day.day) == (month, number) and year in (None, day.year)
        case NumericDate(first=first, second=second, year=year):
            told = (day.month, day.day) in ((first, second), (second, first))
            return told and year in (None, day.year)
        case Feast(name=name):
            return find_feast(name, day.year, country=at.country) == day
        case DayShift(days=days):
            return day == at.today + days * DAY
