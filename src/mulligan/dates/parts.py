"""What a phrase about time is made of. The grammar finds these; `meaning` adds them up."""

from __future__ import annotations

from mulligan.dates.tables import DayPart, Half, Side, Unit, Which
from mulligan.process.lazy import dataclass


@dataclass(frozen=True, slots=True)
class MonthDay:
    """The 3rd of March, with or without a year."""

    month: int
    day: int
    year: int | None = None
    which: Which | None = None


@dataclass(frozen=True, slots=True)
class NumericDate:
    """3/4 or 3.4.2019: a month and a day, in an order that differs by country."""

    first: int
    second: int
    year: int | None = None
    which: Which | None = None
    dotted: bool = False
    """3.4.2019: whoever writes dots begins with the day."""


@dataclass(frozen=True, slots=True)
class DayNumber:
    """The 15th, of a month that is not said."""

    day: int


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week; Monday is 0."""

    day: int
    which: Which | None = None
    weeks: int = 0
    """Friday week, two weeks on Friday: so many weeks after the coming one."""


@dataclass(frozen=True, slots=True)
class DayShift:
    """Today, tomorrow."""

    days: int


@dataclass(frozen=True, slots=True)
class Period:
    """This week, next month, the weekend."""

    unit: Unit
    which: Which


@dataclass(frozen=True, slots=True)
class Counted:
    """The next three days."""

    count: int
    unit: Unit
    which: Which


@dataclass(frozen=True, slots=True)
class Month:
    """March, with or without a year."""

    month: int
    year: int | None = None
    which: Which | None = None


@dataclass(frozen=True, slots=True)
class Year:
    """2019."""

    year: int


@dataclass(frozen=True, slots=True)
class YearOrTime:
    """March 12 *1603*: a year of long ago, or three past four in the afternoon."""

    figures: int


@dataclass(frozen=True, slots=True)
class Quarter:
    """Q3."""

    number: int
    year: int | None = None


@dataclass(frozen=True, slots=True)
class Nth:
    """The first Monday, the last day of the stretch that follows; from its end if negative."""

    number: int
    weekday: int | None
    """`None`: a day of any name."""
    weekend: bool = False
    """The weekend that begins with that weekday."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The beginning or the end of the stretch that follows."""

    side: Side


@dataclass(frozen=True, slots=True)
class WeekOf:
    """The week that holds the date that follows."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How long: two weeks, a day and five hours."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    vague: bool = False


@dataclass(frozen=True, slots=True)
class Shift:
    """An amount of time from now or, `anchored`, from what follows."""

    amount: Amount
    sign: int
    anchored: bool = False


@dataclass(frozen=True, slots=True)
class Within:
    """Any time from now until an amount of time has gone by."""

    amount: Amount


@dataclass(frozen=True, slots=True)
class Lasting:
    """For two hours: how long something goes on from when it begins."""

    amount: Amount


@dataclass(frozen=True, slots=True)
class WeekdayAway:
    """Three Fridays from now."""

    count: int
    weekday: int
    sign: int


@dataclass(frozen=True, slots=True)
class WeekdayFrom:
    """The Friday before, the third Tuesday after what follows."""

    count: int
    weekday: int
    sign: int


@dataclass(frozen=True, slots=True)
class Feast:
    """A holiday, by the name its table knows."""

    name: str
    which: Which | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day."""

    hour: int
    minute: int = 0
    second: int | None = None
    half: Half | None = None
    whole_day: bool = False
    """Told on a clock of 24 hours, so that no half is open."""


@dataclass(frozen=True, slots=True)
class Midnight:
    """The moment between two days, which people give to either."""


@dataclass(frozen=True, slots=True)
class ThisTime:
    """The time of day that it is now: this time tomorrow."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a day."""

    name: DayPart


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone the person named, in minutes east of Greenwich."""

    minutes: int


@dataclass(frozen=True, slots=True)
class Now:
    """This moment."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """Words that speak of time in a way no rule understands: every Monday, Super Tuesday."""


Dated = (
    MonthDay
    | NumericDate
    | DayNumber
    | Weekday
    | DayShift
    | Period
    | Counted
    | Month
    | Year
    | YearOrTime
    | Quarter
    | Nth
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
