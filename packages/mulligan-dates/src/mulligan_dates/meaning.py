"""What a phrase or a range means, said at a certain moment: its days, and its times put on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import time, timedelta

from msgspec.structs import replace

from mulligan_dates.calendar import DAY, add, find_feast, list_centuries
from mulligan_dates.grammar import Phrase, Spoken, Stretch
from mulligan_dates.parts import (
    Amount,
    AnyPart,
    Clock,
    Dated,
    DayNumber,
    DayShift,
    Edge,
    Feast,
    Lasting,
    Midnight,
    Month,
    MonthDay,
    Now,
    Nth,
    NthWeek,
    NumericDate,
    Part,
    Period,
    Puzzle,
    Quarter,
    Shift,
    ThisTime,
    Weekday,
    WeekdayAway,
    WeekdayFrom,
    WeekNumber,
    WeekOf,
    Within,
    Year,
    YearOrTime,
    Zone,
)
from mulligan_dates.readings import (
    Convention,
    Grain,
    Moment,
    Reading,
    convert_zone,
    make_day,
    make_instant,
    make_span,
)
from mulligan_dates.spans import (
    DAY_NAMES,
    OFFSETS,
    STRETCHES,
    expand_weekends,
    find_nth_in_each,
    find_weeks_in_each,
    join_weekends,
    list_edges,
    resolve_day_names,
    resolve_nth,
    resolve_span,
    resolve_week,
    resolve_weekday_away,
    resolve_weekday_from,
    resolve_weekday_near,
)
from mulligan_dates.tables import DayPart, Half, Limit, Side, Unit, Which

_WEEK = 7
_MONTHS_OF_YEAR = 12
_WORK_ENDS = timedelta(hours=17)
_A_WEEK = Amount(days=_WEEK)
_THIS_DAY = Period(Unit.DAY, Which.THIS)
_WITH_EDGES = (Period, Month, Year, Quarter, WeekNumber)


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
                return extend_readings(resolve_dated(rest, at), part, at)
            case Edge():
                return _resolve_edge(part, rest, at)
            case WeekOf():
                return _resolve_weeks(resolve_dated(rest, at))
    return _resolve_joined(parts, at)


def _resolve_moved(shift: Shift, rest: Sequence[Dated], at: Moment) -> list[Reading]:
    """What follows, moved; a weekday that is said besides names the day it is moved to."""
    weekday = next((part for part in rest if isinstance(part, Weekday)), None)
    if weekday is not None and len(rest) > 1:
        others = [part for part in rest if part is not weekday]
        return resolve_weekday_near(weekday.day, _resolve_moved(shift, others, at))
    moved = (shift_reading(each, shift, at) for each in resolve_dated(rest, at))
    return [each for each in moved if each is not None]


def shift_reading(reading: Reading, part: Shift, at: Moment) -> Reading | None:
    """The reading moved by an amount of time.

    A stretch stays unknown: two weeks after March, but from which end of it?
    """
    start = add(reading.start, part.amount, sign=part.sign, zone=at.zone)
    if start is None or reading.grain is Grain.SPAN:
        return None
    if part.amount.seconds and reading.grain is Grain.DAY:
        # Five hours before tomorrow: before it begins.
        return make_instant(start, *reading.rests_on)
    return replace(reading, start=start, end=start + (reading.end - reading.start))


def extend_readings(starts: Iterable[Reading], lasting: Lasting, at: Moment) -> list[Reading]:
    """From each start on, for as long as it lasts."""
    found = []
    for each in starts:
        end = add(each.start, lasting.amount, zone=at.zone)
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
        case [NthWeek(number=number)], [stretch]:
            return find_weeks_in_each(resolve_span(stretch, at), number=number)
        case (([Feast()] | [MonthDay()]), [Period(unit=Unit.WEEKEND, which=Which.THIS)]):
            return join_weekends(resolve_day_names(names, at))
        case [Weekday(day=day)], [Period(unit=Unit.WEEK) | WeekNumber() as week]:
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
            found = [resolve_weekday_away(away, at)]
            return expand_weekends(found) if away.weekend else found
        case [Nth() as nth]:
            return resolve_nth(nth, at)
        case _:
            return []


def _resolve_day_ahead(day: DayShift, shift: Shift, at: Moment) -> list[Reading]:
    """Tomorrow in two weeks; three days or two hours would be counted from now."""
    amount = _A_WEEK if shift.amount.eight_days else shift.amount
    shift = replace(shift, amount=amount)
    whole = not amount.seconds and (amount.months > 0 or amount.days % _WEEK == 0)
    moved = shift_reading(make_day(at.today + timedelta(days=day.days)), shift, at)
    return [moved] if moved and whole and shift.sign > 0 else []


def _resolve_from_now(part: Shift, at: Moment) -> list[Reading]:
    if part.amount.eight_days:
        days, week = replace(part.amount, eight_days=False), _A_WEEK
        told = ((days, Convention.EIGHT_COUNTED), (week, Convention.EIGHT_WEEK))
        return [
            _tag_reading(each, convention)
            for amount, convention in told
            for each in _resolve_from_now(replace(part, amount=amount), at)
        ]
    moved = add(at.now, part.amount, sign=part.sign, zone=at.zone)
    if moved is None:
        return []
    if part.amount.seconds:
        return [make_instant(moved)]
    return [
        make_day(moved.date(), Convention.SHIFT_DAY),
        make_instant(moved, Convention.SHIFT_MOMENT),
    ]


def _resolve_edge(part: Edge, rest: Sequence[Dated], at: Moment) -> list[Reading]:
    """The edge of a day is a moment; that of a longer stretch is a third of it, or its last day."""
    readings = resolve_dated(rest, at)
    stretches = [each for each in readings if each.grain is Grain.SPAN]
    if stretches and any(isinstance(each, _WITH_EDGES) for each in rest):
        return [edge for each in stretches for edge in list_edges(each, part)]
    days = [each for each in readings if each.grain is Grain.DAY]
    if part.side is Side.START:
        return [make_instant(each.start, *each.rests_on) for each in days]
    return [edge for each in days for edge in _list_day_ends(each) if part.side is Side.END]


def _list_day_ends(day: Reading) -> list[Reading]:
    """When the calendar begins the next day, and when work is over."""
    return [
        make_instant(day.end - timedelta(seconds=1), *day.rests_on, Convention.DAY_CALENDAR),
        make_instant(day.start + _WORK_ENDS, *day.rests_on, Convention.DAY_WORK),
    ]


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
        case Shift(Amount(days=0, seconds=0, vague=False) as amount, sign=sign, anchored=False):
            # November 10 in two years.
            years, months = divmod(amount.months, _MONTHS_OF_YEAR)
            return None if months else at.today.year + sign * years
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


Hour = tuple[int, Convention | None]

_HOURS_OF = {
    DayPart.MORNING: (1, range(1, 12)),
    DayPart.LUNCH: (13, range(13, 16)),
    DayPart.AFTERNOON: (13, range(13, 20)),
    DayPart.EVENING: (13, range(16, 25)),
    DayPart.NIGHT: (13, range(18, 25)),
}
"""Where the hours 1 to 12 lie in a part of the day, and which of them people place there."""

_SPANS = {
    DayPart.MORNING: (0, 12),
    DayPart.LUNCH: (11, 15),
    DayPart.AFTERNOON: (12, 19),
    DayPart.EVENING: (16, 24),
    DayPart.NIGHT: (17, 30),
}
"""The widest that a part of a day is taken for, in hours; a night ends on the next day."""
_HOURS = 24
_NOON = 12
_SLACK = 2
"""How far off an hour with a.m. or p.m. may be: 4pm tonight."""


def with_part(readings: list[Reading], part: DayPart) -> list[Reading]:
    """Days narrowed to a part of them."""
    first, last = _SPANS[part]
    return [
        replace(
            each,
            start=each.start + timedelta(hours=first),
            end=each.start + timedelta(hours=last),
            grain=Grain.PART,
        )
        for each in readings
        if each.grain is Grain.DAY
    ]


def with_clock(
    readings: list[Reading], clock: Clock | Midnight, *, part: DayPart | None
) -> list[Reading]:
    """Days narrowed to a time of day."""
    days = [each for each in readings if each.grain is Grain.DAY]
    if isinstance(clock, Midnight):
        ends = (24,) if part in (DayPart.EVENING, DayPart.NIGHT) else (0, 24)
        return [_make_moment(day, hour, clock=Clock(0)) for day in days for hour in ends]
    return [
        _make_moment(day, hour, clock=clock, convention=convention)
        for day in days
        for hour, convention in list_hours(clock, part)
    ]


def resolve_clock(clock: Clock | Midnight, at: Moment, *, part: DayPart | None) -> list[Reading]:
    """A time of day without a day: the next time the clock shows it, or today's if that is over."""
    today = make_day(at.today)
    choices = [
        _move_days(each, -1) if each.start > today.end else each
        for each in with_clock([today], clock, part=part)
    ]
    if isinstance(clock, Midnight):
        return choices
    if len(choices) == 1:
        only = choices[0]
        if only.start >= at.now:
            return choices
        return [
            _tag_reading(only, Convention.SIDE_PAST),
            _tag_reading(_move_days(only, 1), Convention.SIDE_FUTURE),
        ]
    return sorted(
        (each if each.start >= at.now else _move_days(each, 1) for each in choices),
        key=lambda each: each.start,
    )


def list_hours(clock: Clock, part: DayPart | None) -> list[Hour]:
    """The hours of the day a clock can mean; none where a part of the day contradicts it."""
    hour = clock.hour
    if clock.half is not None:
        if hour > 12 and clock.half is Half.AM:
            return []
        told = hour if hour > 12 else hour % 12 + (12 if clock.half is Half.PM else 0)
        return _place_hour(told, part, slack=_SLACK)
    if clock.whole_day or hour > 12 or hour == 0:
        return _place_hour(hour, part)
    if part is not None:
        first, placed = _HOURS_OF[part]
        found = hour - 1 + first
        return [(found, None)] if found in placed else _list_noon_hours(hour, part)
    return [(hour % 12, Convention.CLOCK_AM), (hour % 12 + 12, Convention.CLOCK_PM)]


def _place_hour(hour: int, part: DayPart | None, *, slack: int = 0) -> list[Hour]:
    """An hour told in full, if it is of that part; 01:30 tonight is of the next day."""
    if part is None:
        return [(hour, None)]
    first, last = _SPANS[part]
    if hour + _HOURS < last:
        return [(hour + _HOURS, None)]
    return [(hour, None)] if first - slack <= hour < last + slack else []


def _list_noon_hours(hour: int, part: DayPart) -> list[Hour]:
    return [(hour, None)] if part is DayPart.LUNCH and hour in (11, 12) else []


def _make_moment(
    day: Reading, hour: int, *, clock: Clock, convention: Convention | None = None
) -> Reading:
    moment = day.start + timedelta(hours=hour, minutes=clock.minute, seconds=clock.second or 0)
    rests_on = day.rests_on | {convention} if convention else day.rests_on
    grain = Grain.MINUTE if clock.second is None else Grain.SECOND
    return Reading(start=moment, end=moment, grain=grain, rests_on=rests_on)


def _move_days(reading: Reading, days: int) -> Reading:
    return replace(reading, start=reading.start + days * DAY, end=reading.end + days * DAY)


def _tag_reading(reading: Reading, convention: Convention) -> Reading:
    return replace(reading, rests_on=reading.rests_on | {convention})


TIMED = (Clock, Midnight, ThisTime, Part, Zone)
Parts = tuple[AnyPart, ...]
_UNDATED = (*TIMED, Lasting)
_CYCLES = {Unit.WEEK: Amount(days=7), Unit.MONTH: Amount(months=1), Unit.YEAR: Amount(months=12)}
"""What comes back to the same day."""


def is_dated(found: Spoken) -> bool:
    """Whether the words say a day, and not only a time of it."""
    return any(not isinstance(part, _UNDATED) for part in found.parts)


def is_vague(found: Spoken) -> bool:
    """Whether the words leave open how much."""
    return any(isinstance(part, Shift | Within) and part.amount.vague for part in found.parts)


def find_anchor(found: Spoken) -> Phrase | None:
    """What a phrase is counted from: the tomorrow of "a week from tomorrow"."""
    if isinstance(found, Stretch):
        return None
    rest = tuple(part for part in found.parts if not _leans(part))
    return replace(found, parts=rest, limit=None) if 0 < len(rest) < len(found.parts) else None


def _leans(part: AnyPart) -> bool:
    """Whether a part is counted from what follows it."""
    return isinstance(part, WeekdayFrom) or (isinstance(part, Shift) and part.anchored)


def resolve_phrase(phrase: Phrase, at: Moment) -> list[Reading]:
    """Everything a phrase can mean, with its limit."""
    readings = resolve_parts(phrase.parts, at)
    if phrase.limit is None:
        return readings
    match phrase.limit:
        case Limit.SINCE:
            today = make_day(at.today).end
            if not is_dated(phrase):
                readings = [e if e.start <= at.now else _move_days(e, -1) for e in readings]
            return [
                make_span(each.start, today, *_list_halves(each))
                for each in readings
                if each.start <= at.now
            ]
        case Limit.UNTIL:
            limits = [make_span(at.now, each.end) for each in readings if each.end >= at.now]
            # By the end of the month: when that end begins does not matter then.
            last = [e for e in readings if e.grain is not Grain.SPAN or not phrase.tells(Edge)]
            return limits + last
        case Limit.BEFORE | Limit.AFTER if not any(isinstance(p, Clock) for p in phrase.parts):
            return []
        case _:
            return readings


def resolve_parts(parts: Parts, at: Moment) -> list[Reading]:
    """The days of the parts, with the time of day put on them."""
    open_ = next((part for part in parts if isinstance(part, YearOrTime)), None)
    if open_ is not None:
        rest = tuple(part for part in parts if part is not open_)
        time = Clock(*divmod(open_.figures, 100), whole_day=True)
        return [
            *resolve_parts((*rest, Year(open_.figures)), at),
            *resolve_parts((*rest, time), at),
        ]
    dated: list[Dated] = [part for part in parts if not isinstance(part, TIMED)]
    if len(dated) == len(parts):
        return resolve_dated(dated, at) if dated else []
    clock = next((part for part in parts if isinstance(part, Clock | Midnight)), None)
    part = next((part.name for part in parts if isinstance(part, Part)), None)
    zone = next((part for part in parts if isinstance(part, Zone)), None)
    lasting = next((part for part in dated if isinstance(part, Lasting)), None)
    if lasting is not None and clock is not None:
        rest = tuple(part for part in parts if part is not lasting)
        return extend_readings(resolve_parts(rest, at), lasting, at)
    moved = next((p for p in dated if isinstance(p, Shift) and p.anchored), None)
    if clock is not None and moved is not None and moved.amount.seconds:
        # Two hours before noon, two hours after 5pm tomorrow.
        told = resolve_parts(tuple(part for part in parts if part is not moved), at)
        return [each for reading in told if (each := shift_reading(reading, moved, at))]
    if any(isinstance(part, ThisTime) for part in parts):
        return _resolve_this_time(dated, at)
    match dated:
        case []:
            readings = resolve_clock(clock, at, part=part) if clock else []
        case [Shift(anchored=True)] if clock:
            readings = []
        case [DayShift(days=days)] if part is DayPart.NIGHT and days <= 0 and _is_night(at):
            readings = _resolve_night(days, clock, at)
        case _:
            readings = _with_time(resolve_dated(dated, at), clock, part)
    return convert_zone(readings, at, minutes=zone.minutes, place=zone.place) if zone else readings


def _with_time(
    days: list[Reading], clock: Clock | Midnight | None, part: DayPart | None
) -> list[Reading]:
    if clock is not None:
        return with_clock(days, clock, part=part)
    return with_part(days, part) if part is not None else days


def _is_night(at: Moment) -> bool:
    return at.now.hour + _HOURS < _SPANS[DayPart.NIGHT][1]


def _resolve_night(days: int, clock: Clock | Midnight | None, at: Moment) -> list[Reading]:
    """Tonight, last night, said at night: counted from the night that it is, or from the day."""
    day = at.today + timedelta(days=days)
    nights = [make_day(day, Convention.NIGHT_CALENDAR), make_day(day - DAY, Convention.NIGHT_SLEEP)]
    readings = _with_time(nights, clock, DayPart.NIGHT)
    # Tonight is not over, and last night has begun.
    return [e for e in readings if (e.start <= at.now if days else e.end >= at.now)]


def _resolve_this_time(dated: list[Dated], at: Moment) -> list[Reading]:
    """This time tomorrow, this time next week: the same day of that week as today."""
    match dated:
        case [Period(unit=unit, which=which)] if unit in _CYCLES:
            moved = add(at.now, _CYCLES[unit], sign=OFFSETS[which])
            return [make_instant(moved)] if moved else []
        case _:
            clock = Clock(at.now.hour, at.now.minute, at.now.second, whole_day=True)
            return with_clock(resolve_dated(dated, at), clock, part=None)


_CLOCK = Convention.CLOCK_AM.question
_NEXT = Convention.NEXT_WEEK.question
_ORDER = Convention.ORDER_DAY.question
_TAKES_YEAR = (MonthDay, NumericDate, Month, Quarter)
_WITH_YEAR = (*_TAKES_YEAR, Year)
_THREE_FIGURES = 100


def resolve_spoken(found: Spoken, at: Moment) -> list[Reading]:
    """Everything a phrase or a range can mean."""
    try:
        for part in found.parts:
            year = getattr(part, "year", None)
            if year is not None and year < _THREE_FIGURES:
                return _resolve_centuries(found, at)
        return _resolve_told(found, at)
    except OverflowError:
        # Outside the years that a calendar holds.
        return []


def _resolve_told(found: Spoken, at: Moment) -> list[Reading]:
    return _resolve_stretch(found, at) if isinstance(found, Stretch) else resolve_phrase(found, at)


def _resolve_centuries(found: Spoken, at: Moment) -> list[Reading]:
    """Of years in two figures: in the century to come and in the last one, where both are usual."""
    sides = ((0, Convention.CENTURY_FUTURE), (-1, Convention.CENTURY_PAST))
    return [
        _tag_reading(each, convention)
        for side, convention in sides
        for each in _resolve_told(_choose_centuries(found, at, side=side), at)
    ]


def _choose_centuries(found: Spoken, at: Moment, *, side: int) -> Spoken:
    if isinstance(found, Phrase):
        return _choose_century(found, at, side=side)
    ends = (_choose_century(each, at, side=side) for each in (found.first, found.last))
    return Stretch(*ends)


def _choose_century(found: Phrase, at: Moment, *, side: int) -> Phrase:
    parts = (
        replace(part, year=list_centuries(part.year, at.today)[side])
        if isinstance(part, (*_WITH_YEAR, WeekNumber)) and part.year is not None
        else part
        for part in found.parts
    )
    return replace(found, parts=tuple(parts))


def _resolve_stretch(found: Stretch, at: Moment) -> list[Reading]:
    first, last = _complete_ends(found.first.parts, found.last.parts)
    if _filter_days(found.first.parts) and _has_clock(last) and not _has_clock(first):
        # The 22nd to the 23rd at 7: whether it begins at 7 too, the words do not say.
        return []
    if any(names_third(each.parts) for each in (found.first, found.last)):
        # From the end of March: from which of its days on, the words do not say.
        return []
    starts, ends = resolve_parts(first, at), resolve_parts(last, at)
    if _has_clock(first) and _has_clock(last) and _filter_days(first) == _filter_days(last):
        lent = not _filter_days(found.first.parts) and bool(_filter_days(found.last.parts))
        return [each for start in starts for each in _resolve_hours(start, ends, lent=lent)]
    readings = []
    for start in starts:
        later = [end for end in (*ends, *_resolve_from(start, last, at)) if end.end > start.start]
        for end in _choose_ends(_match_order(start, later)):
            readings += _join_readings(start, end)
    return readings


def names_third(parts: Parts) -> bool:
    """Whether it is an edge, and not one of a day."""
    edge = any(isinstance(part, Edge) for part in parts)
    return edge and any(isinstance(part, _WITH_EDGES) and part != _THIS_DAY for part in parts)


def _resolve_hours(start: Reading, ends: list[Reading], *, lent: bool) -> list[Reading]:
    """The hours of one day, from a start to the next time that the clock shows the end."""
    moved = (_move_days(each, days) for each in ends for days in (0, 1))
    later = [each for each in moved if start.start < each.end <= start.start + DAY]
    if not later:
        return []
    end = min(later, key=lambda each: each.end)
    told = make_span(start.start, end.end, *start.rests_on, *_list_halves(end))
    if not lent or end.end.date() == start.start.date() or _has_open_half(start, end):
        return [told]
    # 10pm to 6am tomorrow: the day is that of the end, or of both.
    return [_move_days(told, -1), told]


def _match_order(start: Reading, ends: list[Reading]) -> list[Reading]:
    """The ends that are written in the same order as the start; 3/4 - 5/4 does not mix them."""
    order = _find_order(start)
    same = [each for each in ends if _find_order(each) == order]
    return same or [each for each in ends if not (order and _find_order(each))]


def _find_order(reading: Reading) -> set[Convention]:
    return {each for each in reading.rests_on if each.question == _ORDER}


def _resolve_from(start: Reading, last: Parts, at: Moment) -> list[Reading]:
    """Monday to *Friday*: the one after it; to *next* Friday: also the one of the week after."""
    if all(isinstance(part, DayNumber) for part in last):
        return resolve_parts(last, replace(at, now=start.start))
    named = next((part for part in last if isinstance(part, Weekday)), None)
    if named is None or start.start.date() <= at.today:
        return []
    wanted = {None: Convention.SIDE_FUTURE, Which.NEXT: Convention.NEXT_WEEK}.get(named.which)
    ends = resolve_parts(last, replace(at, now=start.start)) if wanted else []
    return [each for each in ends if wanted in each.rests_on]


def _has_open_half(*readings: Reading) -> bool:
    """Whether it is not told if a time is before or after noon."""
    return any(_list_halves(each) for each in readings)


def _list_halves(reading: Reading) -> list[Convention]:
    return [each for each in reading.rests_on if each.question == _CLOCK]


def _choose_ends(later: list[Reading]) -> list[Reading]:
    """The first end there is; both days of a *next*, and both halves of a day left open."""
    if not later:
        return []
    first = min(later, key=lambda each: each.end)
    day = first.start.date()
    others = [
        each
        for each in later
        if any(c.question == _NEXT for c in each.rests_on)
        or (_has_open_half(each, first) and each.start.date() == day)
        or _are_midnights(first, each)
    ]
    return [first, *(each for each in others if each is not first)]


def _are_midnights(first: Reading, last: Reading) -> bool:
    """Until midnight today: as the day begins, or as it ends."""
    both = first.grain is last.grain is Grain.MINUTE and first.rests_on == last.rests_on
    return both and last.start == first.start + DAY and first.start.time() == time()


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
    first, last = (*first, *_borrow_zone(last, first)), (*last, *_borrow_zone(first, last))
    first, last = _fill_month(first, last, 1), _fill_month(last, first, -1)
    years = {part.year for part in (*first, *last) if isinstance(part, _WITH_YEAR) and part.year}
    if len(years) == 1:
        (year,) = years
        wraps = _wraps_year(first, last)
        told_last = any(isinstance(part, _WITH_YEAR) and part.year for part in last)
        first = _fill_year(first, year - (wraps and told_last))
        last = _fill_year(last, year + (wraps and not told_last))
    return _fill_whole_day(_fill_half(first, last), last)


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
    if any(isinstance(part, Part) or getattr(part, "half", None) for part in taker):
        return ()
    return tuple(part for part in giver if isinstance(part, Part))


def _borrow_zone(giver: Parts, taker: Parts) -> Parts:
    """From 10:00 to 11:00 *UTC*: both ends are told in it."""
    if not _has_clock(taker) or any(isinstance(part, Zone) for part in taker):
        return ()
    return tuple(part for part in giver if isinstance(part, Zone))


def _fill_year(parts: Parts, year: int) -> Parts:
    """The parts with a year that the other end may have said, or that stood apart."""
    if not any(isinstance(part, _TAKES_YEAR) for part in parts):
        return parts
    return tuple(
        replace(part, year=year) if isinstance(part, _TAKES_YEAR) and part.year is None else part
        for part in parts
        if not isinstance(part, Year)
    )


def _wraps_year(first: Parts, last: Parts) -> bool:
    """Dec 28 - Jan 3, 2027: the two ends are of different years."""
    start, end = _find_place(first), _find_place(last)
    return start is not None and end is not None and start > end


def _find_place(parts: Parts) -> tuple[int, int] | None:
    """Where in a year a date lies."""
    for part in parts:
        match part:
            case MonthDay(month=month, day=day):
                return month, day
            case NumericDate(first=day, second=month, dotted=True):
                return month, day
    return None


def _fill_whole_day(first: Parts, last: Parts) -> tuple[Parts, Parts]:
    """9 to 17, 22 to 2: both are told on a clock of 24 hours, if one is and no evening is named."""
    clocks = [part for part in (*first, *last) if isinstance(part, Clock)]
    named = any(isinstance(part, Part) for part in (*first, *last))
    late = any(clock.hour > _NOON for clock in clocks)
    if named or not late or any(clock.half for clock in clocks):
        return first, last
    return _tell_whole_day(first), _tell_whole_day(last)


def _tell_whole_day(parts: Parts) -> Parts:
    return tuple(replace(p, whole_day=True) if isinstance(p, Clock) else p for p in parts)


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
