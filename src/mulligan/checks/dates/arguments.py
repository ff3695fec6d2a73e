"""The dates among a call's arguments, as the person's calendar shows them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, time

from mulligan.checks.dates.notations import (
    fold_figures,
    is_iso,
    is_named_for_dates,
    may_hide_a_date,
    read_days,
)
from mulligan.checks.language.zones import parse_local_moment
from mulligan.core.display.escape import show_name
from mulligan.core.runtime.dataclass import dataclass

_DAY_ALONE = len("2025-10-24")
_SHOWN = 60
"""Characters of a value in a sentence."""
_HOLDERS = (Mapping, list, tuple, set, frozenset)
_EDGES = (time(), time(23, 59), time(23, 59, 59))
_DEEPEST = 12
_MOST = 10_000
"""Values looked at in one call; what lies beyond is said to be unread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
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

    Many write midnight for a day without a time, and forget the zone.
    """

    @property
    def label(self) -> str:
        """The name for a sentence: the keys on its path may be anybody's."""
        return show_name(self.name)


def find_argument_dates(
    arguments: Mapping[str, object], *, zone: str | None, names: Collection[str] | None = None
) -> Iterator[Dated]:
    """Every date, of all parameters or those named; prose and other numbers are left alone.

    As programs write it, it is one wherever it stands; in another notation where its name says so.
    """
    for name, value in _list_values(arguments, names):
        written = fold_figures(value) if isinstance(value, str) else value
        if isinstance(written, date) or (isinstance(written, str) and is_iso(written)):
            moment = parse_local_moment(written, zone=zone)
            if moment is not None:
                yield _build_dated(name, written, moment)
        elif is_named_for_dates(name):
            yield from _read_otherwise(name, value, zone=zone)


def _read_otherwise(name: str, value: object, *, zone: str | None) -> Iterator[Dated]:
    """The date in another notation; where it can be two days, it is either."""
    found = [(day, parse_local_moment(day, zone=zone)) for day in read_days(value)]
    dated = [_build_dated(name, day, at) for day, at in found if at is not None]
    if dated:
        days = frozenset(day for each in dated for day in each.days)
        shown = " ".join(str(value).split())[:_SHOWN]
        yield replace(dated[0], value=shown, days=days)


def has_unread_dates(arguments: Mapping[str, object]) -> bool:
    """Whether a call has what may be a date, and nobody can say which."""
    looked = list(itertools.islice(_walk_value("", arguments, depth=0), _MOST + 1))
    if len(looked) > _MOST or any(_is_too_deep(each) for each in looked):
        return True
    return any(
        may_hide_a_date(value, name=name)
        for name, value, _ in looked
        if not any(True for _ in find_argument_dates({name: value}, zone="UTC"))
    )


def _is_too_deep(looked: tuple[str, object, int]) -> bool:
    return looked[2] > _DEEPEST and bool(looked[1]) and isinstance(looked[1], _HOLDERS)


def _build_dated(name: str, value: object, moment: datetime) -> Dated:
    written = datetime.fromisoformat(value) if isinstance(value, str) else value
    timed = len(value) > _DAY_ALONE if isinstance(value, str) else isinstance(value, datetime)
    days = {moment.date()}
    if isinstance(written, datetime) and written.time() in _EDGES:
        days.add(written.date())
    return Dated(name=name, value=str(value), at=moment, timed=timed, days=frozenset(days))


def find_impossible_dates(
    arguments: Mapping[str, object], *, names: Collection[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Arguments that are written like a date and are none: the 31st of November."""
    for name, value in _list_values(arguments, names):
        if isinstance(value, str) and is_iso(text := fold_figures(value)) and not _exists(text):
            yield name, value


def _list_values(
    arguments: Mapping[str, object], names: Collection[str] | None
) -> Iterator[tuple[str, object]]:
    """Every value with its path, through mappings and lists, as far as is sensible."""
    chosen = {name: arguments[name] for name in arguments if names is None or name in names}
    found = itertools.islice(_walk_value("", chosen, depth=0), _MOST)
    return ((path, value) for path, value, _ in found)


def _walk_value(path: str, value: object, *, depth: int) -> Iterator[tuple[str, object, int]]:
    """A value and all that is in it. Containers are given out too, so that they count."""
    yield path, value, depth
    if depth > _DEEPEST:
        return
    match value:
        case Mapping():
            for key, each in value.items():
                yield from _walk_value(f"{path}.{key}" if path else f"{key}", each, depth=depth + 1)
        case list() | tuple() | set() | frozenset():
            for each in value:
                yield from _walk_value(path, each, depth=depth + 1)


def _exists(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
