"""Frozen words as JSON, and back by their own type hints: nothing is guessed or coerced."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from mulligan.core.instants import from_us, to_us
from mulligan.stores.encoding import load

W = TypeVar("W")

Read = Callable[[Any], Any]
"""Makes a value out of JSON, or raises what `readable` understands."""

_MICROSECOND = timedelta(microseconds=1)


def write_word(word: object) -> str:
    """A word as JSON in plain ASCII, so that it holds what a database cannot."""
    return json.dumps(_encode_value(word))


def read_word(kind: type[W], text: str) -> W:
    """The word again; fields of a later Mulligan are left aside, a missing one is an error."""
    read = _make_reader(cast("Any", kind))
    return cast("W", read(load(text)))


def _encode_value(value: object) -> object:
    match value:
        case None | str() | int() | float():
            return value
        case datetime():
            return to_us(value, name="The time of what is kept")
        case timedelta():
            return value // _MICROSECOND
        case Mapping():
            return {str(name): _encode_value(each) for name, each in value.items()}
        case tuple() | list():
            return [_encode_value(each) for each in value]
        case _ if is_dataclass(value):
            return {each.name: _encode_value(getattr(value, each.name)) for each in fields(value)}
        case _:
            return value


@cache
def _make_reader(kind: Any) -> Read:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        [given] = (each for each in inner if each is not type(None))
        return partial(_read_optional, _make_reader(given))
    if origin is tuple and inner[1:] == (...,):
        return partial(_read_list, _make_reader(inner[0]))
    if origin is tuple:
        return partial(_read_row, tuple(map(_make_reader, inner)))
    if is_dataclass(kind):
        return _make_word_reader(kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind
    return _SIMPLE[origin or kind]


def _make_word_reader(kind: Any) -> Read:
    hints = get_type_hints(kind)
    readers = {each.name: _make_reader(hints[each.name]) for each in fields(kind)}
    needed = [
        each.name
        for each in fields(kind)
        if each.default is MISSING and each.default_factory is MISSING
    ]

    def read(content: Any) -> Any:
        found = {name: read(content[name]) for name, read in readers.items() if name in content}
        for name in needed:
            # A lookup that fails says which one is missing.
            found[name]
        return kind(**found)

    return read


def _read_optional(read: Read, value: Any) -> Any:
    return None if value is None else read(value)


def _read_list(read: Read, value: Any) -> tuple[Any, ...]:
    return tuple(map(read, _expect(list, value)))


def _read_row(readers: tuple[Read, ...], value: Any) -> tuple[Any, ...]:
    return tuple(read(each) for read, each in zip(readers, _expect(list, value), strict=True))


def _read_number(value: Any) -> float:
    return float(value) if type(value) is int else cast("float", _expect(float, value))


def _expect(kind: type, value: Any) -> Any:
    # Exactly: a truth value is no number, though Python calls it one.
    if type(value) is not kind:
        raise TypeError(f"a {kind.__name__} was kept, and this is none: {value!r}")
    return value


_SIMPLE: dict[Any, Read] = {
    str: partial(_expect, str),
    int: partial(_expect, int),
    bool: partial(_expect, bool),
    float: _read_number,
    Mapping: partial(_expect, dict),
    datetime: lambda value: from_us(_expect(int, value)),
    timedelta: lambda value: _expect(int, value) * _MICROSECOND,
}
"""What needs no parts, by its type."""
