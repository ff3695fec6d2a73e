"""What a weekday can mean: next Friday, three Fridays from now, the last Friday of a month."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.meaning.arithmetic import (
    DAY,
    WEEK,
    month_span,
    nth_day,
    on_or_after,
    week_start,
)
from mulligan.checks.dates.meaning.spans import WEEK_STARTS
from mulligan.checks.dates.moment import Moment, whole_day
from mulligan.checks.dates.parts import Nth, Weekday, WeekdayAway, WeekdayFrom, Which
from mulligan.checks.dates.reading import Grain, Reading


def weekday_readings(part: Weekday, at: Moment) -> list[Reading]:
    """Friday, this Friday, next Friday."""
    today, day = at.today, part.day
    soonest = on_or_after(today + DAY, day)
    recent = on_or_after(today - WEEK, day)
    of_week = week_start(today) + timedelta(days=day)
    if part.weeks:
        # Said on a Friday, a week on Friday can be reckoned from that very day.
        starts = [today, soonest] if today.weekday() == day else [soonest]
        return [whole_day(each + part.weeks * WEEK) for each in starts]
    match part.which:
        case None if today.weekday() == day:
            return [whole_day(today), whole_day(soonest, Convention.SIDE_FUTURE)]
        case None:
            return _either(recent, soonest)
        case Which.THIS:
            return [whole_day(of_week)] if of_week >= today else _either(of_week, soonest)
        case Which.COMING:
            return [whole_day(soonest)]
        case Which.PAST:
            return [whole_day(recent)]
        case Which.LAST | Which.BEFORE_LAST:
            more = WEEK if part.which is Which.BEFORE_LAST else timedelta()
            return [whole_day(each - more) for each in sorted({recent, of_week - WEEK})]
        case Which.NEXT:
            return _next(today, day, soonest)
        case Which.AFTER_NEXT:
            return _next(today, day, soonest, later=WEEK)


def weekday_away(part: WeekdayAway, at: Moment) -> Reading:
    """Three Fridays from now."""
    more = (part.count - 1) * WEEK
    if part.sign > 0:
        return whole_day(on_or_after(at.today + DAY, part.weekday) + more)
    return whole_day(on_or_after(at.today - WEEK, part.weekday) - more)


def weekday_from(part: WeekdayFrom, days: Iterable[Reading]) -> list[Reading]:
    """The Friday before a day, the third Tuesday after it."""
    more = (part.count - 1) * WEEK
    found = []
    for each in days:
        if each.grain is Grain.DAY:
            day = each.start.date()
            after = on_or_after(day + DAY, part.weekday) + more
            before = on_or_after(day - WEEK, part.weekday) - more
            found.append(whole_day(after if part.sign > 0 else before, *each.rests_on))
    return found


def weekday_near(weekday: int, days: Iterable[Reading]) -> list[Reading]:
    """Tuesday, two months from today: in that week, or the first from that day on."""
    found = set()
    for each in days:
        day = each.start.date()
        found |= {on_or_after(day, weekday), week_start(day) + timedelta(days=weekday)}
    return [whole_day(day) for day in sorted(found)]


def nth_of_month(part: Nth, at: Moment) -> list[Reading]:
    """The third Tuesday: of this month, and of the next once it is over."""
    found = []
    for ahead in (0, 1):
        month = month_span(at.today.year, at.today.month + ahead)
        day = nth_day(*month, number=part.number, weekday=part.weekday) if month else None
        if day is not None:
            found.append(whole_day(day))
            if day >= at.today:
                break
    return found


def nth_in_each(stretches: Iterable[Reading], *, number: int, weekday: int | None) -> list[Reading]:
    """The n-th day, or the n-th such weekday, of every stretch that has one."""
    found = []
    for each in stretches:
        day = nth_day(each.start.date(), each.end.date(), number=number, weekday=weekday)
        if day is not None:
            found.append(whole_day(day, *each.rests_on))
    return found


def _either(past: date, future: date) -> list[Reading]:
    return [whole_day(past, Convention.SIDE_PAST), whole_day(future, Convention.SIDE_FUTURE)]


def _next(today: date, day: int, soonest: date, *, later: timedelta = timedelta()) -> list[Reading]:
    """The first that comes, and the one of the coming week, however weeks begin."""
    weeks = (week_start(today, first=first) + WEEK for first, _ in WEEK_STARTS)
    return [
        whole_day(soonest + later, Convention.NEXT_SOONEST),
        *(whole_day(on_or_after(week, day) + later, Convention.NEXT_WEEK) for week in weeks),
    ]
