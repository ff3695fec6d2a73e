"""A tool's schema: normalised from several dialects, validated, and compiled once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import jsonschema_rs
from msgspec import Struct

from mulligan.types.errors import NoSchemaError

_NAMED = {
    "object": "dict map",
    "number": "float double decimal",
    "integer": "int long",
    "string": "str char text",
    "boolean": "bool",
    "array": "list tuple set",
    "null": "nonetype",
}
TYPE_NAMES = {name: kind for kind, names in _NAMED.items() for name in names.split()}
"""Names that programming languages give the types of JSON Schema."""

MOST_COMPILED = 512
DEEPEST = 40


class Problem(Struct, frozen=True):
    """One way in which arguments break their schema."""

    path: tuple[str | int, ...]
    rule: str
    """The keyword of the schema: `type`, `required`, `enum`, …"""
    message: str


class Schema:
    """The compiled schema of one tool's arguments."""

    def __init__(self, tree: dict[str, Any], validator: jsonschema_rs.Validator) -> None:
        self.tree = tree
        self._validator = validator

    @property
    def properties(self) -> dict[str, Any]:
        """The arguments it names."""
        found = self.tree.get("properties")
        return found if isinstance(found, dict) else {}

    @property
    def required(self) -> tuple[str, ...]:
        """The arguments that must be there."""
        return tuple(self.tree.get("required") or ())

    @property
    def closed(self) -> bool:
        """Whether other arguments than those it names are refused, as a function would."""
        open_ended = self.tree.get("additionalProperties") or self.tree.get("patternProperties")
        return "properties" in self.tree and not open_ended

    def list_problems(self, arguments: Mapping[str, object]) -> list[Problem]:
        """Everything that is wrong with the arguments; nothing when they fit."""
        try:
            found = [
                Problem(
                    tuple(each.instance_path), str(each.schema_path[-1]), str(each.message)[:500]
                )
                for each in self._validator.iter_errors(dict(arguments))
            ]
        except (ValueError, RecursionError) as refused:
            return [Problem((), "json", str(refused)[:500])]
        if self.closed:
            strange = [name for name in arguments if name not in self.properties]
            found += [
                Problem((name,), "unknown", f"{name!r} is not an argument") for name in strange
            ]
        return found

    def fits(self, arguments: Mapping[str, object]) -> bool:
        """Whether nothing is wrong with the arguments."""
        strange = self.closed and any(name not in self.properties for name in arguments)
        return not strange and self.accepts(dict(arguments))

    def accepts(self, value: object) -> bool:
        """Whether the schema of a single value accepts it."""
        try:
            return self._validator.is_valid(value)
        except (ValueError, RecursionError):
            return False

    def resolve(self, part: object) -> dict[str, Any]:
        """A part of the schema, with a local reference followed."""
        for _ in range(DEEPEST):
            reference = part.get("$ref") if isinstance(part, dict) else None
            if not isinstance(reference, str):
                break
            part = _follow(self.tree, reference)
        return part if isinstance(part, dict) else {}


def read_schema(declared: Mapping[str, object], *, tool: str = "") -> Schema:
    """Read a schema as tools are declared: bare, as a function, as an MCP tool, in Python's words.

    Anything else raises a `NoSchemaError` that says what is wrong.
    """
    try:
        # Unsorted: the order of a tool's arguments is that of its definition.
        key = json.dumps(declared)
    except (TypeError, ValueError, RecursionError) as error:
        raise _refuse_schema(tool, f"it is not JSON ({error})") from None
    return _compile_schema(key, tool)


@lru_cache(maxsize=MOST_COMPILED)
def _compile_schema(key: str, tool: str) -> Schema:
    tree = _unwrap_envelope(json.loads(key))
    if not isinstance(tree, dict):
        raise _refuse_schema(tool, f"it is {str(tree)[:80]!r}, not an object")
    tree = _normalize_types(tree, depth=0)
    try:
        # References are never fetched: a schema is the tool author's text.
        validator = jsonschema_rs.validator_for(tree, validate_formats=True, offline=True)
    except (ValueError, RecursionError) as error:
        raise _refuse_schema(tool, str(error).splitlines()[0][:200]) from None
    return Schema(tree, validator)


def _refuse_schema(tool: str, problem: str) -> NoSchemaError:
    of = f" of tool {tool!r}" if tool else ""
    return NoSchemaError(
        f"The schema{of} is not a JSON Schema: {problem}. Declare one such as "
        '{"type": "object", "properties": {"limit": {"type": "integer"}}}.'
    )


def _unwrap_envelope(declared: object) -> object:
    """Without the envelope of a function or an MCP tool."""
    for envelope in ("function", "parameters", "inputSchema", "input_schema"):
        if isinstance(declared, dict) and isinstance(declared.get(envelope), dict):
            named = "name" in declared or envelope == "function" or "properties" not in declared
            declared = declared[envelope] if named else declared
    return declared


def _normalize_types(part: Any, *, depth: int) -> Any:
    """Types by their JSON Schema names; an unknown type allows anything."""
    if depth > DEEPEST:
        return {}
    if isinstance(part, list):
        return [_normalize_types(item, depth=depth + 1) for item in part]
    if not isinstance(part, dict):
        return part
    found = {
        key: value
        if key in ("enum", "const", "default", "examples", "required")
        else _normalize_types(value, depth=depth + 1)
        for key, value in part.items()
    }
    if isinstance(found.get("type"), str):
        name = found["type"].casefold()
        name = TYPE_NAMES.get(name, name)
        if name in _NAMED:
            found["type"] = name
        else:
            del found["type"]
    # Older drafts and other dialects mark a property itself as required or optional.
    if isinstance(found.get("required"), bool):
        del found["required"]
    if found.get("nullable") is True and isinstance(found.get("type"), str):
        found["type"] = [found["type"], "null"]
    return found


def _follow(tree: dict[str, Any], reference: str) -> object:
    found: object = tree
    if not reference.startswith("#"):
        return {}
    for step in reference.lstrip("#/").split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name, {}) if isinstance(found, dict) else {}
    return found
