"""What weeks, months and weekdays can mean, and the days that several parts agree on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from msgspec.structs import replace

from mulligan_dates.calendar import (
    DAY,
    WEEK,
    add,
    advance_to_weekday,
    compute_easter,
    find_feast,
    find_iso_week,
    find_month_span,
    find_months_span,
    find_nth_day,
    find_week_start,
    make_date,
)
from mulligan_dates.parts import (
    Amount,
    Counted,
    DayNumber,
    DayShift,
    Edge,
    Feast,
    Month,
    MonthDay,
    Nth,
    NumericDate,
    Period,
    Quarter,
    Weekday,
    WeekdayAway,
    WeekdayFrom,
    WeekNumber,
    Within,
    Year,
)
from mulligan_dates.readings import (
    Convention,
    Grain,
    Moment,
    Reading,
    make_day,
    make_instant,
    make_span,
)
from mulligan_dates.tables import DAYS, SECONDS, Side, Unit, Which

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
_TUESDAY, _THURSDAY, _SATURDAY = 1, 3, 5
_HALF_A_WEEK = 3 * DAY
_EVENING = timedelta(hours=18)
_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12, Unit.DECADE: 120}

Stretchy = Period | Counted | WeekNumber | Month | Quarter | Year | Within
STRETCHES = (Period, Counted, WeekNumber, Month, Quarter, Year, Within)


def resolve_span(part: Stretchy, at: Moment) -> list[Reading]:
    """Every stretch of time that a part can mean."""
    match part:
        case Period():
            return resolve_period(part, at)
        case Month():
            return _resolve_month(part, at)
        case WeekNumber():
            return _resolve_week_number(part, at)
        case Quarter(number=number, year=year):
            years = [year] if year else [at.today.year]
            return _make_spans(find_months_span(each, 3 * number - 2, count=3) for each in years)
        case Year(year=year):
            return _make_spans([find_months_span(year, 1, count=12)])
        case Counted():
            return _resolve_counted(part, at)
        case Within(amount=amount):
            until = add(at.now, amount, zone=at.zone)
            if until is None:
                return []
            end = make_instant(until, Convention.WITHIN_END)
            # While the clocks go back, the end can show an earlier time than now.
            later = until > at.now
            return [make_span(at.now, until, Convention.WITHIN_ALL), end] if later else [end]


def resolve_period(part: Period, at: Moment) -> list[Reading]:
    """This week, next month, the last weekend."""
    offset = OFFSETS.get(part.which)
    if offset is None:
        return []
    if part.which is Which.PAST and part.unit in (Unit.WEEK, *_MONTHS):
        # The past week: the one before this, or the seven days before today.
        rolling = _resolve_counted(Counted(1, part.unit, Which.PAST), at)[:1]
        return [*resolve_period(replace(part, which=Which.LAST), at), *rolling]
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


def list_edges(stretch: Reading, edge: Edge) -> list[Reading]:
    """The start, the middle or the end of a week, of a month, of whole months."""
    side = edge.side
    start, end = stretch.start.date(), stretch.end.date()
    if end - start == WEEK:
        tuesday = advance_to_weekday(start, _TUESDAY)
        first = {Side.START: start, Side.MIDDLE: tuesday, Side.END: end - _HALF_A_WEEK}[side]
        return [make_span(first, first + _HALF_A_WEEK, *stretch.rests_on)]
    if start.day != 1 or end.day != 1:
        return []
    third = _find_third(start, end, side)
    part = [make_span(*third, *stretch.rests_on, Convention.EDGE_THIRD)] if third else []
    if side is Side.MIDDLE or edge.soft:
        return part
    day = start if side is Side.START else end - DAY
    return [make_day(day, *stretch.rests_on, Convention.EDGE_DAY), *part]


def _find_third(start: date, end: date, side: Side) -> tuple[date, date] | None:
    """The first, middle or last ten days of a month, or months of a year."""
    third = (Side.START, Side.MIDDLE, Side.END).index(side)
    months = 12 * (end.year - start.year) + end.month - start.month
    if size := months // 3:
        return find_months_span(start.year, start.month + third * size, count=size)
    days = (start, start + 10 * DAY, start + 20 * DAY, end)
    return days[third], days[third + 1]


def find_weeks_in_each(stretches: Iterable[Reading], *, number: int) -> list[Reading]:
    """The n-th week of every stretch: of the calendar, and counted from its first or last day."""
    found = []
    for each in stretches:
        start, end = each.start.date(), each.end.date()
        middle = find_nth_day(start, end, number=number, weekday=_THURSDAY)
        if middle is None:
            continue
        week = find_week_start(middle)
        first = start + (number - 1) * WEEK if number > 0 else end + number * WEEK
        found += [
            make_span(week, week + WEEK, *each.rests_on, Convention.WEEKS_CALENDAR),
            make_span(first, min(first + WEEK, end), *each.rests_on, Convention.WEEKS_COUNTED),
        ]
    return found


def join_weekends(days: Iterable[Reading]) -> list[Reading]:
    """Labor Day weekend: with the feast, if that is next to it or a day away; Easter has four."""
    found = []
    for each in days:
        day = each.start.date()
        saturday = advance_to_weekday(day - 2 * DAY, _SATURDAY)
        if saturday - day <= 2 * DAY:
            easter = compute_easter(day.year)
            long = day in (easter, easter + 7 * WEEK)
            first = day - 2 * DAY if day == easter else min(day, saturday)
            last = max(day + long * DAY, saturday + DAY)
            found.append(make_span(first, last + DAY, *each.rests_on))
    return found


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
            latest = today.year - (part.month >= today.month)
            years = sorted({latest, today.year - 1}) if part.which is Which.LAST else [latest]
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


def _resolve_week_number(part: WeekNumber, at: Moment) -> list[Reading]:
    """KW 45: of the year that is told, or the last and the next one."""
    if part.year is not None:
        return _make_spans([find_iso_week(part.year, part.number)])
    this_year = at.today.isocalendar().year
    found = [find_iso_week(this_year + ahead, part.number) for ahead in (-1, 0, 1)]
    weeks = [each for each in found if each is not None]
    current = [each for each in weeks if each[0] <= at.today < each[1]]
    before = [(each, Convention.SIDE_PAST) for each in weeks if each[1] <= at.today][-1:]
    after = [(each, Convention.SIDE_FUTURE) for each in weeks if each[0] > at.today][:1]
    return _make_spans(current) or [make_span(*week, side) for week, side in before + after]


def _resolve_counted(part: Counted, at: Moment) -> list[Reading]:
    """The next three days: from today on, or whole ones of the calendar."""
    offset = OFFSETS.get(part.which)
    if not offset:
        return []
    sign = 1 if offset > 0 else -1
    if part.unit in SECONDS:
        amount = Amount(seconds=part.count * SECONDS[part.unit])
        return _resolve_short(part, at, amount=amount, sign=sign)
    amount = Amount(
        days=part.count * DAYS.get(part.unit, 0), months=part.count * _MONTHS.get(part.unit, 0)
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
    size = timedelta(seconds=SECONDS[part.unit])
    midnight = at.now.replace(hour=0, minute=0, second=0, microsecond=0)
    full = midnight + (at.now - midnight) // size * size
    readings = []
    for start, convention in (
        (at.now, Convention.COUNT_ROLLING),
        (full + size if sign > 0 else full, Convention.COUNT_CALENDAR),
    ):
        other = add(start, amount, sign=sign, zone=at.zone)
        first, last = (start, other) if sign > 0 else (other, start)
        if first is not None and last is not None and first < last:
            readings.append(make_span(first, last, convention))
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


def resolve_weekday(part: Weekday, at: Moment) -> list[Reading]:
    """Friday, this Friday, next Friday."""
    today, day = at.today, part.day
    soonest = advance_to_weekday(today + DAY, day)
    recent = advance_to_weekday(today - WEEK, day)
    of_week = find_week_start(today) + timedelta(days=day)
    if part.weeks:
        # Said on a Friday, a week on Friday can be counted from that very day.
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


DayName = DayShift | MonthDay | NumericDate | Feast | DayNumber | Weekday
DAY_NAMES = (DayShift, MonthDay, NumericDate, Feast, DayNumber, Weekday)
"""In the order of how much each says."""

Candidate = tuple[date, frozenset[Convention]]
_NOTHING: frozenset[Convention] = frozenset()
_LEAP_DAY = (2, 29)
_SMALL_HOURS = range(1, 4)
"""Until this hour, many people who are still up call the coming day tomorrow."""
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
    # Dates with dots begin with the day, also where dates with slashes do not.
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
