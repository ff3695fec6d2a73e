"""Whether calls are those that BFCL allows: the rules of its data, apart from any of ours."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Any

Made = tuple[str, dict[str, object]]
_IGNORED = str.maketrans("", "", ",./-_*^ '\"")
LEFT_OUT = ""
"""In a list of allowed values: the argument may be left out."""


def matches(
    calls: Sequence[Made], allowed: Sequence[dict[str, Any]], functions: Sequence[dict[str, Any]]
) -> bool:
    """As many calls as allowed ones, each a match of another, in any order."""
    required = {_name(f["name"]): f["parameters"].get("required") or [] for f in functions}
    left = [(_one_of(name, required), each) for group in allowed for name, each in group.items()]
    if len(calls) != len(left):
        return False
    for tool, arguments in calls:
        fitting = next((each for each in left if _fits(tool, arguments, each, required)), None)
        if fitting is None:
            return False
        left.remove(fitting)
    return True


def _one_of(name: str, known: Container[str]) -> str:
    """Several calls of one function are numbered in the answers: `pay_1`, `pay 2`."""
    plain = _name(name)
    return plain if plain in known else re.sub(r"[_ ]?\d+$", "", plain)


def _fits(
    tool: str,
    arguments: dict[str, object],
    allowed: tuple[str, dict[str, Any]],
    required: dict[str, list[str]],
) -> bool:
    name, expected = allowed
    if _name(tool) != name or any(key not in expected for key in arguments):
        return False
    if any(key not in arguments for key in required.get(name, [])):
        return False
    return all(
        _allowed(arguments[key], values) if key in arguments else LEFT_OUT in values
        for key, values in expected.items()
    )


def _allowed(value: object, values: Sequence[object]) -> bool:
    return any(_same(value, each) for each in values)


def _same(value: object, expected: object) -> bool:
    """Equal, or a structure whose parts are among those allowed."""
    if expected == LEFT_OUT and value in ([], {}):
        return True
    if isinstance(value, str) and isinstance(expected, str):
        return _folded(value) == _folded(expected)
    if isinstance(value, bool) or isinstance(expected, bool):
        return value is expected
    if isinstance(value, int | float) and isinstance(expected, int | float):
        return value == expected
    if isinstance(value, list | tuple) and isinstance(expected, list | tuple):
        return len(value) == len(expected) and all(map(_same, value, expected))
    if isinstance(value, dict) and isinstance(expected, dict):
        return _same_mapping(value, expected)
    return value == expected


def _same_mapping(value: dict[str, object], expected: dict[str, Any]) -> bool:
    if any(key not in expected for key in value):
        return False
    for key, allowed in expected.items():
        values = allowed if isinstance(allowed, list) else [allowed]
        if key not in value:
            if LEFT_OUT not in values:
                return False
        elif not (_allowed(value[key], values) or _same(value[key], allowed)):
            return False
    return True


def _folded(text: str) -> str:
    return text.lower().translate(_IGNORED)


def _name(name: str) -> str:
    return name.replace(".", "_")
