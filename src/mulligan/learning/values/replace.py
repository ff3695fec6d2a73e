"""One value inside a structure, exchanged for another; everything else is shared, not copied."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.learning.values.leaves import Path


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
