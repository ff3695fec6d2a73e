"""Finding dates and times of day in folded text."""

from __future__ import annotations

import re
from functools import cache

from mulligan.checks.grounding.digits import Run, find_word_before
from mulligan.checks.grounding.lists import build_alternation, load_grounding_tables
from mulligan.checks.language.detection import is_unspaced
from mulligan.checks.language.folders import load_others
from mulligan.checks.language.lexicon import join_words, load_words
from mulligan.core.runtime.dataclass import dataclass

_SHORT_DATE = re.compile(r"(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0?[1-9]|1[0-2])\.(?!\d)")
"""16.11., as German leaves the year out."""
_EAST_ASIAN = re.compile(
    r"(?:(?P<year>\d{4})\s?[\u5e74\ub144]\s?)?(?P<month>\d{1,2})\s?[\u6708\uc6d4]\s?"
    r"(?:(?P<day>\d{1,2})\s?[\u65e5\u53f7\u865f\uc77c])?"
)
"""Year, month and day with the word for each behind it: Chinese, Japanese, Korean."""
_BEHIND_AN_HOUR = frozenset(":aph.")
_MAY_BEGIN_A_DATE = frozenset("-/. \nsnrt")
"""What stands behind the first digits of a date."""
_DIGITS_AT_START = (1, 2, 4)
"""How many digits a date can begin with: those of a day, a month or a year."""
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
        mine = [self, *([self._swap_order()] if self.swapped else [])]
        theirs = [claim, *([claim._swap_order()] if claim.swapped else [])]
        return any(_covers(known, said) for known in mine for said in theirs)

    def _swap_order(self) -> Date:
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


def find_dates(folded: str, runs: list[Run], *, known: bool = False) -> list[Date]:
    """Every date with a month, in order.

    `known`: what may be one is good enough, because it is only held against what is claimed. Else
    "1.2." is a date where a word before it says so, and a version or a paragraph elsewhere.
    """
    dates: list[Date] = []
    done = 0
    for start, end in runs:
        if start < done or end - start not in _DIGITS_AT_START:
            continue
        date = _parse_east_asian(folded, start) if is_unspaced(folded[end : end + 1]) else None
        if folded[end : end + 1] in _MAY_BEGIN_A_DATE:
            date = _parse_day_first(folded, start)
            if date is None and (known or _has_date_word_before(folded, start)):
                date = _parse_short_date(folded, start)
        if date is None and find_word_before(folded, start) in load_grounding_tables()["months"]:
            date = _parse_month_first(folded, start)
        if date is not None:
            dates.append(date)
            done = date.end
    return dates


def find_times(folded: str, runs: list[Run]) -> list[ClockTime]:
    """Every time of day, in order."""
    return [
        _parse_clock_time(found)
        for start, end in runs
        if folded[end : end + 2].lstrip()[:1] in _BEHIND_AN_HOUR
        and (found := _compile_clock().match(folded, start))
        and not _continues(folded, start, also=":.")
    ]


def _continues(text: str, at: int, *, also: str) -> bool:
    """Whether a place is in the middle of a word or a longer numeral."""
    before = text[at - 1 : at]
    return before.isalnum() or before == "_" or (before != "" and before in also)


def _parse_day_first(text: str, start: int) -> Date | None:
    found = _compile_day_first().match(text, start)
    if found is None or _continues(text, start, also="/.-"):
        return None
    end = found.end()
    if found["iso_year"]:
        year, month, day = (int(found[name]) for name in ("iso_year", "iso_month", "iso_day"))
        return Date(year=year, month=month, day=day, start=start, end=end)
    if found["first"]:
        return _parse_slashed(found)
    return Date(
        year=int(found["year"]) if found["year"] else None,
        month=load_grounding_tables()["months"][found["month"]],
        day=int(found["day"]),
        start=start,
        end=end,
    )


def _parse_east_asian(text: str, start: int) -> Date | None:
    found = _EAST_ASIAN.match(text, start)
    if found is None:
        return None
    year, month, day = (int(n) if n else None for n in found.group("year", "month", "day"))
    return Date(year=year, month=month, day=day, start=start, end=found.end())


def _has_date_word_before(text: str, start: int) -> bool:
    return find_word_before(text, start) in load_grounding_tables()["words"]["before_a_date"]


def _parse_short_date(text: str, start: int) -> Date | None:
    found = _SHORT_DATE.match(text, start)
    if found is None or _continues(text, start, also="/.-"):
        return None
    return Date(month=int(found["month"]), day=int(found["day"]), start=start, end=found.end())


def _parse_slashed(found: re.Match[str]) -> Date:
    first, second, year = int(found["first"]), int(found["second"]), int(found["slash_year"])
    return Date(
        year=year if year > 99 else 2000 + year,
        month=second if second <= 12 else first,
        day=first if second <= 12 else second,
        swapped=first <= 12 and second <= 12 and first != second,
        start=found.start(),
        end=found.end(),
    )


def _parse_month_first(text: str, start: int) -> Date | None:
    found = _compile_after_month().match(text, start)
    if found is None:
        return None
    month = find_word_before(text, start)
    year = found["year"] or found["alone"]
    return Date(
        year=int(year) if year else None,
        month=load_grounding_tables()["months"][month],
        day=int(found["day"]) if found["day"] else None,
        start=text.rindex(month, 0, start),
        end=found.end(),
    )


def _parse_clock_time(found: re.Match[str]) -> ClockTime:
    start, end = found.span()
    if found["half"]:
        hour = int(found["hour"]) % _HOUR_OF_NOON
        minutes = 60 * hour + int(found["minute"] or 0)
        minutes += _HALF_DAY if found["half"] == "p" else 0
        return ClockTime(minutes=minutes, certain=True, start=start, end=end)
    hour = int(found["hour24"])
    minutes = 60 * hour + int(found["minute24"] or found["dotted"] or found["behind_h"])
    unclear = 1 <= hour <= _HOUR_OF_NOON and not found["hour24"].startswith("0")
    return ClockTime(minutes=minutes, certain=not unclear, start=start, end=end)


_YEAR = r"(?:19|20)\d\d(?!\d)"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"


@cache
def _compile_after_month() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<alone>{_YEAR})|(?P<day>{_DAY})(?:{join_words('dates', 'ordinal')})?(?!\w)"
        rf"(?:,?\s+(?P<year>{_YEAR}))?"
    )


@cache
def _compile_day_first() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<iso_year>\d{{4}})-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)(?![\d-])"
        rf"|(?P<first>\d{{1,2}})[/.](?P<second>\d{{1,2}})[/.]"
        rf"(?P<slash_year>{_YEAR}|\d\d(?![\d/.]))"
        rf"|(?P<day>{_DAY})(?:{join_words('dates', 'ordinal')})?\.?\s+"
        rf"(?:(?:{_join_joints('of_month')})\s+)?"
        rf"(?P<month>{build_alternation(load_grounding_tables()['months'])})\b\.?"
        rf"(?:,?\s+(?:(?:{_join_joints('of_year')})\s+)?(?P<year>{_YEAR}))?"
    )


def _join_joints(name: str) -> str:
    """What stands between a day and its month, or between both and their year."""
    told = (each.get(name, "") for each in load_others().values())
    own = load_words("dates", "of") if name == "of_month" else ()
    return build_alternation({*own, *" ".join(told).split()})


@cache
def _compile_clock() -> re.Pattern[str]:
    """12:30, 12:30 pm, 12.30 with the word for it, 12h30."""
    word = build_alternation(load_grounding_tables()["words"]["behind_a_time"])
    return re.compile(
        r"(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\b\.?"
        r"|(?P<hour24>[01]?\d|2[0-4])(?::(?P<minute24>[0-5]\d)(?![:\d])"
        rf"|\.(?P<dotted>[0-5]\d)\s?(?:{word})\b|\s?h\s?(?P<behind_h>[0-5]\d)\b)"
    )
