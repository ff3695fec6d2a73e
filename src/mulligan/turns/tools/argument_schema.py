"""What a function's annotations say of its arguments, as a JSON Schema."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from enum import Enum
from typing import Any
from uuid import UUID

from mulligan.turns.tools.kept_values import resolve_hints

Schema = dict[str, Any]

_PLAIN: Mapping[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    time: {"type": "string", "format": "time"},
    UUID: {"type": "string", "format": "uuid"},
}


def build_schema(function: Callable[..., object]) -> Schema:
    """The schema of a function's arguments; what an annotation does not say is left open."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        # Some built-ins have no signature, and may take anything.
        return {}
    hints = resolve_hints(function)
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    named = [p for p in named if p.name not in ("self", "cls")]
    schema: Schema = {
        "type": "object",
        "properties": {p.name: _describe_parameter(p, hints) for p in named},
        "required": [p.name for p in named if p.default is p.empty],
    }
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        schema["additionalProperties"] = False
    return schema


def _describe_parameter(parameter: inspect.Parameter, hints: Mapping[str, object]) -> Schema:
    described = build_hint_schema(hints.get(parameter.name))
    default = parameter.default
    if isinstance(default, (str, int, float, bool)):
        described = {**described, "default": default}
    return described


def build_hint_schema(hint: object) -> Schema:
    """The schema of a type; an empty one admits anything."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return {"enum": list(inside)}
    if origin in (typing.Union, types.UnionType):
        parts = [build_hint_schema(part) for part in inside]
        return {"anyOf": parts} if all(parts) else {}
    if origin in (list, set, frozenset, tuple, Sequence):
        return {"type": "array", "items": build_hint_schema(inside[0])} if inside else _ARRAY
    if origin in (dict, Mapping):
        return {"type": "object"}
    return _build_class_schema(hint) if isinstance(hint, type) else {}


_ARRAY: Schema = {"type": "array"}


def _build_class_schema(kind: type) -> Schema:
    if issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if issubclass(kind, (list, tuple, set)):
        return _ARRAY
    describe = getattr(kind, "model_json_schema", None)
    if describe is not None:
        described: Schema = describe()
        return described
    return {"type": "object"} if issubclass(kind, dict) else {}
