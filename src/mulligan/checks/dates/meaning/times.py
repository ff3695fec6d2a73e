"""Times of day put on days: which half is meant, and which day when none is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from mulligan.checks.dates.conventions import Convention
from mulligan.checks.dates.meaning.arithmetic import DAY
from mulligan.checks.dates.moment import Moment, make_day
from mulligan.checks.dates.parts import Clock, Midnight
from mulligan.checks.dates.reading import Grain, Reading
from mulligan.checks.language.senses import DayPart, Half

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
    choices = with_clock([today], clock, part=part)
    if isinstance(clock, Midnight):
        return choices
    if len(choices) == 1:
        only = choices[0]
        if only.start >= at.now:
            return choices
        return [
            _tag_reading(only, Convention.SIDE_PAST),
            _tag_reading(_move_to_next_day(only), Convention.SIDE_FUTURE),
        ]
    return sorted(
        (each if each.start >= at.now else _move_to_next_day(each) for each in choices),
        key=lambda each: each.start,
    )


def list_hours(clock: Clock, part: DayPart | None) -> list[Hour]:
    """The hours of the day a clock can mean; none where a part of the day contradicts it."""
    hour = clock.hour
    if clock.half is not None:
        if hour > 12:
            return [(hour, None)]
        return [(hour % 12 + (12 if clock.half is Half.PM else 0), None)]
    if clock.whole_day or hour > 12 or hour == 0:
        return [(hour, None)] if part is None or _lies_in(part, hour) else []
    if part is not None:
        first, placed = _HOURS_OF[part]
        found = hour - 1 + first
        return [(found, None)] if found in placed else _list_noon_hours(hour, part)
    return [(hour % 12, Convention.CLOCK_AM), (hour % 12 + 12, Convention.CLOCK_PM)]


def _lies_in(part: DayPart, hour: int) -> bool:
    """Whether an hour told in full is of that part; 01:30 tonight is on another day."""
    first, last = _SPANS[part]
    return first <= hour < last


def _list_noon_hours(hour: int, part: DayPart) -> list[Hour]:
    return [(hour, None)] if part is DayPart.LUNCH and hour in (11, 12) else []


def _make_moment(
    day: Reading, hour: int, *, clock: Clock, convention: Convention | None = None
) -> Reading:
    moment = day.start + timedelta(hours=hour, minutes=clock.minute, seconds=clock.second or 0)
    rests_on = day.rests_on | {convention} if convention else day.rests_on
    grain = Grain.MINUTE if clock.second is None else Grain.SECOND
    return Reading(start=moment, end=moment, grain=grain, rests_on=rests_on)


def _move_to_next_day(reading: Reading) -> Reading:
    return replace(reading, start=reading.start + DAY, end=reading.end + DAY)


def _tag_reading(reading: Reading, convention: Convention) -> Reading:
    return replace(reading, rests_on=reading.rests_on | {convention})
