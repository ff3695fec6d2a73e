"""Moments in a form that somebody states, as `strptime` writes it or as documentation does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import NamedTuple

from mulligan.learning.shape.formats import read_date

_DIRECTIVE = r"%[YymdHIMSfzp]"
_PART = "(?:YYYY|MM|DD)"
STATED = (
    rf"(?-i:{_DIRECTIVE}(?:[-/.:,T ]{{0,2}}{_DIRECTIVE})++Z?+)"
    rf"|\b{_PART}[-/.]{_PART}[-/.]{_PART}(?:[T ]HH:MM(?::SS)?+Z?+)?+"
    r"|\bHH:MM(?::SS)?+"
)
"""A form as it stands in a sentence; that of documentation in any case."""

PATTERNS: Mapping[str, str] = {
    "Y": r"\d{4}", "y": r"\d{2}", "m": r"\d{2}", "d": r"\d{2}", "H": r"\d{2}", "I": r"\d{2}",
    "M": r"\d{2}", "S": r"\d{2}", "f": r"\d{1,6}", "z": r"[+-]\d{2}:?\d{2}", "p": "[AaPp][Mm]",
}  # fmt: skip
LONGEST = 60

_STATED = re.compile(STATED, re.IGNORECASE)
_MOMENT = re.compile(
    r"(?P<day>[^T:]{6,30}?)(?:(?:T| at |,? )(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:\.(?P<part>\d{1,6}))?)?)? ?(?P<zone>Z|[+-]\d{2}:?\d{2})?"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_UTC = frozenset({"Z", "+00:00", "+0000", "-00:00", "-0000"})


class StatedMoment(NamedTuple):
    """What a text says of a moment, and what it leaves out."""

    day: date
    clock: time | None
    zone: str


def find_form(text: str) -> str | None:
    """The one form that a text states, as `strptime` writes it; `None`: none, or several."""
    named = {_translate(found[0]) for found in _STATED.finditer(text[:2_000])}
    return named.pop() if len(named) == 1 else None


def find_form_of(text: str) -> str | None:
    """The form that a moment is written in, of those with the year first."""
    for form in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"):
        if re.fullmatch(build_pattern(form), text):
            return form
    return "%Y-%m-%d" if re.fullmatch(build_pattern("%Y-%m-%d"), text) else None


def format_moment(text: str, form: str) -> str | None:
    """The same moment in a form; `None` where something would be lost or made up."""
    if "%d" not in form:
        return _format_clock(text, form)
    said = read_moment(text)
    if said is None or not _can_say(said, form):
        return None
    return datetime.combine(said.day, said.clock or time()).strftime(form)


def read_moment(text: str) -> StatedMoment | None:
    """The one moment a text can mean; a clock and a zone only where it names them."""
    text = text.strip()
    found = _MOMENT.fullmatch(text) if len(text) <= LONGEST else None
    day = read_date(found["day"]) if found else read_date(text)
    if found is None or day is None:
        return None if day is None else StatedMoment(day, None, "")
    part = (found["part"] or "").ljust(6, "0")
    numbers = (found["hour"] or 0, found["minute"] or 0, found["second"] or 0, part)
    hour, minute, second, micro = map(int, numbers)
    try:
        clock = time(hour, minute, second, micro) if found["hour"] else None
    except ValueError:
        return None
    return StatedMoment(day, clock, found["zone"] or "")


def build_pattern(form: str) -> str:
    """A regular expression for what is written in a form; empty if it has unknown parts."""
    parts = re.split(r"%(.)", form)
    if any(name not in PATTERNS for name in parts[1::2]):
        return ""
    # Not `re.escape`: the expressions of schemas know no escape before a blank.
    plain = (each.replace(".", "\\.") for each in parts[::2])
    named = (*(PATTERNS[each] for each in parts[1::2]), "")
    return "^" + "".join(f"{before}{part}" for before, part in zip(plain, named, strict=True)) + "$"


def drops_zone(before: str, after: str) -> bool:
    """Whether a moment had a zone and has none any more, which may make it another one."""
    said, now = read_moment(before), read_moment(after)
    return bool(said and said.zone and (now is None or not now.zone))


def _can_say(said: StatedMoment, form: str) -> bool:
    """Whether a form has room for all that was said, and asks for no more."""
    clock = said.clock
    if said.zone:
        fits = said.zone in _UTC and "%z" not in form
    else:
        fits = "%z" not in form and not form.endswith("Z")
    if "%H" not in form:
        return fits and "%I" not in form and clock in (None, time())
    if clock is None:
        return False
    return fits and ("%S" in form or not clock.second) and ("%f" in form or not clock.microsecond)


def _format_clock(text: str, form: str) -> str | None:
    found = _CLOCK.fullmatch(text.strip()[:LONGEST])
    if found is None or form not in ("%H:%M", "%H:%M:%S") or int(found[1]) > 23:
        return None
    if form == "%H:%M":
        return f"{int(found[1]):02}:{found[2]}" if found[3] in (None, "00") else None
    return f"{int(found[1]):02}:{found[2]}:{found[3] or '00'}"


def _translate(words: str) -> str:
    """A form of documentation in the signs of `strptime`."""
    if "%" in words:
        return words
    at = words.upper().find("HH")
    day, clock = (words, "") if at < 0 else (words[:at], words[at:])
    day = day.upper().replace("YYYY", "%Y").replace("MM", "%m").replace("DD", "%d")
    clock = clock.upper().replace("HH", "%H").replace("MM", "%M").replace("SS", "%S")
    return f"{day}{clock}"
