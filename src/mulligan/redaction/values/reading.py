"""Finds the strings in a value of any shape, and which of them a name calls a secret."""

from __future__ import annotations

from collections import UserDict, UserList, UserString, deque
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import islice
from pathlib import PurePath
from typing import Any, NamedTuple
from uuid import UUID

from mulligan.redaction.secrets.known import remember_named
from mulligan.redaction.values.keys import Keys
from mulligan.redaction.values.objects import is_record, read_attributes, read_tuple_names

_NODES = 10_000
_DEPTH = 32


class _Node(NamedTuple):
    value: Any
    name: str
    """The nearest one above that names a secret."""
    depth: int


class ValueReading:
    """Reads the strings out of values, within bounds that hold for all of them."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._left = _NODES
        self._seen: dict[tuple[int, str], object] = {}
        self.whole = True
        """No bound was met."""

    def find_strings(self, value: Any, *, name: str = "") -> Iterator[tuple[str, str]]:
        """Every string in a value, and the name above it that says it is a secret, if any does."""
        queue = deque([_Node(value, name, 0)])
        while queue:
            node = queue.popleft()
            self._left -= 1
            if self._left < 0:
                self.whole = False
                return
            texts = _read_texts(node.value, secret=bool(node.name))
            if texts is None:
                queue.extend(self._list_inside(node))
                continue
            for text in texts:
                yield text, node.name

    def _list_inside(self, node: _Node) -> Iterator[_Node]:
        value, above, depth = node
        if (id(value), above) in self._seen:
            return
        # Kept, so that no other object gets the same id.
        self._seen[id(value), above] = value
        for name, item in islice(_list_entries(value), max(self._left + 1, 0)):
            if depth >= _DEPTH:
                self.whole = False
                return
            key = None if name is _NAMELESS else self._keys.classify(name)
            hides = key is not None and key.hides(item)
            yield _Node(item, str.__str__(name) if hides else above, depth + 1)
            if key is not None and not key.plain:
                yield _Node(name, above, depth + 1)


_NAMELESS = object()
_SEQUENCES: tuple[Any, ...] = (list, tuple, set, frozenset, deque)


def _read_texts(value: Any, *, secret: bool) -> tuple[str, ...] | None:
    """The forms of a value that is text or stands for some; `None` where it may hold others."""
    kind = type(value)
    if issubclass(kind, str):
        return (str.__str__(value),)
    if value is None or kind is bool:
        return ()
    if issubclass(kind, int):
        return (int.__repr__(value),) if secret and int.bit_length(value) < 256 else ()
    if issubclass(kind, bytes | bytearray):
        raw = bytes(memoryview(value))
        return tuple({raw.decode("latin-1"), raw.decode("utf-8", "replace")})
    if issubclass(kind, PurePath):
        return (PurePath.__str__(value),)
    if issubclass(kind, float):
        number = float.__repr__(value)
        return (number, number.removesuffix(".0")) if secret else ()
    if issubclass(kind, Decimal):
        return (Decimal.__str__(value),) if secret else ()
    if kind is UUID:
        return (str(value),) if secret else ()
    return None


def _list_entries(value: Any) -> Iterator[tuple[Any, Any]]:
    """What a container holds, by name where it has names."""
    kind = type(value)
    names = read_tuple_names(kind) if issubclass(kind, tuple) else None
    if names:
        yield from zip(names, tuple.__iter__(value), strict=False)
        return
    for container in _SEQUENCES:
        if issubclass(kind, container):
            yield from ((_NAMELESS, item) for item in container.__iter__(value))
            return
    if issubclass(kind, dict):
        yield from list(dict.items(value))
    elif issubclass(kind, UserDict | UserList | UserString):
        yield _NAMELESS, read_attributes(value).get("data")
    elif is_record(kind):
        yield from read_attributes(value).items()
    elif issubclass(kind, Mapping):
        yield from islice(value.items(), _NODES + 1)


def remember_inside(
    value: Any, known: set[str], *, keys: Keys, name: str = "", most: int = _NODES
) -> None:
    """Add what a value holds under names of secrets, or all of it where it has such a name."""
    for text, secret in ValueReading(keys).find_strings(value, name=name):
        if len(known) >= most:
            return
        if secret:
            remember_named(text, known, name=secret)
