"""The common call, written straight to JSON: a few small, plain values under well-known names.

It does for them exactly what the walk does, in half the time, and leaves everything else to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mulligan.redaction.values.keys import BIG, Keys
from mulligan.redaction.values.stub import OPENINGS, SHORT, UUID_LENGTH, Stubs
from mulligan.redaction.values.walk import FIELD_BYTES

MOST = 32
"""Entries of one container."""
DEPTH = 4
REMEMBERED = 64
"""Characters of a string whose stub is worth remembering."""
MOST_REMEMBERED = 4_096
MOST_SHAPES = 1_024
_LEAST = -BIG


class NotPlainError(Exception):
    """The walk must do it."""


class Lean:
    """Writes what it can; `None` means that the walk must do it."""

    __slots__ = ("_copy", "_known", "_recent", "_shapes")

    def __init__(self, *, stubs: Stubs, keys: Keys) -> None:
        self._known = keys.open
        self._shapes: dict[tuple[str, ...], str] = {}
        """The JSON of mappings by their names, with a `%s` for each value: most are met again."""
        self._recent: dict[str, str] = {}
        # Stubs made of late: results repeat arguments, and calls repeat each other.
        self._copy = stubs.copy

    def write(self, value: Any) -> str | None:
        """The JSON of a value, if it is small and plain through and through."""
        try:
            if type(value) is dict:
                text = self._encode_mapping(value, DEPTH)
            else:
                [text] = self._encode_all((value,), DEPTH)
        except Exception:  # noqa: BLE001 - changed while it was read, or stranger: not plain
            return None
        return text if len(text) <= FIELD_BYTES else None

    def _encode_all(self, values: Iterable[Any], depth: int) -> list[str]:
        """Each of some values. One loop, as a call for each would take half of the time."""
        recent, texts = self._recent, []
        for value in values:
            kind = type(value)
            if kind is str:
                text = recent.get(value) or self._encode_string(value)
            elif kind is bool:
                text = "true" if value else "false"
            elif kind is int or kind is float:
                if not _LEAST < value < BIG:
                    raise NotPlainError
                text = repr(value)
            elif value is None:
                text = "null"
            elif kind is dict and depth:
                text = self._encode_mapping(value, depth)
            elif (kind is list or kind is tuple) and depth and len(value) <= MOST:
                text = f"[{','.join(self._encode_all(value, depth - 1))}]"
            else:
                raise NotPlainError
            texts.append(text)
        return texts

    def _encode_mapping(self, value: dict[Any, Any], depth: int) -> str:
        # Of a copy, or names and values could be those of two moments.
        value = value.copy()
        shape = self._shapes.get(tuple(value)) or self._learn_shape(value)
        return shape % tuple(self._encode_all(value.values(), depth - 1))

    def _learn_shape(self, value: dict[Any, Any]) -> str:
        known = self._known
        # Names in here are shown as they are, and need no escaping.
        if len(value) > MOST or any(type(name) is not str or name not in known for name in value):
            raise NotPlainError
        if len(self._shapes) >= MOST_SHAPES:
            self._shapes.clear()
        names = tuple(value)
        fields = ",".join([f'"{name}":%s' for name in names])
        shape = self._shapes[names] = f"{{{fields}}}"
        return shape

    def _encode_string(self, value: str) -> str:
        size = len(value)
        if size > SHORT or (size == UUID_LENGTH and value[8] == "-"):
            raise NotPlainError
        digest = self._copy()
        digest.update(value.encode())
        text = f'"{OPENINGS[size]}{digest.hexdigest()}>"'
        if size <= REMEMBERED:
            recent = self._recent
            if len(recent) >= MOST_REMEMBERED:
                recent.clear()
            recent[value] = text
        return text
