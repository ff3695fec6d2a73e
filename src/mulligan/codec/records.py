"""Dataclasses as JSON, and back by their type hints: nothing is guessed or coerced.

Times are whole microseconds, and stand in a record's own fields, never deeper.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar, cast, get_type_hints

import msgspec

from mulligan.codec.json_text import Simplify, decode_json, to_builtin
from mulligan.core.storage.instants import from_us, to_us

R = TypeVar("R")

_MICROSECOND = timedelta(microseconds=1)
_TIMES = (datetime, timedelta)


class UndecodableError(ValueError):
    """JSON that is no such record; the text says where and why."""


def encode_record(record: object, *, otherwise: Simplify = to_builtin) -> str:
    """A record as JSON in plain ASCII, so that it holds what a database cannot."""

    def simplify(part: Any) -> object:
        # Not msgspec: it would spell times in its own way, and let a set become a list.
        match part:
            case datetime():
                return to_us(part, name="The time of what is kept")
            case timedelta():
                return part // _MICROSECOND
            case _ if is_dataclass(part):
                return {each.name: getattr(part, each.name) for each in fields(part)}
            case _:
                return otherwise(part)

    return json.dumps(record, default=simplify)


def decode_record(kind: type[R], text: str | bytes) -> R:
    """The record again; fields of a later Mulligan are left aside, a missing one is an error."""
    return to_record(kind, decode_json(text))


def describe_record(kind: type) -> dict[str, Any]:
    """The JSON schema of a record: what whoever writes one is told."""
    return msgspec.json.schema(kind)


def to_record(kind: type[R], plain: object) -> R:
    """A record out of JSON that has been read."""
    if isinstance(plain, dict):
        times = _find_times(cast("Any", kind))
        plain = plain | {
            name: _read_time(plain[name], kind=times[name], name=name)
            for name in times
            if name in plain
        }
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise UndecodableError(str(error)) from None


@cache
def _find_times(kind: Any) -> dict[str, type]:
    return {name: hint for name, hint in get_type_hints(kind).items() if hint in _TIMES}


def _read_time(value: Any, *, kind: type, name: str) -> datetime | timedelta:
    # Exactly: a truth value is no number, though Python calls it one.
    if type(value) is not int:
        raise UndecodableError(
            f"Expected microseconds, got `{type(value).__name__}` - at `$.{name}`"
        )
    return from_us(value) if kind is datetime else timedelta(microseconds=value)
