"""What a function's annotations say of its arguments, as a JSON Schema.

Lessons are learned on a schema and know it by its hash, so what is described here stays as it is.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, time
from enum import Enum
from typing import Any
from uuid import UUID

import msgspec

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
_ARRAY: Schema = {"type": "array"}
_OPEN_FORMATS = ("duration", "decimal")
"""Numbers do for these as well, whatever msgspec says."""


def read_hints(function: object) -> dict[str, object]:
    """A function's annotations by parameter, `return` among them."""
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError, ValueError):
        # Annotations that only a type checker can resolve: the plain value has to do.
        return {}


def to_arguments_schema(
    function: Callable[..., object], *, without: Collection[object] = ()
) -> Schema:
    """The schema of a function's arguments; what an annotation does not say is left open."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        # Some built-ins have no signature, and may take anything.
        return {}
    hints = read_hints(function)
    # Those without a name for callers too: left out, the next would take their place.
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    named = [p for p in named if p.name not in ("self", "cls") and p.name not in without]
    schema: Schema = {
        "type": "object",
        "properties": {p.name: _describe(p, hints) for p in named},
        "required": [p.name for p in named if p.default is p.empty],
    }
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        schema["additionalProperties"] = False
    return _lift_definitions(schema)


def to_schema(hint: object) -> Schema:
    """The schema of a type; an empty one admits anything."""
    return _lift_definitions(_to_schema(hint))


def _describe(parameter: inspect.Parameter, hints: Mapping[str, object]) -> Schema:
    described = _to_schema(hints.get(parameter.name))
    default = parameter.default
    if isinstance(default, (str, int, float, bool)):
        described = {**described, "default": default}
    return described


def _to_schema(hint: object) -> Schema:
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return {"enum": list(inside)}
    if origin in (typing.Union, types.UnionType):
        parts = [_to_schema(part) for part in inside]
        return {"anyOf": parts} if all(parts) else {}
    if origin is tuple and inside[1:] != (...,):
        return _ask_msgspec(hint)
    if origin in (list, set, frozenset, tuple, Sequence):
        return {"type": "array", "items": _to_schema(inside[0])} if inside else _ARRAY
    if origin in (dict, Mapping):
        return {"type": "object"}
    return _describe_class(hint) if isinstance(hint, type) else {}


def _describe_class(kind: Any) -> Schema:
    if issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if issubclass(kind, (list, set, frozenset)) or kind is tuple:
        return _ARRAY
    # By its keys, for one of `typing_extensions` is none to `typing`.
    if issubclass(kind, dict) and not hasattr(kind, "__required_keys__"):
        return {"type": "object"}
    return _ask_msgspec(kind)


def _ask_msgspec(hint: Any) -> Schema:
    """Of dataclasses, typed dicts, named tuples, and models inside them."""
    try:
        return msgspec.json.schema(hint, schema_hook=_describe_model)
    except (TypeError, NameError, RuntimeError):
        return {}


def _describe_model(kind: Any) -> Schema:
    describe = getattr(kind, "model_json_schema", None)
    return {} if describe is None else describe()


def _lift_definitions(schema: Schema) -> Schema:
    """Definitions belong at the root: that is where references look for them."""
    definitions: Schema = {}
    lifted: Schema = _lift(schema, definitions)
    return {**lifted, "$defs": definitions} if definitions else lifted


def _lift(part: Any, definitions: Schema) -> Any:
    if isinstance(part, list):
        return [_lift(each, definitions) for each in part]
    if not isinstance(part, dict):
        return part
    if part.get("format") in _OPEN_FORMATS or isinstance(part.get("contentEncoding"), str):
        return {}
    for name, each in part.get("$defs", {}).items():
        definitions[name] = _lift(each, definitions)
    return {name: _lift(each, definitions) for name, each in part.items() if name != "$defs"}
