"""What a time expression can mean: readings, each with the conventions it rests on.

All start from a moment: when and where something was said. Zones are found by their names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from enum import IntEnum, StrEnum
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from msgspec import Struct, field
from msgspec.structs import replace


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
    CENTURY_FUTURE = "century.future"
    """A year of two figures, 62, is the next that ends so."""
    CENTURY_PAST = "century.past"
    """A year of two figures, 62, is the last that ended so."""
    CLOCK_AM = "clock.am"
    """"At 7" is seven in the morning."""
    CLOCK_PM = "clock.pm"
    NIGHT_CALENDAR = "night.calendar"
    """"Tomorrow", said at two in the morning, is the next day of the calendar."""
    NIGHT_SLEEP = "night.after_sleep"
    """"Tomorrow", said at two in the morning, is when it gets light."""
    EIGHT_COUNTED = "eight_days.counted"
    """"In acht Tagen" is in eight days."""
    EIGHT_WEEK = "eight_days.a_week"
    """"In acht Tagen" is in a week."""
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
    DAY_CALENDAR = "day_end.midnight"
    DAY_WORK = "day_end.work"
    """The end of a day is when work is over, at five."""
    EDGE_DAY = "edge.one_day"
    """"The end of the month" is its last day."""
    EDGE_THIRD = "edge.a_third"
    """"The end of the month" begins with the 21st."""
    WEEKS_CALENDAR = "weeks.calendar"
    """"The first week of June" is the week of the calendar that has most of its days in June."""
    WEEKS_COUNTED = "weeks.counted"
    """"The first week of June" ends on the seventh."""
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
_USUAL_REGION = {"de": "DE"}
"""Of languages whose countries all write dates in the same order."""
_LOCALE = re.compile(
    r"(?P<language>[a-z]{2,3})(?:[-_][a-z]{4})?(?:[-_](?P<region>[a-z]{2}|\d{3}))?(?:[.@].*)?",
    re.IGNORECASE,
)


def choose_pins(locale: str) -> Pins:
    """What a locale such as `en-GB` settles: in which order a date is written in figures."""
    found = _LOCALE.fullmatch(locale)
    region = found and (found["region"] or _USUAL_REGION.get(found["language"].lower()))
    if not region:
        return NO_PINS
    month_first = region.upper() in _MONTH_FIRST
    return frozenset({Convention.ORDER_MONTH if month_first else Convention.ORDER_DAY})


def is_locale(text: str) -> bool:
    """Whether it is written as a locale is: `de`, `en-GB`."""
    return _LOCALE.fullmatch(text) is not None


def is_allowed(rests_on: Collection[Convention], pins: Pins) -> bool:
    """Whether what rests on these conventions agrees with what is pinned."""
    if not rests_on or not pins:
        return True
    settled = {pin.question: pin for pin in pins}
    return all(settled.get(each.question, each) is each for each in rests_on)


class Grain(IntEnum):
    """How finely a reading is told, from a second to a stretch of time."""

    SECOND = 0
    MINUTE = 1
    PART = 2
    """A part of a day: a morning, an evening. Its start is vague."""
    DAY = 3
    SPAN = 4
    """A stretch with a first and a last moment: a week, a month, from three to five."""


class Reading(Struct, frozen=True, kw_only=True):
    """One thing an expression can mean, on the clock of the person who said it."""

    start: datetime
    """Naive: what the person's own clock and calendar show."""
    end: datetime
    """The first moment after it; the same as `start` for a moment."""
    grain: Grain
    rests_on: frozenset[Convention] = field(default_factory=frozenset)
    """Empty where all conventions agree."""

    @property
    def last_day(self) -> date:
        """The last day it touches."""
        if self.end <= self.start:
            return self.start.date()
        return (self.end - timedelta(microseconds=1)).date()

    @property
    def is_past_side(self) -> bool:
        """Whether it is the one of two sides that is over."""
        return Convention.SIDE_PAST in self.rests_on

    def holds_day(self, day: date) -> bool:
        """Whether any of it falls on that day."""
        return self.start.date() <= day <= self.last_day


class Expression(Struct, frozen=True, kw_only=True):
    """Words of a message that speak of time, and everything they can mean."""

    text: str
    start: int
    """Where in the message, as `message[start:end]`."""
    end: int
    readings: tuple[Reading, ...]
    """Empty: these words speak of time, but are not understood."""
    mentions: tuple[Reading, ...] = ()
    """What it is counted from: the Friday of "a week after Friday"."""
    vague: bool = False
    """"A few days": the readings are a guess at what others would take it for."""
    dated: bool = True
    """Whether it says a day, and not only a time of one."""
    binding: bool = True
    """Whether it says when something shall be, and not only which thing is spoken of."""
    open_start: bool = False
    """Until Friday: what goes on until then may have begun at any time."""
    exact: bool = True
    """Whether nothing says that it is only about then, or an edge: around 7, before 7."""
    looks_back: bool = False
    """Whether its message may speak of what was, so that a side that is over can be meant."""
    superseded: bool = False
    """The person corrected it later in the same message."""
    source: bool = False
    """Where something was: "from Wednesday", of what is moved to another day."""
    refuses: tuple[Reading, ...] = ()
    """What the person ruled out: "not Thursday". It has no readings then."""
    ranged: bool = False
    """It tells both ends: from Monday to Friday."""
    leans: bool = False
    """Half an hour *later*: than now, or than what a call changes was."""
    quoted: bool = False
    """It is in quotation marks: it is of a text, and says nothing to the agent."""
    clause: int = 0
    """Which clause of the message it is in."""

    @property
    def sharp(self) -> bool:
        """Whether it is not left open how much or when: not *a few days*, not *asap*."""
        return self.exact and not self.vague

    @property
    def known(self) -> bool:
        """Whether it can be held against a date."""
        return bool(self.readings) and not self.vague


def parse_local_moment(value: object, *, zone: str | None) -> datetime | None:
    """A date or time as the person's clock shows it, without a zone; `None` if unknown.

    One that has no zone is taken as the person's own. One that has a zone needs theirs.
    """
    match value:
        case datetime():
            return show_on_clock(value, zone)
        case date():
            return datetime.combine(value, time.min)
        case str() if re.match(r"\d{4}-\d{2}-\d{2}", value):
            try:
                return show_on_clock(datetime.fromisoformat(value), zone)
            except ValueError:
                # It looks like a date and is none.
                return None
        case _:
            return None


def find_zone(name: str | None) -> ZoneInfo | None:
    """The IANA zone of that name; `None` when there is none."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # Not a zone, not a name at all, or a folder of zones.
        return None


def on_clock_of(zone: tzinfo, instant: datetime) -> datetime | None:
    """What a clock in the zone shows at an instant, without a zone; `None` if none can."""
    try:
        return instant.astimezone(zone).replace(tzinfo=None)
    except OverflowError:
        # The first and the last day of the calendar have no other side in every zone.
        return None


def show_on_clock(instant: datetime, zone: str | None) -> datetime | None:
    """An instant on the clock of a zone by its name; one that has no zone stays as it is."""
    if instant.tzinfo is None:
        return instant
    known = find_zone(zone)
    return on_clock_of(known, instant) if known else None


_DAY = timedelta(days=1)
_MIDNIGHT = time()


class Moment(Struct, frozen=True, kw_only=True):
    """Now, as the person's own clock shows it."""

    now: datetime
    """Naive."""
    zone: tzinfo | None = None
    """`None`: not known, and then what is told in another zone has no meaning."""
    country: str | None = None
    """Whose holidays are meant, as two letters."""

    @property
    def today(self) -> date:
        """The person's date."""
        return self.now.date()


class UnknownZoneError(ValueError):
    """No IANA zone has that name."""


def make_moment(at: datetime, *, timezone: str | tzinfo, country: str | None = None) -> Moment:
    """An instant on the clock of a zone; one without a zone, or an unknown zone, is refused."""
    if not isinstance(at, datetime):
        raise TypeError(f"{at!r} is not a datetime. Pass an aware time, such as datetime.now(UTC).")
    if at.utcoffset() is None:
        raise ValueError(f"{at} has no zone. Pass an aware time, such as datetime.now(UTC).")
    zone = timezone if isinstance(timezone, tzinfo) else find_zone(timezone)
    wall = on_clock_of(zone, at) if zone else None
    if zone is None or wall is None:
        why = f"{timezone!r} is not an IANA zone such as 'Europe/Vienna'."
        if not available_timezones():
            why = "This machine has no time zones: pip install tzdata."
        raise UnknownZoneError(why)
    return Moment(now=wall, zone=zone, country=country)


def make_day(day: date, *rests_on: Convention) -> Reading:
    """A day from midnight to midnight."""
    start = make_midnight(day)
    return Reading(start=start, end=start + _DAY, grain=Grain.DAY, rests_on=frozenset(rests_on))


def make_span(
    start: date | datetime, end: date | datetime, *rests_on: Convention, grain: Grain = Grain.SPAN
) -> Reading:
    """A stretch of time up to but without its end."""
    return Reading(
        start=make_midnight(start),
        end=make_midnight(end),
        grain=grain,
        rests_on=frozenset(rests_on),
    )


def make_instant(at: datetime, *rests_on: Convention) -> Reading:
    """One moment."""
    return Reading(start=at, end=at, grain=Grain.SECOND, rests_on=frozenset(rests_on))


def limit_reading(reading: Reading, at: Moment, *, side: int) -> Reading:
    """All that is nearer to now than a reading, if `side` is -1; if it is 1, all beyond it."""
    past = reading.start <= at.now
    if side > 0:
        far = make_midnight(date.min if past else date.max)
        start, end = (far, reading.end) if past else (reading.start, far)
    else:
        start, end = (reading.start, at.now) if past else (at.now, reading.end)
    return Reading(start=start, end=end, grain=Grain.SPAN, rests_on=reading.rests_on)


def make_midnight(day: date | datetime) -> datetime:
    """The moment a day begins; a moment stays what it is."""
    return day if isinstance(day, datetime) else datetime.combine(day, _MIDNIGHT)


def list_instants(wall: datetime, zone: tzinfo) -> list[tuple[datetime, Convention | None]]:
    """When a clock shows that: once, twice where it goes back, and in a gap a little later.

    A time that is marked as the second of two (`fold`) is only that one.
    """
    first, second = (wall.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return [(first, None)]
    if _survives_round_trip(first, zone):
        if wall.fold:
            return [(second, None)]
        return [(first, Convention.FOLD_FIRST), (second, Convention.FOLD_SECOND)]
    # No clock shows it; most take it for the time without the jump.
    return [(first.astimezone(UTC).astimezone(zone), Convention.GAP_LATER)]


def convert_zone(
    readings: list[Reading], at: Moment, *, minutes: int, place: str | None
) -> list[Reading]:
    """Moments told in a zone of the person's choice, on the person's own clock."""
    told = find_zone(place) if place else timezone(timedelta(minutes=minutes))
    if at.zone is None or told is None:
        return []
    moved = []
    for each in readings:
        if each.grain > Grain.MINUTE:
            continue
        wall = on_clock_of(at.zone, each.start.replace(tzinfo=told))
        if wall is not None:
            moved.append(replace(each, start=wall, end=wall))
    return moved


def _survives_round_trip(moment: datetime, zone: tzinfo) -> bool:
    return moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == moment.replace(
        tzinfo=None
    )


_MOST = 4


_RARER = {
    Convention.WEEK_SUNDAY,
    Convention.WEEKEND_FRIDAY,
    Convention.EDGE_THIRD,
    Convention.WEEKS_COUNTED,
}
"""What fewer people mean than the other answer to the same question."""


def rank_readings(readings: Iterable[Reading], *, now: datetime) -> list[Reading]:
    """What lies ahead first, then what is usual, then the nearest; what is over comes last."""
    found = list(readings)
    # 3.4. has no convention for the day first, and 3/4 has one: only there, orders are equal.
    equal = any(Convention.ORDER_DAY in each.rests_on for each in found)

    def rank(each: Reading) -> tuple[bool, bool, bool, int]:
        over = each.is_past_side or each.end < now
        unusual = Convention.ORDER_MONTH in each.rests_on and not equal
        rare = Convention.CLOCK_AM in each.rests_on and each.start.hour == 0
        rare = rare or not _RARER.isdisjoint(each.rests_on)
        return over, unusual, rare, abs((each.start.date() - now.date()).days)

    return sorted(found, key=rank)


def describe_readings(readings: Sequence[Reading]) -> str:
    """All readings in one line, the first few of them in full."""
    if not readings:
        return "nothing known"
    shown = " or ".join(describe_reading(each) for each in readings[:_MOST])
    more = len(readings) - _MOST
    return f"{shown} or {more} more" if more > 0 else shown


def describe_reading(reading: Reading) -> str:
    """One reading: `Friday 2025-10-24`, with a time or an end where it has one."""
    first = describe_day(reading.start)
    match reading.grain:
        case Grain.SECOND | Grain.MINUTE:
            return f"{first} {reading.start:%H:%M}"
        case Grain.SPAN if reading.last_day != reading.start.date():
            return f"{first} to {reading.last_day:%A} {reading.last_day}"
        case Grain.SPAN:
            return f"{first} {reading.start:%H:%M} to {reading.end:%H:%M}"
        case _:
            return first


def describe_day(moment: datetime) -> str:
    """A day with its weekday."""
    return f"{moment:%A} {moment.date()}"
