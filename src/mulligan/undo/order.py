"""Which of two calls stands on the other's work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

from mulligan.core.record import Record

_DEPTH = 6


def builds_on(later: Record, earlier: Record) -> bool:
    """Whether a later call names something that an earlier one made or changed."""
    made = set(_list_names(earlier.result)) | set(_list_names(dict(earlier.arguments)))
    return any(value in made for value in _list_scalars(dict(later.arguments)))


def _list_names(value: object) -> Iterator[str]:
    """What a value is known by: itself if it is text, else what its id fields hold."""
    if isinstance(value, str):
        yield value
        return
    for name, part in _list_parts(value):
        if _is_id(name):
            yield from _list_scalars(part)


def _list_scalars(value: object, depth: int = _DEPTH) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif depth:
        for _, part in _list_parts(value):
            yield from _list_scalars(part, depth - 1)


def _list_parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        yield from ((str(name), part) for name, part in value.items())
    elif isinstance(value, (list, tuple)):
        yield from (("", part) for part in value)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from ((each.name, getattr(value, each.name)) for each in fields(value))


def _is_id(name: str) -> bool:
    plain = name.lower().lstrip("_")
    return plain in ("id", "uid", "key", "name") or plain.endswith(("_id", "_uid", "id"))
