"""Values written so that they come back as they were, each with its own type: or not at all.

No class is ever looked up by a name that was stored. An object of somebody's own class is written
as the plain data it consists of, which the annotations of its tool turn back into it.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import EllipsisType, MappingProxyType
from typing import Any, NoReturn
from uuid import UUID

import msgspec

from mulligan.codec.json_text import LONGEST_BITS, to_builtin
from mulligan.core.errors import ConfigurationError

Names = Mapping[Any, object]
"""Values by their names, which are text; `None`: all there is."""
FromPlain = Callable[[str | None, object], object]
"""Gives what is called so its own class back."""


class LostValueError(ConfigurationError):
    """Only the process that made a call knows what it was made with."""


class LostValue:
    """In the place of what a call returned and nobody could write down: who asks it is told so."""

    def __init__(self, kind: str = "value") -> None:
        self.kind = kind
        self.shown = f"<{kind}, not kept>"

    def _refuse(self, *_: object) -> NoReturn:
        raise LostValueError(
            f"What the call returned could not be kept over a restart: {self.shown}. "
            f"Return {_PLAIN_DATA}."
        )

    __getattr__ = __getitem__ = __iter__ = __len__ = __bool__ = __str__ = __call__ = _refuse
    __eq__ = __hash__ = __contains__ = _refuse


_PLAIN_DATA = (
    "plain data in its place (text, numbers, bytes, dates, paths, lists, sets, dicts, and "
    "dataclasses or pydantic models that the tool's annotations name)"
)


def encode_exact(value: object) -> bytes | None:
    """A value as JSON that names every type which JSON has not; `None`: it cannot be had back."""
    try:
        text = _dump(_Writer().write(value))
        return text if is_same(decode_exact(text), value) else None
    except Exception:  # noqa: BLE001 - a value of somebody's own may refuse anything
        return None


def decode_exact(text: bytes) -> Any:
    """The value as it was."""
    return _read(json.loads(text))


def encode_named(values: Names, *, at: str) -> bytes:
    """The same of values by their names: an object of a class as what its annotation can read.

    A `ConfigurationError` says where `at` something cannot be kept at all, and what to do.
    """
    try:
        text = _dump(_tag(dict, [[name, _write_named(held)] for name, held in values.items()]))
        decode_exact(text)
    except Exception as error:
        path, part = _find_unkept(values, at)
        raise ConfigurationError(_describe_unkept(path, part, error)) from error
    return text


def decode_named(text: bytes, from_plain: FromPlain) -> dict[str | None, Any]:
    """The values as they were; `from_plain` gives objects of a class theirs back."""
    return {
        name: from_plain(name, _read(held)) if _is_tagged(held, _OBJECT) else _read(held)
        for name, held in json.loads(text)["value"]
    }


def replace_lost(value: object) -> Any:
    """The value as another process could have it: what cannot be kept is a `LostValue`."""
    try:
        return _read(_Writer(apart=True, lost=True).write(value))
    except Exception:  # noqa: BLE001 - it holds itself, or is a key that cannot be one
        return LostValue(type(value).__name__)


def is_known(value: object) -> bool:
    """Whether it is of a type that is written by its name."""
    return type(value) in _KINDS


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
    if isinstance(one, deque) and one.maxlen != other.maxlen:
        return False
    if isinstance(one, list | tuple | deque):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, set | frozenset):
        return bool(one == other) and {(type(e), e) for e in one} == {(type(e), e) for e in other}
    if isinstance(one, float | complex | datetime | time | Decimal):
        return repr(one) == repr(other)  # also not a number, a minus before zero, and the zone
    return bool(one == other)


def _write_time(value: datetime | time) -> object:
    """With the name of its zone, where it has one: the distance from UTC says less."""
    zone = getattr(value.tzinfo, "key", None)
    return [value.replace(tzinfo=None).isoformat(), zone, value.fold] if zone else value.isoformat()


def _read_time(kind: type[datetime | time]) -> Callable[[Any], object]:
    def read(held: Any) -> object:
        if isinstance(held, str):
            return kind.fromisoformat(held)
        from zoneinfo import ZoneInfo  # some milliseconds, for few

        text, zone, fold = held
        return kind.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold)

    return read


_KINDS: Mapping[type, tuple[Callable[[Any], object], Callable[[Any], object]]] = {
    tuple: (list, tuple),
    set: (list, set),
    frozenset: (list, frozenset),
    deque: (lambda value: [value.maxlen, *value], lambda held: deque(held[1:], held[0])),
    dict: (lambda value: [list(pair) for pair in value.items()], dict),
    OrderedDict: (lambda value: [list(pair) for pair in value.items()], OrderedDict),
    Counter: (dict, Counter),
    MappingProxyType: (dict, MappingProxyType),
    range: (lambda value: [value.start, value.stop, value.step], lambda held: range(*held)),
    bytes: (lambda value: base64.b64encode(value).decode(), base64.b64decode),
    bytearray: (bytes, bytearray),
    memoryview: (bytes, memoryview),
    int: (hex, lambda held: int(held, 16)),
    complex: (lambda value: [value.real, value.imag], lambda held: complex(*held)),
    Fraction: (lambda value: list(value.as_integer_ratio()), lambda held: Fraction(*held)),
    Decimal: (str, Decimal),
    UUID: (str, UUID),
    date: (date.isoformat, date.fromisoformat),
    datetime: (_write_time, _read_time(datetime)),
    time: (_write_time, _read_time(time)),
    timedelta: (
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda held: timedelta(*held),
    ),
    timezone: (lambda value: value.utcoffset(None), timezone),
    type(Path()): (str, Path),
    PurePosixPath: (str, PurePosixPath),
    PureWindowsPath: (str, PureWindowsPath),
    re.Pattern: (
        lambda value: [value.pattern, value.flags],
        lambda held: re.compile(held[0], held[1]),
    ),
    EllipsisType: (lambda _: None, lambda _: ...),
    LostValue: (lambda value: value.kind, LostValue),
    **{
        kind: (str, kind)
        for kind in (
            IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
        )
    },
}  # fmt: skip
"""How a value of a type is taken apart into what can be written, and built again of that."""

_OBJECT = "object"
_READERS: Mapping[str, Callable[[Any], object]] = {
    **{kind.__name__: build for kind, (_, build) in _KINDS.items()},
    _OBJECT: lambda held: held,
}


class _Writer:
    def __init__(self, *, apart: bool = False, lost: bool = False) -> None:
        self._apart = apart
        """Objects of a class are written as what they consist of."""
        self._lost = lost
        """What cannot be written at all leaves its place empty."""

    def write(self, value: Any) -> object:
        kind = type(value)
        long = kind is int and value.bit_length() > LONGEST_BITS
        if value is None or (kind in (str, int, float, bool) and not long):
            return value
        if kind is list:
            return [self.write(each) for each in value]
        if kind in _KINDS:
            take_apart, _ = _KINDS[kind]
            return _tag(kind, self.write(take_apart(value)))
        try:
            return self.write(_take_apart(value) if self._apart else _refuse(value))
        except TypeError:
            if not self._lost:
                raise
            return self.write(LostValue(kind.__name__))


def _take_apart(value: Any) -> object:
    """What an object of a class consists of, as its annotation can read it."""
    if isinstance(value, type):
        _refuse(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if hasattr(value, "model_dump"):
        return _dump_model(value)
    if hasattr(value, "__attrs_attrs__"):
        return {each.name: getattr(value, each.name) for each in value.__attrs_attrs__}
    for base in type(value).__mro__:
        if base in _KINDS:
            take_apart, build = _KINDS[base]
            return build(take_apart(value))
    return list(value) if isinstance(value, list) else to_builtin(value)


def _dump_model(model: Any) -> object:
    plain: object = model.model_dump()
    try:
        _Writer(apart=True).write(plain)
    except TypeError:
        # A type of its own, such as one that hides a secret: it knows what may be written of it.
        plain = model.model_dump(mode="json")
    return plain


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"it is of the type {type(value).__name__}")


def _write_named(value: object) -> object:
    text = encode_exact(value)
    if text is not None:
        return json.loads(text)
    return {"type": _OBJECT, "value": _Writer(apart=True).write(value)}


def _tag(kind: type, held: object) -> dict[str, object]:
    return {"type": kind.__name__, "value": held}


def _is_tagged(written: object, tag: str) -> bool:
    return isinstance(written, dict) and written["type"] == tag


def _dump(written: object) -> bytes:
    return json.dumps(written, separators=(",", ":")).encode()


def _read(written: Any) -> Any:
    if isinstance(written, list):
        return [_read(each) for each in written]
    if isinstance(written, dict):
        return _READERS[written["type"]](_read(written["value"]))
    return written


_DEEPEST = 8
"""Of the path to what cannot be kept."""


def _find_unkept(
    value: object, path: str, *, within: tuple[object, ...] = ()
) -> tuple[str, object]:
    """The innermost part that cannot be written, and where it is."""
    within = (*within, value)
    for step, part in _list_parts(value) if len(within) <= _DEEPEST else ():
        if any(part is each for each in within):
            break
        if not _can_be_written(part):
            return _find_unkept(part, f"{path}{step}", within=within)
    return path, value


def _list_parts(value: Any) -> Iterator[tuple[str, object]]:
    try:
        parts = value if type(value) in (dict, list, tuple) else _take_apart(value)
    except Exception:  # noqa: BLE001 - a value of somebody's own may refuse anything
        return
    if isinstance(parts, Mapping):
        for name, part in parts.items():
            yield ("" if name is None else f".{name}"), part
            yield " (a key)", name
    elif isinstance(parts, list | tuple):
        yield from ((f"[{place}]", part) for place, part in enumerate(parts))


def _can_be_written(value: object) -> bool:
    try:
        _read(_Writer(apart=True).write(value))
    except Exception:  # noqa: BLE001 - a value of somebody's own may refuse anything
        return False
    return True


def _describe_unkept(path: str, part: object, error: Exception) -> str:
    deep = isinstance(error, RecursionError)
    why = (
        "holds itself, or is nested too deeply" if deep else f"is of the type {type(part).__name__}"
    )
    return (
        f"{path} cannot be kept for an undo, for it {why}. Use {_PLAIN_DATA}, and make such an "
        "object inside the tool."
    )
