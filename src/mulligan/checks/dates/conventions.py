"""Where people disagree about what words mean, and how to pin one side."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class Convention(StrEnum):
    """One side of a disagreement, named `question.answer`."""

    NEXT_SOONEST = "next.soonest"
    """"Next Friday" is the first one that comes."""
    NEXT_WEEK = "next.week_after"
    """"Next Friday" is the one of the coming week."""
    WEEK_MONDAY = "week.monday"
    WEEK_SUNDAY = "week.sunday"
    ORDER_MONTH = "order.month_first"
    """3/4 is the fourth of March."""
    ORDER_DAY = "order.day_first"
    """3/4 is the third of April."""
    SIDE_PAST = "side.past"
    """A date without a year, a weekday without a week: the last one there was."""
    SIDE_FUTURE = "side.future"
    CLOCK_AM = "clock.am"
    """"At 7" is seven in the morning."""
    CLOCK_PM = "clock.pm"
    NIGHT_CALENDAR = "night.calendar"
    """"Tomorrow", said at two in the morning, is the next day of the calendar."""
    NIGHT_SLEEP = "night.after_sleep"
    """"Tomorrow", said at two in the morning, is when it gets light."""
    SHIFT_DAY = "shift.day"
    """"In 5 days" is that day."""
    SHIFT_MOMENT = "shift.moment"
    """"In 5 days" is 120 hours from now, as the clock shows it."""
    WEEKEND_SATURDAY = "weekend.saturday"
    WEEKEND_FRIDAY = "weekend.friday_evening"
    """It begins when work ends."""
    COUNT_ROLLING = "count.rolling"
    """"The next 3 months" begin today."""
    COUNT_CALENDAR = "count.calendar"
    """"The next 3 months" begin with the next month."""
    WITHIN_ALL = "within.all_of_it"
    """"Within an hour" is any time until then."""
    WITHIN_END = "within.its_end"
    """"Within an hour" is the time it ends."""
    THROUGH_END = "through.its_end"
    """"From May to July" ends with July."""
    THROUGH_START = "through.its_start"
    """"From May to July" ends when July begins."""
    FOLD_FIRST = "fold.first"
    """Half past two on the night the clocks go back: the first one."""
    FOLD_SECOND = "fold.second"
    GAP_LATER = "gap.later"
    """A time the clocks jump over: as much later as they jump."""

    @property
    def question(self) -> str:
        """What the disagreement is about."""
        return _QUESTIONS[self]


_QUESTIONS = {each: each.value.partition(".")[0] for each in Convention}
Pins = frozenset[Convention]
"""The answers someone settled on, at most one to a question."""

NO_PINS: Pins = frozenset()

_MONTH_FIRST = frozenset({"US", "CA", "PH", "BZ"})


def choose_pins(locale: str) -> Pins:
    """What a locale such as `en-GB` settles: in which order a date is written in figures."""
    region = _parse_region(locale)
    if region is None:
        return NO_PINS
    return frozenset({Convention.ORDER_MONTH if region in _MONTH_FIRST else Convention.ORDER_DAY})


def _parse_region(locale: str) -> str | None:
    region = locale.replace("_", "-").rpartition("-")[2]
    return region if len(region) == 2 and region.isupper() else None


def is_allowed(rests_on: Collection[Convention], pins: Pins) -> bool:
    """Whether what rests on these conventions agrees with what is pinned."""
    if not rests_on or not pins:
        return True
    settled = {pin.question: pin for pin in pins}
    return all(settled.get(each.question, each) is each for each in rests_on)
