"""The leaf values of a structure, with their paths, and their replacement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan_dates.text import DEEPEST, Path, list_leaves

MOST_BITS = 10_000
"""Digits of an integer; Python refuses to print many more."""


def is_small(value: object, *, parts: int = 2_000, text: int = 500_000) -> bool:
    """Whether a structure is small enough to be compared and corrected part by part."""
    characters = 0
    for count, (path, held) in enumerate(list_leaves(value, most=parts + 1)):
        characters += len(held) if isinstance(held, str | bytes) else 0
        if count >= parts or characters > text or len(path) >= DEEPEST:
            return False
        if type(held) is int and held.bit_length() > MOST_BITS:
            return False
    return True


def find_key(path: Path) -> str:
    """The nearest name on a path: that of the list a value stands in, if it has none itself."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def join_path(at: str, name: object) -> str:
    """A path as errors and people write it: `order.items`."""
    return f"{at}.{name}" if at else str(name)


def list_properties(schema: Mapping[str, object]) -> Mapping[str, Any]:
    """What a schema says of each argument; nothing where it names none."""
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def print_value(value: object) -> str:
    """A value as an error would quote it; empty for one that Python will not print."""
    try:
        return str(value)
    except (ValueError, RecursionError):
        # An integer of more than 4,300 digits, among others: no error quotes it.
        return ""


def replace_value(arguments: Mapping[str, object], *, at: Path, value: object) -> dict[str, object]:
    """The arguments with another value at the end of a path."""
    found = _replace_inside(arguments, at, value)
    return found if isinstance(found, dict) else dict(arguments)


def _replace_inside(held: object, path: Path, value: object) -> object:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(held, Mapping):
        return {
            key: _replace_inside(inner, rest, value) if key == step else inner
            for key, inner in held.items()
        }
    if isinstance(held, list | tuple):
        return [
            _replace_inside(inner, rest, value) if at == step else inner
            for at, inner in enumerate(held)
        ]
    return held
