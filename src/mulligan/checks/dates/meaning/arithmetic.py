"""Arithmetic on days: months that end early, weeks, the n-th Monday, Easter."""

from __future__ import annotations

import calendar
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta

from mulligan.checks.dates.parts import Amount

WEEK = timedelta(days=7)
DAY = timedelta(days=1)


def add(moment: datetime, amount: Amount, *, sign: int = 1) -> datetime | None:
    """A moment that much later or, with `-1`, earlier; `None` beyond what a calendar holds."""
    months = moment.year * 12 + moment.month - 1 + sign * amount.months
    year, month = divmod(months, 12)
    if not MINYEAR <= year <= MAXYEAR:
        return None
    day = min(moment.day, calendar.monthrange(year, month + 1)[1])
    moved = moment.replace(year=year, month=month + 1, day=day)
    try:
        return moved + sign * timedelta(days=amount.days, seconds=amount.seconds)
    except OverflowError:
        return None


def make_date(year: int, month: int, *, day: int) -> date | None:
    """That date, or `None` if the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        # The 31st of November.
        return None


def find_week_start(day: date, *, first: int = 0) -> date:
    """The first day of the week that holds a day; weeks begin on Monday, or on `first`."""
    return day - timedelta(days=(day.weekday() - first) % 7)


def advance_to_weekday(day: date, weekday: int) -> date:
    """The first such weekday from that day on."""
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def find_nth_day(start: date, end: date, *, number: int, weekday: int | None) -> date | None:
    """The n-th day, or the n-th such weekday, from `start` up to but without `end`."""
    step = 1 if weekday is None else 7
    if number > 0:
        first = start if weekday is None else advance_to_weekday(start, weekday)
        found = first + timedelta(days=step * (number - 1))
        return found if found < end else None
    last = end - DAY
    if weekday is not None:
        last -= timedelta(days=(last.weekday() - weekday) % 7)
    found = last + timedelta(days=step * (number + 1))
    return found if found >= start else None


def find_month_span(year: int, month: int) -> tuple[date, date] | None:
    """A month's first day, and the first after it; months may run over: 13 is next January."""
    return find_months_span(year, month, count=1)


def find_months_span(year: int, month: int, *, count: int) -> tuple[date, date] | None:
    """So many months from the first of one on."""
    start_year, start = divmod(year * 12 + month - 1, 12)
    end_year, end = divmod(year * 12 + month - 1 + count, 12)
    if not (start_year >= MINYEAR and end_year <= MAXYEAR):
        return None
    return date(start_year, start + 1, 1), date(end_year, end + 1, 1)


def compute_easter(year: int) -> date:
    """Easter Sunday of the western churches, by the anonymous Gregorian algorithm."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    r = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * r) // 451
    month, day = divmod(h + r - 7 * m + 114, 31)
    return date(year, month, day + 1)
