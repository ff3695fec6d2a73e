"""Values as the vault keeps them: plain JSON on the way in, their declared types on the way out.

A tool's functions get values that have made this journey even when no crash came between, so
that what works once also works in the process that cleans up after a crash.
"""

from __future__ import annotations

import copy
import dataclasses
import types
import typing
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from uuid import UUID

import orjson

from mulligan.core.errors import ConfigurationError

V = typing.TypeVar("V")

_OPTIONS = orjson.OPT_NON_STR_KEYS


def pack(value: object) -> bytes:
    """A value as JSON, or a `ConfigurationError` that names what cannot be kept."""
    try:
        return orjson.dumps(value, default=to_plain, option=_OPTIONS)
    except (TypeError, RecursionError) as error:
        raise ConfigurationError(
            f"A value cannot be kept for an undo: {error}. "
            "Pass and return JSON-able values, dataclasses or pydantic models."
        ) from error


def copy_value(value: V) -> V:
    """A value that nobody else can change; what cannot be copied comes back as it is."""
    try:
        return copy.deepcopy(value)
    except Exception:  # noqa: BLE001 - locks, sockets and cursors refuse in ways of their own
        return value


def unpack(text: bytes, hint: object = None) -> object:
    """A kept value, given back its declared type where it has one we know."""
    return revive(orjson.loads(text), hint)


def revive(value: object, hint: object) -> object:
    """Turn plain JSON back into what the annotation says, as far as that is plain to do."""
    if value is None or hint is None or hint is typing.Any:
        return value
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        choices = [arg for arg in typing.get_args(hint) if arg is not type(None)]
        return revive(value, choices[0]) if len(choices) == 1 else value
    if origin is not None:
        return _revive_generic(value, origin, typing.get_args(hint))
    if isinstance(hint, type):
        return _revive_class(value, hint)
    return value


def _revive_generic(value: object, origin: object, args: tuple[object, ...]) -> object:
    if origin in (list, set, frozenset, tuple) and isinstance(value, list) and args:
        items = [revive(item, args[0]) for item in value]
        return items if origin is list else typing.cast("type[list[object]]", origin)(items)
    if origin in (dict, Mapping) and isinstance(value, dict) and len(args) == 2:
        return {key: revive(item, args[1]) for key, item in value.items()}
    return value


_FROM_TEXT: Mapping[type, typing.Callable[[str], object]] = {
    datetime: datetime.fromisoformat,
    date: date.fromisoformat,
    time: time.fromisoformat,
    UUID: UUID,
    Decimal: Decimal,
}


def _revive_class(value: object, kind: type) -> object:
    if kind in _FROM_TEXT and isinstance(value, str):
        return _FROM_TEXT[kind](value)
    if kind is timedelta and isinstance(value, (int, float)):
        return timedelta(seconds=value)
    if issubclass(kind, Enum):
        return kind(value)
    if isinstance(value, dict):
        if dataclasses.is_dataclass(kind):
            hints = _resolve_hints(kind)
            return kind(**{name: revive(item, hints.get(name)) for name, item in value.items()})
        validate = getattr(kind, "model_validate", None)
        if validate is not None:
            return validate(value)
    return value


def _resolve_hints(kind: object) -> dict[str, object]:
    try:
        return typing.get_type_hints(kind)
    except (NameError, TypeError, AttributeError):
        # Annotations that only a type checker can resolve: the plain value has to do.
        return {}


def resolve_hints(function: object) -> dict[str, object]:
    """A function's annotations by parameter, `return` among them."""
    return _resolve_hints(function)


def to_plain(value: object) -> object:
    """What JSON has no word for, in the next simpler terms; a `TypeError` if there are none."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    if dump is not None and not isinstance(value, type):
        return dump(mode="json")
    raise TypeError(f"{type(value).__name__} is no JSON")
