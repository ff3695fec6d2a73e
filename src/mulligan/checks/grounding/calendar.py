"""Finding dates and times of day in folded text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from mulligan.checks.grounding.lists import one_of, tables

_CLOCK = re.compile(
    r"(?<![\w:.])(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\b\.?"
    r"|(?<![\w:.])(?P<hour24>[01]?\d|2[0-4]):(?P<minute24>[0-5]\d)(?![:\d])"
)
_HALF_DAY = 720
_HOUR_OF_NOON = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """A date as far as it is told. Slashes may be read in two orders."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    swapped: bool = False
    """Whether day and month may be the other way round."""
    start: int = 0
    end: int = 0

    def tells(self, claim: Date) -> bool:
        """Whether this date, or what it can be read as, holds all that the claim says."""
        mine = [self, *([self._other_way()] if self.swapped else [])]
        theirs = [claim, *([claim._other_way()] if claim.swapped else [])]
        return any(_covers(known, said) for known in mine for said in theirs)

    def _other_way(self) -> Date:
        return Date(year=self.year, month=self.day, day=self.month)


def _covers(known: Date, said: Date) -> bool:
    pairs = ((known.year, said.year), (known.month, said.month), (known.day, said.day))
    # What the context leaves out is no support, except the year: that is often understood.
    return all(
        theirs is None or mine == theirs or (mine is None and place == 0)
        for place, (mine, theirs) in enumerate(pairs)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTime:
    """A time of day, in minutes; on a clock of twelve hours where nothing says which half."""

    minutes: int
    certain: bool
    start: int = 0
    end: int = 0

    def tells(self, claim: ClockTime) -> bool:
        """Whether the claim can be the same time."""
        if self.certain and claim.certain:
            return self.minutes == claim.minutes
        return self.minutes % _HALF_DAY == claim.minutes % _HALF_DAY


def find_dates(folded: str) -> list[Date]:
    """Every date with a month, in order."""
    return [date for found in _date_pattern().finditer(folded) if (date := _date(found))]


def find_times(folded: str) -> list[ClockTime]:
    """Every time of day, in order."""
    return [_clock_time(found) for found in _CLOCK.finditer(folded)]


def _date(found: re.Match[str]) -> Date | None:
    start, end = found.span()
    if found["iso_year"]:
        year, month, day = (int(found[name]) for name in ("iso_year", "iso_month", "iso_day"))
        return Date(year=year, month=month, day=day, start=start, end=end)
    if found["first"]:
        first, second = int(found["first"]), int(found["second"])
        year = int(found["slash_year"])
        return Date(
            year=year if year > 99 else 2000 + year,
            month=second if second <= 12 else first,
            day=first if second <= 12 else second,
            swapped=first <= 12 and second <= 12 and first != second,
            start=start,
            end=end,
        )
    name = found["month_before"] or found["month_behind"] or found["month_alone"]
    day_said = found["day"] or found["day_behind"]
    year_said = found["year"] or found["year_behind"] or found["year_alone"]
    return Date(
        year=int(year_said) if year_said else None,
        month=tables()["months"][name],
        day=int(day_said) if day_said else None,
        start=start,
        end=end,
    )


def _clock_time(found: re.Match[str]) -> ClockTime:
    start, end = found.span()
    if found["half"]:
        hour = int(found["hour"]) % _HOUR_OF_NOON
        minutes = 60 * hour + int(found["minute"] or 0)
        minutes += _HALF_DAY if found["half"] == "p" else 0
        return ClockTime(minutes=minutes, certain=True, start=start, end=end)
    hour = int(found["hour24"])
    minutes = 60 * hour + int(found["minute24"])
    unclear = 1 <= hour <= _HOUR_OF_NOON and not found["hour24"].startswith("0")
    return ClockTime(minutes=minutes, certain=not unclear, start=start, end=end)


@cache
def _date_pattern() -> re.Pattern[str]:
    months, year = one_of(tables()["months"]), r"(?:19|20)\d\d(?!\d)"
    day = r"(?:[12]\d|3[01]|0?[1-9])"
    return re.compile(
        rf"(?<![\w-])(?P<iso_year>\d{{4}})-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)(?![\d-])"
        rf"|(?<![\w/.])(?P<first>\d{{1,2}})[/.](?P<second>\d{{1,2}})[/.]"
        rf"(?P<slash_year>{year}|\d\d(?![\d/.]))"
        rf"|(?<![\w.])(?P<day>{day})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?P<month_before>{months})\b\.?"
        rf"(?:,?\s+(?P<year>{year}))?"
        rf"|\b(?P<month_behind>{months})\b\.?\s+(?P<day_behind>{day})(?:st|nd|rd|th)?(?!\w)"
        rf"(?:,?\s+(?P<year_behind>{year}))?"
        rf"|\b(?P<month_alone>{months})\b\.?,?\s+(?P<year_alone>{year})"
    )
