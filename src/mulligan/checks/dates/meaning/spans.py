"""What a stretch of time can mean: weeks, months, weekends, the next three days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.meaning.arithmetic import (
    DAY,
    add,
    find_month_span,
    find_months_span,
    find_week_start,
)
from mulligan.checks.dates.moment import Moment, make_day, make_instant, make_span
from mulligan.checks.dates.parts import Amount, Counted, Month, Period, Quarter, Within, Year
from mulligan.checks.dates.reading import Reading
from mulligan.checks.language.senses import Unit, Which

OFFSETS = {
    Which.BEFORE_LAST: -2,
    Which.LAST: -1,
    Which.PAST: -1,
    Which.THIS: 0,
    Which.COMING: 1,
    Which.NEXT: 1,
    Which.AFTER_NEXT: 2,
}
WEEK_STARTS = ((0, Convention.WEEK_MONDAY), (6, Convention.WEEK_SUNDAY))
_SATURDAY = 5
_EVENING = timedelta(hours=18)
_SHORT = {Unit.SECOND: 1, Unit.MINUTE: 60, Unit.HOUR: 3600}
_DAYS = {Unit.DAY: 1, Unit.WEEK: 7, Unit.FORTNIGHT: 14}
_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12, Unit.DECADE: 120}

Stretchy = Period | Counted | Month | Quarter | Year | Within
STRETCHES = (Period, Counted, Month, Quarter, Year, Within)


def resolve_span(part: Stretchy, at: Moment) -> list[Reading]:
    """Every stretch of time that a part can mean."""
    match part:
        case Period():
            return resolve_period(part, at)
        case Month():
            return _resolve_month(part, at)
        case Quarter(number=number, year=year):
            years = [year] if year else [at.today.year]
            return _make_spans(find_months_span(each, 3 * number - 2, count=3) for each in years)
        case Year(year=year):
            return _make_spans([find_months_span(year, 1, count=12)])
        case Counted():
            return _resolve_counted(part, at)
        case Within(amount=amount):
            until = add(at.now, amount)
            if until is None:
                return []
            return [
                make_span(at.now, until, Convention.WITHIN_ALL),
                make_instant(until, Convention.WITHIN_END),
            ]


def resolve_period(part: Period, at: Moment) -> list[Reading]:
    """This week, next month, the last weekend."""
    offset = OFFSETS.get(part.which)
    if offset is None:
        return []
    match part.unit:
        case Unit.DAY:
            return [make_day(at.today + offset * DAY)]
        case Unit.WEEK:
            return resolve_week(at.today, offset)
        case Unit.WEEKEND:
            return _resolve_weekend(part.which, at)
        case Unit.MONTH | Unit.QUARTER | Unit.YEAR | Unit.DECADE:
            count = _MONTHS[part.unit]
            months = at.today.year * 12 + at.today.month - 1
            first = (months // count + offset) * count
            return _make_spans([find_months_span(0, first + 1, count=count)])
        case _:
            return []


def resolve_week(day: date, offset: int) -> list[Reading]:
    """The week that is so many weeks from the one that holds a day."""
    readings = []
    for first, convention in WEEK_STARTS:
        start = find_week_start(day, first=first) + timedelta(weeks=offset)
        readings.append(make_span(start, start + timedelta(weeks=1), convention))
    return readings


def _resolve_weekend(which: Which, at: Moment) -> list[Reading]:
    """Saturday and Sunday; on a weekend, *this* one is the one it is."""
    current = find_week_start(at.today) + timedelta(days=_SATURDAY)
    inside = at.today >= current
    choices: list[tuple[int, tuple[Convention, ...]]]
    match which:
        case Which.THIS:
            choices = [(0, ())]
        case Which.COMING:
            choices = [(int(inside), ())]
        case Which.NEXT | Which.AFTER_NEXT:
            more = int(which is Which.AFTER_NEXT)
            choices = [(1 + more, (Convention.NEXT_WEEK,))]
            if not inside:
                choices.insert(0, (more, (Convention.NEXT_SOONEST,)))
        case _:
            choices = [(OFFSETS[which], ())]
    saturdays = (
        make_day(current + timedelta(weeks=weeks), *conventions) for weeks, conventions in choices
    )
    return expand_weekends(saturdays)


def expand_weekends(saturdays: Iterable[Reading]) -> list[Reading]:
    """The weekends of Saturdays: the two days, or from Friday evening on."""
    readings = []
    for each in saturdays:
        friday, monday = each.start - DAY + _EVENING, each.end + DAY
        readings.append(make_span(each.start, monday, Convention.WEEKEND_SATURDAY, *each.rests_on))
        readings.append(make_span(friday, monday, Convention.WEEKEND_FRIDAY, *each.rests_on))
    return readings


def _resolve_month(part: Month, at: Moment) -> list[Reading]:
    if part.year is not None:
        return _make_spans([find_month_span(part.year, part.month)])
    today = at.today
    this = find_month_span(today.year, part.month)
    ahead = (
        (today.year, today.year + 1) if part.month < today.month else (today.year - 1, today.year)
    )
    match part.which:
        case Which.THIS:
            return _make_spans([this])
        case Which.LAST | Which.PAST:
            years = [today.year - (part.month >= today.month)]
        case Which.NEXT | Which.COMING:
            soonest = today.year + (part.month <= today.month)
            years = sorted({soonest, today.year + 1}) if part.which is Which.NEXT else [soonest]
        case _:
            if part.month == today.month:
                return _make_spans([this])
            spans = [find_month_span(year, part.month) for year in ahead]
            sides = (Convention.SIDE_PAST, Convention.SIDE_FUTURE)
            return [make_span(*each, side) for each, side in zip(spans, sides, strict=True) if each]
    return _make_spans(find_month_span(year, part.month) for year in years)


def _resolve_counted(part: Counted, at: Moment) -> list[Reading]:
    """The next three days: from today on, or whole ones of the calendar."""
    offset = OFFSETS.get(part.which)
    if not offset:
        return []
    sign = 1 if offset > 0 else -1
    if part.unit in _SHORT:
        amount = Amount(seconds=part.count * _SHORT[part.unit])
        return _resolve_short(part, at, amount=amount, sign=sign)
    amount = Amount(
        days=part.count * _DAYS.get(part.unit, 0), months=part.count * _MONTHS.get(part.unit, 0)
    )
    today = at.now.replace(hour=0, minute=0, second=0, microsecond=0)
    start = today + DAY if sign > 0 else today
    other = add(start, amount, sign=sign)
    if other is None:
        return []
    first, last = sorted((start, other))
    edge = last - DAY if sign > 0 else first
    return [
        make_span(first, last, Convention.COUNT_ROLLING, Convention.WITHIN_ALL),
        *_resolve_aligned(part, at, sign),
        make_day(edge.date(), Convention.COUNT_ROLLING, Convention.WITHIN_END),
    ]


def _resolve_short(part: Counted, at: Moment, *, amount: Amount, sign: int) -> list[Reading]:
    """The next three hours: from now on, or whole ones of the clock."""
    size = timedelta(seconds=_SHORT[part.unit])
    midnight = at.now.replace(hour=0, minute=0, second=0, microsecond=0)
    full = midnight + (at.now - midnight) // size * size
    readings = []
    for start, convention in (
        (at.now, Convention.COUNT_ROLLING),
        (full + size if sign > 0 else full, Convention.COUNT_CALENDAR),
    ):
        other = add(start, amount, sign=sign)
        if other is not None:
            readings.append(make_span(min(start, other), max(start, other), convention))
    return readings


def _resolve_aligned(part: Counted, at: Moment, sign: int) -> list[Reading]:
    """Whole weeks or months of the calendar, before or after the one that is."""
    if part.unit is Unit.WEEK:
        start = find_week_start(at.today)
        near, far = (start + 7 * DAY, start + 7 * DAY * (1 + part.count))
        if sign < 0:
            near, far = start - 7 * DAY * part.count, start
        return [make_span(near, far, Convention.COUNT_CALENDAR, Convention.WITHIN_ALL)]
    if part.unit not in _MONTHS:
        return []
    size = _MONTHS[part.unit]
    months = (at.today.year * 12 + at.today.month - 1) // size * size
    first = months + size if sign > 0 else months - size * part.count
    found = find_months_span(0, first + 1, count=size * part.count)
    return [make_span(*found, Convention.COUNT_CALENDAR, Convention.WITHIN_ALL)] if found else []


def _make_spans(found: Iterable[tuple[date, date] | None]) -> list[Reading]:
    return [make_span(*each) for each in found if each]
