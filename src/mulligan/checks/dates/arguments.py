"""The dates among a call's arguments, as the person's calendar shows them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time

from mulligan.checks.moments import parse_local_moment

_WRITTEN = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.{0,24})?\Z")
_DAY_ALONE = len("2025-10-24")
_EDGES = (time(), time(23, 59), time(23, 59, 59))
_DEEPEST = 4
_MOST = 1000
"""Values looked at in one call: a bulk of thousands is another check's business."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """One date that a tool was given."""

    name: str
    """With the path to it: `event.start`."""
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


def find_argument_dates(
    arguments: Mapping[str, object], *, zone: str | None, names: Collection[str] | None = None
) -> Iterator[Dated]:
    """Every date in figures, of all parameters or those named; prose and numbers are left alone."""
    for name, value in _list_values(arguments, names):
        if isinstance(value, str) and not _WRITTEN.match(value):
            continue
        moment = parse_local_moment(value, zone=zone)
        if moment is not None:
            yield _build_dated(name, value, moment)


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
        if isinstance(value, str) and _WRITTEN.match(value) and not _exists(value):
            yield name, value


def _list_values(
    arguments: Mapping[str, object], names: Collection[str] | None
) -> Iterator[tuple[str, object]]:
    """Every text and date with its path, through mappings and lists, as far as is sensible."""
    chosen = {name: arguments[name] for name in arguments if names is None or name in names}
    found = itertools.islice(_walk_value("", chosen, depth=0), _MOST)
    return (each for each in found if isinstance(each[1], str | date))


def _walk_value(path: str, value: object, *, depth: int) -> Iterator[tuple[str, object]]:
    """A value and all that is in it. Containers are given out too, so that they count."""
    yield path, value
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
