"""What a phrase about time is made of. The grammar finds these; `meaning` adds them up."""

from __future__ import annotations

from msgspec import Struct

from mulligan_dates.tables import DayPart, Half, Side, Unit, Which


class MonthDay(Struct, frozen=True):
    """The 3rd of March, with or without a year."""

    month: int
    day: int
    year: int | None = None
    """Here and below, as it was said: `list_centuries` tells what two figures can be."""
    which: Which | None = None


class NumericDate(Struct, frozen=True):
    """3/4 or 3.4.2019: a month and a day, in an order that differs by country."""

    first: int
    second: int
    year: int | None = None
    which: Which | None = None
    dotted: bool = False
    """3.4.2019: dates with dots begin with the day."""


class DayNumber(Struct, frozen=True):
    """The 15th, of a month that is not said."""

    day: int


class Weekday(Struct, frozen=True):
    """A day of the week; Monday is 0."""

    day: int
    which: Which | None = None
    weeks: int = 0
    """Friday week, two weeks on Friday: so many weeks after the coming one."""


class DayShift(Struct, frozen=True):
    """Today, tomorrow."""

    days: int


class Period(Struct, frozen=True):
    """This week, next month, the weekend."""

    unit: Unit
    which: Which


class Counted(Struct, frozen=True):
    """The next three days."""

    count: int
    unit: Unit
    which: Which


class WeekNumber(Struct, frozen=True):
    """The 45th week of a year, as ISO 8601 counts them."""

    number: int
    year: int | None = None


class Month(Struct, frozen=True):
    """March, with or without a year."""

    month: int
    year: int | None = None
    which: Which | None = None


class Year(Struct, frozen=True):
    """2019."""

    year: int


class YearOrTime(Struct, frozen=True):
    """March 12 *1603*: a year of long ago, or three past four in the afternoon."""

    figures: int


class Quarter(Struct, frozen=True):
    """Q3."""

    number: int
    year: int | None = None


class Nth(Struct, frozen=True):
    """The first Monday, the last day of the stretch that follows; from its end if negative."""

    number: int
    weekday: int | None
    """`None`: a day of any name."""
    weekend: bool = False
    """The weekend that begins with that weekday."""


class NthWeek(Struct, frozen=True):
    """The second week of the stretch that follows; from its end if negative."""

    number: int


class Edge(Struct, frozen=True):
    """The beginning or the end of the stretch that follows."""

    side: Side
    soft: bool = False
    """Early March, which is not the first of March."""


class WeekOf(Struct, frozen=True):
    """The week that holds the date that follows."""


class Amount(Struct, frozen=True):
    """How long: two weeks, a day and five hours."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    vague: bool = False
    eight_days: bool = False
    """Said for a week, too."""


class Shift(Struct, frozen=True):
    """An amount of time from now or, `anchored`, from what follows."""

    amount: Amount
    sign: int
    anchored: bool = False


class Within(Struct, frozen=True):
    """Any time from now until an amount of time has gone by."""

    amount: Amount


class Lasting(Struct, frozen=True):
    """For two hours: how long something goes on from when it begins."""

    amount: Amount


class WeekdayAway(Struct, frozen=True):
    """Three Fridays from now."""

    count: int
    weekday: int
    sign: int
    weekend: bool = False
    """The weekends that begin with that weekday."""


class WeekdayFrom(Struct, frozen=True):
    """The Friday before, the third Tuesday after what follows."""

    count: int
    weekday: int
    sign: int


class Feast(Struct, frozen=True):
    """A holiday, by the name its table knows."""

    name: str
    which: Which | None = None


class Clock(Struct, frozen=True):
    """A time of day."""

    hour: int
    minute: int = 0
    second: int | None = None
    half: Half | None = None
    whole_day: bool = False
    """Told on a clock of 24 hours, so that no half is open."""


class Midnight(Struct, frozen=True):
    """The moment between two days, which people give to either."""


class ThisTime(Struct, frozen=True):
    """The time of day that it is now: this time tomorrow."""


class Part(Struct, frozen=True):
    """A part of a day."""

    name: DayPart


class Zone(Struct, frozen=True):
    """A zone the person named, in minutes east of Greenwich."""

    minutes: int = 0
    place: str | None = None
    """Of a zone that has summer time, its IANA name: the date tells how far it is."""


class Now(Struct, frozen=True):
    """This moment, or `soon` after it."""

    soon: bool = False


class Puzzle(Struct, frozen=True):
    """Words that speak of time in a way no rule understands: every Monday, Super Tuesday."""


Dated = (
    MonthDay
    | NumericDate
    | DayNumber
    | Weekday
    | DayShift
    | Period
    | Counted
    | WeekNumber
    | Month
    | Year
    | YearOrTime
    | Quarter
    | Nth
    | NthWeek
    | Edge
    | WeekOf
    | Shift
    | Within
    | Lasting
    | WeekdayAway
    | WeekdayFrom
    | Feast
    | Now
    | Puzzle
)
Timed = Clock | Midnight | ThisTime | Part | Zone
AnyPart = Dated | Timed
