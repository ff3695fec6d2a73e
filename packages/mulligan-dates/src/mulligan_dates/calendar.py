"""Arithmetic on days: months that end early, the n-th Monday, Easter, and days that have a name.

A country's public holidays come from the `holidays` library if it is there; else none, silently.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Mapping
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from importlib import import_module
from typing import Any

from mulligan_dates.parts import Amount
from mulligan_dates.tables import Table, Words
from mulligan_dates.tokens import LOOKAHEAD, tokenize

WEEK = timedelta(days=7)
DAY = timedelta(days=1)


def add(
    moment: datetime, amount: Amount, *, sign: int = 1, zone: tzinfo | None = None
) -> datetime | None:
    """A moment that much later or, with `-1`, earlier; `None` beyond what a calendar holds.

    Days are those of the calendar. Hours are elapsed time, if the zone of the clock is known.
    """
    months = moment.year * 12 + moment.month - 1 + sign * amount.months
    year, month = divmod(months, 12)
    if not MINYEAR <= year <= MAXYEAR:
        return None
    day = min(moment.day, calendar.monthrange(year, month + 1)[1])
    moved = moment.replace(year=year, month=month + 1, day=day)
    try:
        moved += sign * timedelta(days=amount.days)
        elapsed = sign * timedelta(seconds=amount.seconds)
        if zone is None or not elapsed:
            return moved + elapsed
        instant = moved.replace(fold=moment.fold, tzinfo=zone).astimezone(UTC) + elapsed
        return instant.astimezone(zone).replace(tzinfo=None)
    except OverflowError:
        return None


def make_date(year: int, month: int, *, day: int) -> date | None:
    """That date, or `None` if the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        # The 31st of November.
        return None


_NEXT_YEARS = 5
_LIFETIME = 45


def list_centuries(year: int, today: date) -> tuple[int, ...]:
    """What a year of two figures can be: the next that ends so, the last, or either of them.

    A year told in full is itself. The nearest to come are hardly meant for those of a hundred
    years ago, and nobody speaks of days that are half a century ahead.
    """
    if year >= 100:
        return (year,)
    ahead = (year - today.year) % 100
    if ahead <= _NEXT_YEARS:
        return (today.year + ahead,)
    last = today.year + ahead - 100
    return (last,) if ahead > _LIFETIME else (last + 100, last)


def find_week_start(day: date, *, first: int = 0) -> date:
    """The first day of the week that holds a day; weeks begin on Monday, or on `first`."""
    return day - timedelta(days=(day.weekday() - first) % 7)


def advance_to_weekday(day: date, weekday: int) -> date:
    """The first such weekday from that day on."""
    return day + timedelta(days=(weekday - day.weekday()) % 7)


def find_nth_day(start: date, end: date, *, number: int, weekday: int | None) -> date | None:
    """The n-th day, or the n-th such weekday, from `start` up to but without `end`."""
    step = 1 if weekday is None else 7
    if number > 0:
        first = start if weekday is None else advance_to_weekday(start, weekday)
        found = first + timedelta(days=step * (number - 1))
        return found if found < end else None
    last = end - DAY
    if weekday is not None:
        last -= timedelta(days=(last.weekday() - weekday) % 7)
    found = last + timedelta(days=step * (number + 1))
    return found if found >= start else None


def find_month_span(year: int, month: int) -> tuple[date, date] | None:
    """A month's first day, and the first after it; months may run over: 13 is next January."""
    return find_months_span(year, month, count=1)


def find_months_span(year: int, month: int, *, count: int) -> tuple[date, date] | None:
    """So many months from the first of one on."""
    start_year, start = divmod(year * 12 + month - 1, 12)
    end_year, end = divmod(year * 12 + month - 1 + count, 12)
    if not (start_year >= MINYEAR and end_year <= MAXYEAR):
        return None
    return date(start_year, start + 1, 1), date(end_year, end + 1, 1)


def find_iso_week(year: int, number: int) -> tuple[date, date] | None:
    """The Monday of a week of ISO 8601, and the next one; `None` where the year has no such."""
    try:
        start = date.fromisocalendar(year, number, 1)
        return start, start + WEEK
    except (ValueError, OverflowError):
        return None


def compute_easter(year: int) -> date:
    """Easter Sunday of the western churches, by the anonymous Gregorian algorithm."""
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    r = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * r) // 451
    month, day = divmod(h + r - 7 * m + 114, 31)
    return date(year, month, day + 1)


_CATEGORIES = ("public", "unofficial")
_MOVED = "("
"""What is in brackets says that a day off was moved; the day itself was not."""


@lru_cache(maxsize=512)
def load_national_days(country: str, year: int) -> Mapping[str, tuple[date, ...]]:
    """The days of each holiday in a year, by its name as tokens with spaces between."""
    found: dict[str, tuple[date, ...]] = {}
    for day, names in _load_calendar(country, year):
        for name in names.split(";"):
            key = " ".join(token.text for token in tokenize(name))
            if _MOVED not in name and 0 < len(key.split()) < LOOKAHEAD // 2:
                found[key] = (*found.get(key, ()), day)
    return found


@lru_cache(maxsize=64)
def load_national_names(country: str, year: int, *, words: Words) -> Table[str]:
    """Everything people call the holidays of a country, and the name in `load_national_days`."""
    names = load_national_days(country, year)
    spellings = {name.replace("'", ""): name for name in names} | {name: name for name in names}
    aliases = {alias: name for alias, name in words.feast_aliases.items() if name in names}
    return Table(spellings | aliases)


def _load_calendar(country: str, year: int) -> Iterator[tuple[date, str]]:
    library = _load_library()
    if library is None:
        return
    try:
        known = library.list_supported_countries()
        if country not in known:
            return
        kinds = library.country_holidays(country).supported_categories
        wanted = tuple(each for each in _CATEGORIES if each in kinds)
        days = library.country_holidays(country, years=year, categories=wanted)
    except (NotImplementedError, ValueError):
        # A country or a year the library does not know has no holidays for us.
        return
    yield from days.items()


def _load_library() -> Any:
    try:
        return import_module("holidays")
    except ImportError:
        # `pip install mulligan[dates]` brings it; without it, holidays of countries are unknown.
        return None


Rule = tuple[int, int, int]
"""A month, a weekday, and which one of the month; the last ones are negative."""

_FIXED = {
    "new year": (1, 1),
    "epiphany": (1, 6),
    "burns night": (1, 25),
    "australia day": (1, 26),
    "candlemas": (2, 2),
    "groundhog": (2, 2),
    "valentine": (2, 14),
    "st david": (3, 1),
    "women": (3, 8),
    "pi day": (3, 14),
    "ides of march": (3, 15),
    "st patrick": (3, 17),
    "april fools": (4, 1),
    "earth day": (4, 22),
    "anzac day": (4, 25),
    "st george": (4, 23),
    "workers": (5, 1),
    "cinco de mayo": (5, 5),
    "juneteenth": (6, 19),
    "canada day": (7, 1),
    "bastille day": (7, 14),
    "assumption": (8, 15),
    "german unity": (10, 3),
    "reformation": (10, 31),
    "halloween": (10, 31),
    "all saints": (11, 1),
    "world vegan day": (11, 1),
    "all souls": (11, 2),
    "guy fawkes": (11, 5),
    "armistice": (11, 11),
    "veterans": (11, 11),
    "martinmas": (11, 11),
    "st andrew": (11, 30),
    "world aids day": (12, 1),
    "st nicholas": (12, 6),
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
}
"""The same wherever they are kept."""

_FROM_EASTER = {
    "women's carnival": -52,
    "shrove monday": -48,
    "shrove tuesday": -47,
    "ash wednesday": -46,
    "palm sunday": -7,
    "maundy thursday": -3,
    "good friday": -2,
    "holy saturday": -1,
    "easter": 0,
    "easter monday": 1,
    "ascension": 39,
    "pentecost": 49,
    "whit monday": 50,
    "trinity sunday": 56,
    "corpus christi": 60,
}
"""Of the western churches, in days."""

_FROM_THANKSGIVING = {
    "american thanksgiving": 0,
    "black friday": 1,
    "cyber monday": 4,
    "giving tuesday": 5,
}
"""Shopping days of the United States, kept in other countries too; in days."""

_FROM_FOURTH_ADVENT = {
    "mourning sunday": -35,
    "repentance": -32,
    "sunday of the dead": -28,
    "first advent": -21,
    "second advent": -14,
    "third advent": -7,
    "fourth advent": 0,
}
"""The last Sunday before Christmas, and what is counted back from it; in days."""

_MONDAY, _THURSDAY, _SUNDAY = 0, 3, 6
_THANKSGIVING = (11, _THURSDAY, 4)
_RULES: dict[str, Rule] = {
    "martin luther king": (1, _MONDAY, 3),
    "presidents": (2, _MONDAY, 3),
    "second sunday in may": (5, _SUNDAY, 2),
    "memorial day": (5, _MONDAY, -1),
    "labor day": (9, _MONDAY, 1),
    "columbus": (10, _MONDAY, 2),
    "canadian thanksgiving": (10, _MONDAY, 2),
}
"""By names that only one country has, or whose countries agree."""
_BY_COUNTRY: dict[str, dict[str, Rule]] = {
    "mother's day": {"US CA AU NZ ZA IN PH": (5, _SUNDAY, 2)},
    "father's day": {"US CA GB IE ZA IN PH": (6, _SUNDAY, 3), "AU NZ": (9, _SUNDAY, 1)},
    "summer time begins": {
        "US CA": (3, _SUNDAY, 2),
        "GB IE FR DE ES IT NL BE AT PT PL SE FI DK": (3, _SUNDAY, -1),
    },
    "summer time ends": {
        "US CA": (11, _SUNDAY, 1),
        "GB IE FR DE ES IT NL BE AT PT PL SE FI DK": (10, _SUNDAY, -1),
    },
    "august bank holiday": {"GB": (8, _MONDAY, -1)},
}
_SUMMER_TIME_SINCE = 2007
"""Before, the rules were others."""


def find_feast(name: str, year: int, *, country: str | None) -> date | None:
    """The day of a name in a year; `None` where it has none, or more than one."""
    if not MINYEAR <= year < MAXYEAR:
        # Around today, at either end of the calendar.
        return None
    if name in _FIXED:
        return date(year, *_FIXED[name])
    if name in _FROM_EASTER:
        # The Gregorian calendar, and so this way to count, began in 1583.
        return compute_easter(year) + timedelta(days=_FROM_EASTER[name]) if year > 1582 else None
    if name in _FROM_FOURTH_ADVENT:
        fourth = find_week_start(date(year, 12, 24), first=_SUNDAY)
        return fourth + timedelta(days=_FROM_FOURTH_ADVENT[name])
    if name in _RULES:
        return _apply_rule(_RULES[name], year)
    if name in _BY_COUNTRY:
        return _find_by_country(year, name, country)
    if name in _FROM_THANKSGIVING:
        thanksgiving = _apply_rule(_THANKSGIVING, year)
        return thanksgiving + timedelta(days=_FROM_THANKSGIVING[name]) if thanksgiving else None
    days = load_national_days(country, year).get(name, ()) if country else ()
    return days[0] if len(days) == 1 else None


def _find_by_country(year: int, name: str, country: str | None) -> date | None:
    if name.startswith("summer time") and year < _SUMMER_TIME_SINCE:
        return None
    for countries, rule in _BY_COUNTRY[name].items():
        if country in countries.split():
            return _apply_rule(rule, year)
    return None


def _apply_rule(rule: Rule, year: int) -> date | None:
    month, weekday, number = rule
    span = find_month_span(year, month)
    return find_nth_day(*span, number=number, weekday=weekday) if span else None
