"""Dates and codes in the form that is asked for, where there is only one way to read them."""

from __future__ import annotations

import re
from datetime import date, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST = re.compile(r"(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})(?:[T ]00:00(?::00)?Z?)?")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})")
_MONTH_NAMED = re.compile(
    r"(?:(?P<d1>\d{1,2})(?:st|nd|rd|th)?[ .-]++)?(?P<m>[A-Za-z]{3,9})\.?"
    r"(?:[ -]*+(?P<d2>\d{1,2})(?!\d)(?:st|nd|rd|th)?,?)?[ ,-]++(?P<y>\d{4})"
)
_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?( ?(?:Z|[+-]\d{2}:?\d{2}))?"
)
_LITERAL_START = re.compile(r"\^([#@A-Za-z0-9_/:-]+)")

ORDERS = {
    "yyyy-mm-dd": "%Y-%m-%d",
    "%y-%m-%d": "%Y-%m-%d",
    "yyyy/mm/dd": "%Y/%m/%d",
    "mm/dd/yyyy": "%m/%d/%Y",
    "dd/mm/yyyy": "%d/%m/%Y",
    "dd.mm.yyyy": "%d.%m.%Y",
    "mm-dd-yyyy": "%m-%d-%Y",
    "dd-mm-yyyy": "%d-%m-%Y",
}
"""How documentation writes a date's form, and what `strftime` calls it."""


def read_date(text: str) -> date | None:
    """The one day a text can mean; `None` when it can mean two, or none."""
    text = text.strip()
    if len(text) > 40:
        return None
    if found := _YEAR_FIRST.fullmatch(text):
        return _parse_day(found[1], found[2], found[3])
    if found := _YEAR_LAST.fullmatch(text):
        one, other = (
            _parse_day(found[3], found[1], found[2]),
            _parse_day(found[3], found[2], found[1]),
        )
        return one if other is None or one == other else other if one is None else None
    if (found := _MONTH_NAMED.fullmatch(text)) and (found["d1"] is None) != (found["d2"] is None):
        name = found["m"][:3].casefold()
        month = _MONTHS.index(name) + 1 if name in _MONTHS else 0
        return _parse_day(found["y"], str(month), found["d1"] or found["d2"])
    return None


def convert_format(text: str, wanted: str) -> str | None:
    """A text in one of JSON Schema's formats, or `None`."""
    if wanted == "date":
        day = read_date(text)
        return day.isoformat() if day else None
    found = _MOMENT.fullmatch(text.strip())
    if wanted == "date-time" and found and found[4]:
        zone = found[4].strip()
        zone = zone if zone == "Z" or ":" in zone else f"{zone[:3]}:{zone[3:]}"
        return f"{found[1]}T{found[2]}{found[3] or ':00'}{zone}"
    return None


def format_date(text: str, form: str) -> str | None:
    """A date in the form a description asks for, or `None`."""
    day = read_date(text)
    return day.strftime(form) if day else None


def list_variants(text: str, pattern: str) -> set[str]:
    """The plain variants of a text that a pattern may want: trimmed, another case, a prefix."""
    trimmed = text.strip().strip("'\"`")
    forms = {trimmed, trimmed.upper(), trimmed.lower(), re.sub(r"[\s-]", "", trimmed)}
    start = _LITERAL_START.match(pattern)
    if start:
        forms |= {start[1] + form for form in forms}
    return forms - {text}


def _parse_day(year: str, month: str, day: str) -> date | None:
    try:
        return datetime(int(year), int(month), int(day)).date()  # noqa: DTZ001 - a day has no zone
    except ValueError:
        return None
