"""Days in figures or words as tools are given them: `20261121`, `21.11.2026`, `Nov 21, 2026`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cache

from mulligan.checks.language.lexicon import join_words, list_months, list_weekdays

_LONGEST = 64
"""Characters of a value that can be nothing but a date."""
_DASHES = dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.{0,24})?")
_CLOCK = (
    r"(?:[T,]? ?(?P<hour>[01]?\d|2[0-3])(?::?(?P<minute>[0-5]\d))?(?::?(?P<second>[0-5]\d))?"
    r"(?:\.\d{1,9})? ?(?P<half>[ap]\.?m\.?)? ?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?"
)
_SECONDS = (10**9, 4 * 10**9)
"""Since 1970, from 2001 on; a thousand times as many are milliseconds."""
_PARTS = frozenset({"year", "month", "day"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CLOCK_ALONE = re.compile(r"\d{1,2}(?::\d{2}){1,2}.{0,12}|[T ]?\d{1,2} ?[ap]\.?m\.?", re.IGNORECASE)


def fold_figures(text: str) -> str:
    """A value as its reader sees it: plain figures and dashes, and nothing without a width."""
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES)
    return " ".join("".join(c for c in plain if unicodedata.category(c) != "Cf").split())


def is_iso(text: str) -> bool:
    """Whether a folded text is a date as programs write it: `2026-11-21T19:00`."""
    return _ISO.fullmatch(text) is not None


def is_named_for_dates(name: str) -> bool:
    """Whether the last part of a parameter's path says that it holds a day or a time."""
    last = _CAMEL.sub("_", name.rpartition(".")[2]).lower()
    return _compile_named().search(last) is not None


def read_days(value: object) -> Iterator[date]:
    """Every day, with its time if it has one, that a value in another notation can be."""
    match value:
        case bool():
            return
        case int() | float():
            yield from _read_instant(value)
        case str() if len(value) <= _LONGEST:
            yield from _read_text(fold_figures(value))
        case dict() if value.keys() >= _PARTS:
            yield from _build_day(*(value[part] for part in ("year", "month", "day")))


def may_hide_a_date(value: object, *, name: str) -> bool:
    """Whether a value that nobody could read as a date is about one, by its name or its look."""
    if not isinstance(value, str) or not (text := fold_figures(value[:1_000])):
        return False
    if is_named_for_dates(name):
        return _CLOCK_ALONE.fullmatch(text) is None
    return len(text) <= _LONGEST and _looks_like_a_date(text)


def _read_text(text: str) -> Iterator[date]:
    if text.isdecimal() and len(text) > len("20261121"):
        yield from _read_instant(int(text))
        return
    try:
        # Weeks, too: `2026-W47-6`.
        found = datetime.fromisoformat(text) if ":" in text else date.fromisoformat(text)
    except ValueError:
        forms = filter(None, (form.fullmatch(text) for form in _compile_forms()))
        if written := next(forms, None):
            yield from _read_form(written.groupdict())
    else:
        yield found


def _read_form(parts: dict[str, str | None]) -> Iterator[date]:
    """Both orders of day and month where both make one; a point stands behind the day."""
    year = parts["year"]
    if parts.get("one"):
        orders = [(parts["two"], parts["one"])]
        if parts["gap"] == "/":
            orders.append((parts["one"], parts["two"]))
    else:
        named = list_months().get((parts.get("name") or "").lower())
        orders = [(str(named) if named else parts.get("month"), parts["day"])]
    for month, day in orders:
        for found in _build_day(year, month, day):
            yield _add_clock(found, parts)


def _build_day(year: object, month: object, day: object) -> Iterator[date]:
    try:
        yield date(int(str(year)), int(str(month)), int(str(day)))
    except ValueError:
        return


def _add_clock(day: date, parts: dict[str, str | None]) -> date:
    if parts["hour"] is None:
        return day
    hour = int(parts["hour"])
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"][0] in "pP" else 0)
    at = time(hour, int(parts["minute"] or 0), int(parts["second"] or 0))
    return datetime.combine(day, at, tzinfo=_read_zone(parts["zone"]))


def _read_zone(text: str | None) -> timezone | None:
    if text is None:
        return None
    if text in ("Z", "z"):
        return UTC
    ahead = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    try:
        return timezone(-ahead if text[0] == "-" else ahead)
    except ValueError:
        return None


def _read_instant(number: float) -> Iterator[date]:
    for scale in (1, 1000):
        if _SECONDS[0] * scale <= number < _SECONDS[1] * scale:
            yield datetime.fromtimestamp(number / scale, tz=UTC)


def _looks_like_a_date(text: str) -> bool:
    return bool(_compile_like_a_date().search(text) or _compile_like_a_day().fullmatch(text))


@cache
def _compile_forms() -> tuple[re.Pattern[str], ...]:
    """The orders that year, month and day are written in: a weekday before, a clock behind."""
    day_name = rf"(?:(?:{'|'.join(list_weekdays())})\.?,? )?"
    name = "|".join(list_months())
    day = rf"(?P<day>\d{{1,2}})(?:{join_words('dates', 'ordinal')})?"
    of = join_words("dates", "of")
    forms = (
        r"(?P<year>(?:19|20)\d\d)(?P<gap>[-/.]?)(?P<month>\d\d)(?P=gap)(?P<day>\d\d)",
        r"(?P<year>\d{4})(?P<gap>[-/.])(?P<month>\d{1,2})(?P=gap)(?P<day>\d{1,2})",
        r"(?P<one>\d{1,2})(?P<gap>[-/.])(?P<two>\d{1,2})(?P=gap)(?P<year>\d{4})",
        rf"{day}\.? (?:(?:{of}) )?(?P<name>{name})\.?,? (?P<year>\d{{4}})",
        rf"(?P<name>{name})\.? {day},? (?P<year>\d{{4}})",
    )
    return tuple(re.compile(day_name + form + _CLOCK, re.IGNORECASE) for form in forms)


@cache
def _compile_named() -> re.Pattern[str]:
    """How a parameter is called that holds a day or a time."""
    return re.compile(rf"(?:^|[_.\- ])(?:{join_words('fields', 'when')})(?:$|[_\- ])")


@cache
def _compile_like_a_date() -> re.Pattern[str]:
    return re.compile(
        r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|(?:19|20)\d{6}(?!\d)"
        rf"|\d{{1,2}}(?:{join_words('dates', 'ordinal')})?\.? (?:{'|'.join(list_months())})\b"
        rf"|\b(?:{'|'.join(list_months())})\.? \d{{1,2}}\b",
        re.IGNORECASE,
    )


@cache
def _compile_like_a_day() -> re.Pattern[str]:
    """A day that a parameter is given by its name."""
    days = f"{'|'.join(list_weekdays())}|{join_words('dates', 'near')}"
    return re.compile(rf"\b(?:{days})\b", re.IGNORECASE)
