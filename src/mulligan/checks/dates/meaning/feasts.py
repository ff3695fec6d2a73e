"""The days of holidays and of other days that have a name."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, date, timedelta

from mulligan.checks.dates.meaning.arithmetic import compute_easter, find_month_span, find_nth_day
from mulligan.checks.dates.meaning.national import load_national_days

Rule = tuple[int, int, int]
"""A month, a weekday, and which one of the month; the last ones are negative."""

_FIXED = {
    "new year": (1, 1),
    "epiphany": (1, 6),
    "burns night": (1, 25),
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
    "st george": (4, 23),
    "workers": (5, 1),
    "cinco de mayo": (5, 5),
    "bastille day": (7, 14),
    "halloween": (10, 31),
    "all saints": (11, 1),
    "world vegan day": (11, 1),
    "all souls": (11, 2),
    "guy fawkes": (11, 5),
    "armistice": (11, 11),
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
}
"""Of the western churches, in days."""

_FROM_THANKSGIVING = {"black friday": 1, "cyber monday": 4, "giving tuesday": 5}
"""Of the United States, also where nobody gives thanks; in days."""

_MONDAY, _THURSDAY, _SUNDAY = 0, 3, 6
_THANKSGIVING = (11, _THURSDAY, 4)
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
