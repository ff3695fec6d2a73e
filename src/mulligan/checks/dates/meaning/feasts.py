"""The days of holidays and of other days that have a name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from mulligan.checks.dates.meaning.arithmetic import easter, month_span, nth_day
from mulligan.checks.dates.meaning.national import national_days

Rule = tuple[int, int, int]
"""A month, a weekday, and which one of the month; the last ones are negative."""

_FIXED = {
    "new year": (1, 1),
    "valentine": (2, 14),
    "st patrick": (3, 17),
    "earth day": (4, 22),
    "workers": (5, 1),
    "halloween": (10, 31),
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
}
"""The same wherever they are kept."""

_FROM_EASTER = {
    "shrove tuesday": -47,
    "ash wednesday": -46,
    "palm sunday": -7,
    "maundy thursday": -3,
    "good friday": -2,
    "easter": 0,
    "easter monday": 1,
    "ascension": 39,
    "pentecost": 49,
    "whit monday": 50,
}
"""Of the western churches, in days."""

_MONDAY, _THURSDAY, _SUNDAY = 0, 3, 6
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


def feast_in(name: str, year: int, *, country: str | None) -> date | None:
    """The day of a name in a year; `None` where it has none, or more than one."""
    if name in _FIXED:
        return date(year, *_FIXED[name])
    if name in _FROM_EASTER:
        # The Gregorian calendar, and so this way to count, began in 1583.
        return easter(year) + timedelta(days=_FROM_EASTER[name]) if year > 1582 else None
    if name in _BY_COUNTRY:
        return _ruled(year, name, country)
    if special := _SPECIAL.get(name):
        return special(year)
    days = national_days(country, year).get(name, ()) if country else ()
    return days[0] if len(days) == 1 else None


def _ruled(year: int, name: str, country: str | None) -> date | None:
    if name.startswith("summer time") and year < _SUMMER_TIME_SINCE:
        return None
    for countries, rule in _BY_COUNTRY[name].items():
        if country in countries.split():
            return _by(rule, year)
    return None


def _by(rule: Rule, year: int) -> date | None:
    month, weekday, number = rule
    span = month_span(year, month)
    return nth_day(*span, number=number, weekday=weekday) if span else None


def _black_friday(year: int) -> date | None:
    thanksgiving = _by((11, _THURSDAY, 4), year)
    return thanksgiving + timedelta(days=1) if thanksgiving else None


_SPECIAL: dict[str, Callable[[int], date | None]] = {"black friday": _black_friday}
