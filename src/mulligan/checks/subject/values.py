"""Values of any shape, as tools return them: their texts, their numbers, their records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from math import isfinite

_SINGLE = frozenset({str, int, float, bool, bytes, type(None)})
"""Of which most of a result consists: nobody needs to look for parts of them."""


def list_texts(value: object) -> Iterator[str]:
    """Every text and number in a value, as text."""
    return (
        str(leaf) for leaf in list_leaves(value) if leaf is not None and not isinstance(leaf, bool)
    )


def list_numbers(value: object) -> Iterator[float]:
    """Every number in a value that is a number there, not text that looks like one."""
    for leaf in list_leaves(value):
        match leaf:
            case bool():
                continue
            case int():
                yield leaf
            case float() if isfinite(leaf):
                yield leaf


def list_leaves(value: object) -> Iterator[object]:
    """Every single thing in a value, however deeply it is nested."""
    return (each for each in _walk(value) if list_parts(each) is None)


def list_records(value: object) -> Iterator[Mapping[str, object]]:
    """Every record in a value: a mapping, or an object seen as one, at any depth."""
    held = (each for each in _walk(value) if type(each) not in _SINGLE)
    return (record for each in held if (record := as_record(each)))


def _walk(value: object) -> Iterator[object]:
    """A value and all that is in it, in order; what holds something only once, so cycles end."""
    ahead, met = [value], set[int]()
    while ahead:
        each = ahead.pop()
        inner = list_parts(each)
        if inner is not None and id(each) in met:
            continue
        yield each
        if inner is not None:
            met.add(id(each))
            ahead.extend(reversed([*inner]))


def list_parts(value: object) -> Collection[object] | None:
    """What a value consists of; `None` when it is one thing."""
    if type(value) in _SINGLE:
        return None
    if type(value) is dict:
        return [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return value
    if record := as_record(value):
        return [*record.keys(), *record.values()]
    return () if isinstance(value, Mapping) else None


def as_record(value: object) -> Mapping[str, object]:
    """A mapping, a dataclass or a plain object by the names of its fields; empty for the rest."""
    if type(value) is dict or isinstance(value, Mapping):
        return value
    if type(value) in _SINGLE or isinstance(value, type):
        return {}
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    inside = getattr(value, "__dict__", {})
    return {name: part for name, part in inside.items() if not name.startswith("_")}
