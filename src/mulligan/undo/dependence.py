"""What a call has made, and what later calls name of it: they go before it when all is undone.

Only ids that the call itself brought into the world count. A calendar that two events share is no
reason to take one for the other's work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from mulligan.core.display.escape import format_value
from mulligan.core.record import Record

_DEPTH = 6
_OWN = ("id", "uid", "uuid")
"""Fields that hold the id of the very object, also where the caller has chosen it."""


def find_made_ids(record: Record) -> set[str]:
    """The ids in what a create returned: its own, and others that were not given to it."""
    if record.before is not None or record.result is None:
        return set()
    given = set(_list_scalars(dict(record.arguments), _DEPTH))
    own = (_list_scalars(part, 1) for name, part in _list_parts(record.result) if name in _OWN)
    made = {each for each in _list_ids(record.result, _DEPTH) if each not in given}
    return made.union(*own)


def find_named_ids(record: Record) -> set[str]:
    """The ids among the arguments of a call, by the names of their fields."""
    return set(_list_ids(dict(record.arguments), _DEPTH))


def _list_ids(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        return
    for name, part in _list_parts(value):
        if _is_id(name):
            yield from _list_scalars(part, 1)
        elif depth:
            yield from (each for each in _list_ids(part, depth - 1) if not isinstance(part, str))


def _list_scalars(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield format_value(value)
    elif depth:
        for _, part in _list_parts(value):
            yield from _list_scalars(part, depth - 1)


def _list_parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((format_value(name), part) for name, part in value.items())
    elif isinstance(value, (list, tuple)):
        yield from (("", part) for part in value)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from ((each.name, getattr(value, each.name)) for each in fields(value))


def _is_id(name: str) -> bool:
    plain = name.lower().lstrip("_")
    return plain in ("id", "uid", "key") or plain.endswith(("_id", "_uid"))
