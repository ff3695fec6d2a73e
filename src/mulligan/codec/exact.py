"""Values written so that they come back as they were, each with its own type: or not at all."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from mulligan.codec.json_text import LONGEST_BITS


def encode_exact(value: object) -> bytes | None:
    """A value as JSON that names every type which JSON has not; `None`: it cannot be had back."""
    try:
        text = json.dumps(_write(value), separators=(",", ":")).encode()
        return text if is_same(decode_exact(text), value) else None
    except Exception:  # noqa: BLE001 - a value of somebody's own may refuse anything
        return None


def decode_exact(text: bytes) -> Any:
    """The value as it was."""
    return _read(json.loads(text))


def is_same(one: object, other: object) -> bool:
    """Whether two values are equal in every part, and of the same types."""
    if type(one) is not type(other):
        return False
    try:
        return _compare(one, other)
    except Exception:  # noqa: BLE001 - values that cannot even be compared
        return False


def _compare(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping):
        pairs = zip(one.items(), other.items(), strict=True)
        return all(is_same(k, n) and is_same(v, w) for (k, v), (n, w) in pairs)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, set | frozenset):
        return bool(one == other) and {(type(e), e) for e in one} == {(type(e), e) for e in other}
    if isinstance(one, float | datetime | time):
        return repr(one) == repr(other)  # also not a number, a minus before zero, and the zone
    return bool(one == other)


_WRITERS: Mapping[type, Callable[[Any], object]] = {
    tuple: lambda value: [_write(each) for each in value],
    set: lambda value: [_write(each) for each in value],
    frozenset: lambda value: [_write(each) for each in value],
    dict: lambda value: [[_write(key), _write(held)] for key, held in value.items()],
    bytes: lambda value: base64.b64encode(value).decode(),
    int: hex,
    Decimal: str,
    UUID: str,
    date: date.isoformat,
    datetime: datetime.isoformat,
    time: time.isoformat,
    timedelta: lambda value: [value.days, value.seconds, value.microseconds],
    type(Path()): str,
}
_READERS: Mapping[str, Callable[[Any], object]] = {
    "tuple": lambda held: tuple(map(_read, held)),
    "set": lambda held: set(map(_read, held)),
    "frozenset": lambda held: frozenset(map(_read, held)),
    "dict": lambda held: {_read(key): _read(value) for key, value in held},
    "bytes": base64.b64decode,
    "int": lambda held: int(held, 16),
    "Decimal": Decimal,
    "UUID": UUID,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda held: timedelta(*held),
    type(Path()).__name__: Path,
}


def _write(value: Any) -> object:
    kind = type(value)
    long = kind is int and value.bit_length() > LONGEST_BITS
    if value is None or (kind in (str, int, float, bool) and not long):
        return value
    if kind is list:
        return [_write(each) for each in value]
    return {"type": kind.__name__, "value": _WRITERS[kind](value)}


def _read(written: Any) -> Any:
    if isinstance(written, list):
        return [_read(each) for each in written]
    if isinstance(written, dict):
        return _READERS[written["type"]](written["value"])
    return written
