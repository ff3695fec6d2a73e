"""The dates among a call's arguments, as the person's calendar shows them, in any notation."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cache, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from mulligan.types.display import show_name
from mulligan_dates.lexicon import join_words, list_months, list_weekdays, names_any
from mulligan_dates.readings import parse_local_moment
from mulligan_dates.text import drop_disguises, separate_words

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
_CLOCK_GIVEN = re.compile(
    r"(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?)?(?: ?(?P<half>[ap])\.?m\.?)?",
    re.IGNORECASE,
)
_CLOCK_ALONE = re.compile(r"\d{1,2}(?::\d{2}){1,2}.{0,12}|[T ]?\d{1,2} ?[ap]\.?m\.?", re.IGNORECASE)


def fold_figures(text: str) -> str:
    """A value as its reader sees it: plain digits and dashes, no zero-width characters."""
    return " ".join(drop_disguises(text).translate(_DASHES).split())


def is_iso(text: str) -> bool:
    """Whether a folded text is a date as programs write it: `2026-11-21T19:00`."""
    return _ISO.fullmatch(text) is not None


def is_named_for_dates(name: str) -> bool:
    """Whether the last part of a parameter's path says that it holds a day or a time."""
    last = separate_words(name.rpartition(".")[2], by="_").lower()
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
    """Whether a value that could not be parsed is about a date, by its name or its form."""
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
    """Names of parameters that hold a day or a time."""
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
    """A day given by its name."""
    days = f"{'|'.join(list_weekdays())}|{join_words('dates', 'near')}"
    return re.compile(rf"\b(?:{days})\b", re.IGNORECASE)


_DAY_ALONE = len("2025-10-24")
_SHOWN = 60
"""Characters of a value in a sentence."""
_HOLDERS = (Mapping, list, tuple, set, frozenset)
_EDGES = (time(), time(23, 59), time(23, 59, 59))
_DEEPEST = 12
_MOST = 10_000
"""Values read in one call; the rest is reported as unread."""


class Dated(Struct, frozen=True, kw_only=True):
    """One date that a tool was given."""

    name: str
    """With the path to it, as it was given: `event.start`."""
    value: str
    """As it was given."""
    at: datetime
    """On the person's own clock; midnight if it is only a day."""
    timed: bool
    """Whether it says a time of the day too."""
    days: frozenset[date]
    """The day on the person's calendar; of midnight in another zone also the day it is written as.

    Many write midnight for a day without a time, and forget the zone. What is written with another
    zone's offset may be told by the clock of that place, which the person may have meant.
    """
    there: time | None = None
    """What a clock of the zone shows that it was written with, if that is not UTC."""

    @property
    def label(self) -> str:
        """Its name, safe to print: the keys on its path are untrusted."""
        return show_name(self.name)


def find_argument_dates(
    arguments: Mapping[str, object], *, zone: str | None, names: Collection[str] | None = None
) -> list[Dated]:
    """Every date, of all parameters or those named; prose and other numbers are left alone.

    As programs write it, it is one anywhere; in another notation where its name says so.
    """
    return sort_dates(arguments, zone=zone, names=names)[0]


def find_argument_clocks(
    arguments: Mapping[str, object], *, names: Collection[str] | None
) -> list[Dated]:
    """The times of day that have no day beside them: `time="06:45"`. Their own day is none."""
    found = []
    for name in arguments if names is None else names:
        value = arguments.get(name)
        given = _CLOCK_GIVEN.fullmatch(fold_figures(value)) if isinstance(value, str) else None
        if given is None or not (given["minute"] or given["half"]) or not _tells_clock(name):
            continue
        hour = int(given["hour"])
        if given["half"]:
            hour = hour % 12 + (12 if given["half"] in "pP" else 0)
        at = datetime.combine(date.min, time(hour, int(given["minute"] or 0)))
        days = frozenset({at.date()})
        found.append(Dated(name=name, value=str(value), at=at, timed=True, days=days))
    return found


@lru_cache(maxsize=1_024)
def _tells_clock(name: str) -> bool:
    """Whether a parameter is named after when something is, and not after how long."""
    return is_named_for_dates(name) and not names_any(name, "fields", "lasts")


def sort_dates(
    arguments: Mapping[str, object], *, zone: str | None, names: Collection[str] | None = None
) -> tuple[list[Dated], list[tuple[str, str]]]:
    """The dates, and what is written like one that does not exist: the 31st of November."""
    dates, impossible = list[Dated](), list[tuple[str, str]]()
    for name, value, _ in _list_values(arguments, names):
        short = type(value) is str and len(value) <= _LONGEST
        found = _read_once(name, value, zone) if short else _read_value(name, value, zone)
        dates += found
        if not found and isinstance(value, str) and _is_impossible(fold_figures(value)):
            impossible.append((name, value))
    return dates, impossible


def _read_value(name: str, value: object, zone: str | None) -> tuple[Dated, ...]:
    written = fold_figures(value) if isinstance(value, str) else value
    if isinstance(written, date) or (isinstance(written, str) and is_iso(written)):
        moment = parse_local_moment(written, zone=zone)
        return () if moment is None else (_build_dated(name, written, moment),)
    return tuple(_read_otherwise(name, value, zone=zone)) if is_named_for_dates(name) else ()


_read_once = lru_cache(maxsize=128)(_read_value)
"""Facts and checks share one reading of a call's dates."""


def _read_otherwise(name: str, value: object, *, zone: str | None) -> Iterator[Dated]:
    """The date in another notation; where it can be two days, it is either."""
    found = [(day, parse_local_moment(day, zone=zone)) for day in read_days(value)]
    dated = [_build_dated(name, day, at) for day, at in found if at is not None]
    if dated:
        days = frozenset(day for each in dated for day in each.days)
        shown = " ".join(str(value).split())[:_SHOWN]
        yield replace(dated[0], value=shown, days=days)


def has_unread_dates(arguments: Mapping[str, object]) -> bool:
    """Whether a call has a value that may be a date and could not be read."""
    looked = list(itertools.islice(_walk_value("", arguments, depth=0), _MOST + 1))
    if len(looked) > _MOST or any(_is_too_deep(each) for each in looked):
        return True
    return any(
        may_hide_a_date(value, name=name)
        for name, value, _ in looked
        if not find_argument_dates({name: value}, zone="UTC")
    )


def _is_too_deep(looked: tuple[str, object, int]) -> bool:
    return looked[2] > _DEEPEST and bool(looked[1]) and isinstance(looked[1], _HOLDERS)


def _build_dated(name: str, value: object, moment: datetime) -> Dated:
    written = datetime.fromisoformat(value) if isinstance(value, str) else value
    timed = len(value) > _DAY_ALONE if isinstance(value, str) else isinstance(value, datetime)
    days = {moment.date()}
    there = None
    if isinstance(written, datetime):
        there = written.time() if written.utcoffset() else None
        if there is not None or written.time() in _EDGES:
            days.add(written.date())
    return Dated(
        name=name,
        value=str(value),
        at=moment,
        timed=timed,
        days=frozenset(days),
        there=there,
    )


def _list_values(
    arguments: Mapping[str, object], names: Collection[str] | None
) -> Iterator[tuple[str, object, int]]:
    """Every value with its path, through mappings and lists, as far as is sensible."""
    if names is not None:
        arguments = {name: arguments[name] for name in arguments if name in names}
    return itertools.islice(_walk_value("", arguments, depth=0), _MOST)


def _walk_value(path: str, value: object, *, depth: int) -> Iterator[tuple[str, object, int]]:
    """A value and all that is in it. Containers are given out too, so that they count."""
    yield path, value, depth
    if depth > _DEEPEST or not isinstance(value, _HOLDERS):
        return
    match value:
        case Mapping():
            for key, each in value.items():
                yield from _walk_value(f"{path}.{key}" if path else f"{key}", each, depth=depth + 1)
        case list() | tuple() | set() | frozenset():
            for each in value:
                yield from _walk_value(path, each, depth=depth + 1)


def _is_impossible(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return is_iso(text)
    return False
