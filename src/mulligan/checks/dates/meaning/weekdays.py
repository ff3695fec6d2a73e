"""What a weekday can mean: next Friday, three Fridays from now, the last Friday of a month."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.meaning.arithmetic import (
    DAY,
    WEEK,
    advance_to_weekday,
    find_month_span,
    find_nth_day,
    find_week_start,
)
from mulligan.checks.dates.meaning.spans import WEEK_STARTS
from mulligan.checks.dates.moment import Moment, make_day
from mulligan.checks.dates.parts import Nth, Weekday, WeekdayAway, WeekdayFrom
from mulligan.checks.dates.reading import Grain, Reading
from mulligan.checks.language.senses import Which


def resolve_weekday(part: Weekday, at: Moment) -> list[Reading]:
    """Friday, this Friday, next Friday."""
    today, day = at.today, part.day
    soonest = advance_to_weekday(today + DAY, day)
    recent = advance_to_weekday(today - WEEK, day)
    of_week = find_week_start(today) + timedelta(days=day)
    if part.weeks:
        # SaidPhrases on a Friday, a week on Friday can be reckoned from that very day.
        starts = [today, soonest] if today.weekday() == day else [soonest]
        return [make_day(each + part.weeks * WEEK) for each in starts]
    match part.which:
        case None if today.weekday() == day:
            return [make_day(today), make_day(soonest, Convention.SIDE_FUTURE)]
        case None:
            return _list_both_sides(recent, soonest)
        case Which.THIS:
            return [make_day(of_week)] if of_week >= today else _list_both_sides(of_week, soonest)
        case Which.COMING:
            return [make_day(soonest)]
        case Which.PAST:
            return [make_day(recent)]
        case Which.LAST | Which.BEFORE_LAST:
            more = WEEK if part.which is Which.BEFORE_LAST else timedelta()
            return [make_day(each - more) for each in sorted({recent, of_week - WEEK})]
        case Which.NEXT:
            return _resolve_next(today, day, soonest)
        case Which.AFTER_NEXT:
            return _resolve_next(today, day, soonest, later=WEEK)


def resolve_weekday_away(part: WeekdayAway, at: Moment) -> Reading:
    """Three Fridays from now."""
    more = (part.count - 1) * WEEK
    if part.sign > 0:
        return make_day(advance_to_weekday(at.today + DAY, part.weekday) + more)
    return make_day(advance_to_weekday(at.today - WEEK, part.weekday) - more)


def resolve_weekday_from(part: WeekdayFrom, days: Iterable[Reading]) -> list[Reading]:
    """The Friday before a day, the third Tuesday after it."""
    more = (part.count - 1) * WEEK
    found = []
    for each in days:
        if each.grain is Grain.DAY:
            day = each.start.date()
            after = advance_to_weekday(day + DAY, part.weekday) + more
            before = advance_to_weekday(day - WEEK, part.weekday) - more
            found.append(make_day(after if part.sign > 0 else before, *each.rests_on))
    return found


def resolve_weekday_near(weekday: int, days: Iterable[Reading]) -> list[Reading]:
    """Tuesday, two months from today: in that week, or the first from that day on."""
    found = set()
    for each in days:
        day = each.start.date()
        found |= {advance_to_weekday(day, weekday), find_week_start(day) + timedelta(days=weekday)}
    return [make_day(day) for day in sorted(found)]


def resolve_nth(part: Nth, at: Moment) -> list[Reading]:
    """The third Tuesday: of this month, and of the next once it is over."""
    found = []
    for ahead in (0, 1):
        month = find_month_span(at.today.year, at.today.month + ahead)
        day = find_nth_day(*month, number=part.number, weekday=part.weekday) if month else None
        if day is not None:
            found.append(make_day(day))
            if day >= at.today:
                break
    return found


def find_nth_in_each(
    stretches: Iterable[Reading], *, number: int, weekday: int | None
) -> list[Reading]:
    """The n-th day, or the n-th such weekday, of every stretch that has one."""
    found = []
    for each in stretches:
        day = find_nth_day(each.start.date(), each.end.date(), number=number, weekday=weekday)
        if day is not None:
            found.append(make_day(day, *each.rests_on))
    return found


def _list_both_sides(past: date, future: date) -> list[Reading]:
    return [make_day(past, Convention.SIDE_PAST), make_day(future, Convention.SIDE_FUTURE)]


def _resolve_next(
    today: date, day: int, soonest: date, *, later: timedelta = timedelta()
) -> list[Reading]:
    """The first that comes, and the one of the coming week, however weeks begin."""
    weeks = (find_week_start(today, first=first) + WEEK for first, _ in WEEK_STARTS)
    return [
        make_day(soonest + later, Convention.NEXT_SOONEST),
        *(make_day(advance_to_weekday(week, day) + later, Convention.NEXT_WEEK) for week in weeks),
    ]
