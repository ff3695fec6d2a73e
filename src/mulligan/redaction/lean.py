"""The common call, written straight to JSON: a few small, plain values under well-known names.

It does for them exactly what the walk does, in half the time, and leaves everything else to it.
"""

from __future__ import annotations

from typing import Any

from mulligan.redaction.keys import Keys
from mulligan.redaction.stub import OPENINGS, SHORT, UUID_LENGTH, Stubs
from mulligan.redaction.walk import BIG, FIELD_BYTES

MOST = 32
"""Entries of one container."""
DEPTH = 4
REMEMBERED = 64
"""Characters of a string whose stub is worth remembering."""
MOST_REMEMBERED = 4_096


class Lean:
    """Writes what it can; `None` means that the walk must do it."""

    __slots__ = ("_copy", "_known", "_recent")

    def __init__(self, *, stubs: Stubs, keys: Keys) -> None:
        self._known = keys.open
        self._recent: dict[str, str] = {}
        # Stubs made of late: results repeat arguments, and calls repeat each other.
        self._copy = stubs.copy

    def write(self, value: Any) -> str | None:
        """The JSON of a value, if it is small and plain through and through."""
        try:
            text = self._encode_value(value, DEPTH)
        except Exception:  # noqa: BLE001 - changed while it was read, or stranger: not plain
            return None
        return text if text is not None and len(text) <= FIELD_BYTES else None

    def _encode_value(self, value: Any, depth: int) -> str | None:
        kind = type(value)
        if kind is str:
            return self._recent.get(value) or self._encode_string(value)
        if kind is bool:
            return "true" if value else "false"
        if kind is int or kind is float:
            return repr(value) if -BIG < value < BIG else None
        if value is None:
            return "null"
        if depth and (kind is dict or kind is list or kind is tuple) and len(value) <= MOST:
            return (
                self._encode_mapping(value, depth)
                if kind is dict
                else self._encode_sequence(value, depth)
            )
        return None

    def _encode_string(self, value: str) -> str | None:
        size = len(value)
        if size > SHORT or (size == UUID_LENGTH and value[8] == "-"):
            return None
        digest = self._copy()
        digest.update(value.encode())
        text = f'"{OPENINGS[size]}{digest.hexdigest()}>"'
        if size <= REMEMBERED:
            recent = self._recent
            if len(recent) >= MOST_REMEMBERED:
                recent.clear()
            recent[value] = text
        return text

    def _encode_mapping(self, value: dict[Any, Any], depth: int) -> str | None:
        known, recent, parts = self._known, self._recent, []
        for name, item in value.items():
            # Names in here are shown as they are, and need no escaping.
            if type(name) is not str or name not in known:
                return None
            if type(item) is str:
                text = recent.get(item) or self._encode_string(item)
            else:
                text = self._encode_value(item, depth - 1)
            if text is None:
                return None
            parts.append(f'"{name}":{text}')
        return f"{{{','.join(parts)}}}"

    def _encode_sequence(self, value: list[Any] | tuple[Any, ...], depth: int) -> str | None:
        recent, parts = self._recent, []
        for item in value:
            if type(item) is str:
                text = recent.get(item) or self._encode_string(item)
            else:
                text = self._encode_value(item, depth - 1)
            if text is None:
                return None
            parts.append(text)
        return f"[{','.join(parts)}]"
