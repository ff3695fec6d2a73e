"""Walks a value of any shape and builds what may be shown of it, within bounds.

The common call, a few small, plain values under well-known names, is written straight to JSON: the
same in half the time.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from itertools import islice
from math import isfinite, isnan
from pathlib import PurePath
from types import MappingProxyType
from typing import Any
from uuid import UUID

from mulligan.redaction.names import classify_if_name
from mulligan.redaction.scrub import clip, scrub_value
from mulligan.redaction.secrets import HIDDEN, MOST_KNOWN, takes_login
from mulligan.redaction.text import Hide
from mulligan.redaction.values import (
    BIG,
    NUMBERS,
    OPENINGS,
    SHORT,
    UUID_LENGTH,
    Keys,
    Stubs,
    format_class,
    is_record,
    read_attributes,
    read_enum_value,
    read_tuple_names,
    remember_inside,
)

DEPTH = 32
ITEMS = 2_000
FIELD_BYTES = 65_536
_LONGEST_STRING = 16_000
_ENTRY = 24
_EXACT_BITS = 63
_FEWEST_OF_PHONE = 10**6
_MOST_OF_PHONE = 10**15
_PHONE = re.compile(r"[^A-Za-z0-9]*+(?:[0-9][^A-Za-z0-9]*+){7,15}")
_ITEM = 8
FAILED = "<redaction failed>"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_DEEPER = "<… deeper>"
_CONTAINERS: tuple[Any, ...] = (list, set, frozenset, deque, MappingProxyType)
NO_ENUM: frozenset[str] = frozenset()
ChangeText = Callable[[str], str]
"""Turns a string into what may be shown."""


class Walk:
    """One field being logged: what is left of its bounds."""

    __slots__ = (
        "_hash",
        "_scrub",
        "_short",
        "enum",
        "full",
        "hide",
        "items",
        "keys",
        "known",
        "room",
        "stubs",
    )

    def __init__(
        self,
        *,
        stubs: Stubs,
        keys: Keys,
        full: bool,
        room: int = FIELD_BYTES,
        hide: Hide = Hide.PERSONAL,
        ids: bool = False,
        known: set[str] | None = None,
    ) -> None:
        self.stubs = stubs
        self.hide = hide
        self.known: set[str] = set() if known is None else known
        """What is called a secret in this row: its other places are for the redactor to hide."""
        self._scrub: ChangeText = partial(scrub_value, hide=hide, ids=ids, known=self.known)
        self._hash: ChangeText = stubs.hash_short
        self.keys = keys
        self.room = room
        self.items = ITEMS
        self.full = full
        """Strings are scrubbed, not replaced by stubs."""
        self.enum = NO_ENUM
        """Strings that may be shown as they are."""
        self._short: ChangeText = self._scrub if full else self._hash
        """What most strings come to, for the loops that see most of them."""

    def scrub_id(self, text: str) -> str:
        """A string under the name of an id, less secrets."""
        return scrub_value(text, hide=self.hide, ids=True, known=self.known)

    def open(self, *, full: bool, enum: frozenset[str]) -> None:
        """Show more of the values that follow."""
        self.full = full
        self.enum = enum
        self._short = self.redact_string if enum else self._scrub if full else self._hash

    def redact_value(self, value: Any, *, depth: int = 0, ids: bool = False) -> object:
        """What may be shown of a value."""
        kind = type(value)
        if kind is str:
            return self.redact_string(value, ids=ids)
        if kind is dict:
            return self._redact_mapping(value.items(), len(value), depth)
        if kind is list or kind is tuple:
            return self._redact_sequence(value, len(value), depth, ids=ids)
        if value is None or kind is bool:
            return value
        if kind is int:
            shown = -BIG < value < BIG or self._may_show(value)
            return value if shown else self.stubs.hash_integer(value)
        if kind is float:
            return self._redact_float(value)
        return self._redact_other(value, kind, depth, ids=ids)

    def redact_string(self, value: str, *, ids: bool = False) -> str:
        """What may be shown of a string."""
        if value in self.enum:
            return self._scrub(value)
        if self.full:
            most = min(_LONGEST_STRING, max(self.room, 0))
            if len(value) > most:
                shown = clip(value, most=most, hide=self.hide, known=self.known)
            else:
                shown = self.scrub_id(value) if ids else self._scrub(value)
        elif ids and len(value) == UUID_LENGTH and _UUID.fullmatch(value):
            shown = value
        else:
            shown = self.stubs.hash_text(value)
        self.room -= len(shown) + 3
        return shown

    def add_argument(self, name: object, *, value: object, shown: dict[str, object]) -> None:
        """Add an argument to those that are shown already; one that fails says so alone."""
        self.items = ITEMS
        # No argument takes more than half of what is left, so that a huge one leaves room.
        rest = self.room - self.room // 2
        self.room -= rest
        try:
            self._add_entry(name, value, shown, depth=0)
        except Exception:  # noqa: BLE001 - the others are still worth showing
            shown[self.keys.classify(name).shown] = FAILED
        self.room += rest

    def _may_show(self, value: int) -> bool:
        """A large number is shown if it is an epoch or an id, so not a card or a phone number."""
        from mulligan.redaction.numbers import classify_digits

        open_to_ids = self.hide is not Hide.ALL and value.bit_length() <= _EXACT_BITS
        return open_to_ids and classify_digits(str(abs(value))) is None

    def _redact_float(self, value: float) -> object:
        if -BIG < value < BIG:
            return value
        if isfinite(value):
            if self._may_show(int(value)):
                return value
            return self.stubs.hash_text(float.__repr__(value), name="float")
        return "<nan>" if isnan(value) else "<inf>" if value > 0 else "<-inf>"

    def _redact_mapping(
        self, pairs: Iterable[tuple[Any, Any]], size: int, depth: int
    ) -> dict[str, object] | str:
        if depth >= DEPTH:
            return _DEEPER
        shown: dict[str, object] = {}
        # Copied at once, so that another thread cannot change the dictionary in between.
        left = self.items
        taken = list(pairs) if size <= left else list(islice(pairs, left))
        self.items = left - len(taken)
        known, make, room = self.keys.open, self._short, self.room
        ids = self.keys.ids if self.full else ()
        for name, value in taken:
            if room <= 0:
                break
            if type(name) is str and name in known:
                kind = type(value)
                if kind is str:
                    length = len(value)
                    if length <= SHORT and length != UUID_LENGTH:
                        text = self.scrub_id(value) if name in ids else make(value)
                        shown[name] = text
                        room -= len(text) + _ENTRY
                        continue
                elif value is None or kind is bool or (kind in NUMBERS and -BIG < value < BIG):
                    shown[name] = value
                    room -= _ENTRY
                    continue
            self.room = room
            self._add_entry(name, value, shown, depth=depth)
            room = self.room
        self.room = room
        if self.full and ("value" in shown or "Value" in shown):
            self.hide_beside(shown)
        if len(shown) < size:
            shown["<…>"] = f"<… {size - len(shown):,} more>"
        return shown

    def _add_entry(self, name: Any, value: Any, shown: dict[str, object], *, depth: int) -> None:
        key = self.keys.classify(name)
        label = key.shown if key.plain else key.choose_label(shown)
        self.room -= len(label) + _ITEM
        if key.hides(value):
            self._remember(name, value)
            self.room -= len(HIDDEN)
            shown[label] = HIDDEN
        elif key.phone and self.hide is not Hide.SECRETS and _is_like_phone(value):
            self.room -= _ENTRY
            shown[label] = self.stubs.hash_text(str(value), name=format_class(type(value)))
        else:
            shown[label] = self.redact_value(value, depth=depth + 1, ids=key.ids)

    def _remember(self, name: str, value: Any) -> None:
        remember_inside(value, self.known, keys=self.keys, name=name, most=MOST_KNOWN)

    def _redact_sequence(
        self, items: Iterable[Any], size: int, depth: int, *, ids: bool
    ) -> list[object] | str:
        if depth >= DEPTH:
            return _DEEPER
        shown: list[object] = []
        left = self.items
        taken = list(items) if size <= left else list(islice(items, left))
        self.items = left - len(taken)
        make, room = self._short, self.room
        for item in taken:
            if room <= 0:
                break
            if type(item) is str and len(item) <= SHORT and not ids:
                text = make(item)
                room -= len(text) + _ITEM
                shown.append(text)
            else:
                self.room = room - _ITEM
                shown.append(self.redact_value(item, depth=depth + 1, ids=ids))
                room = self.room
        self.room = room
        if self.full and size > 1:
            self.hide_after(taken, shown)
        if len(shown) < size:
            shown.append(f"<… {size - len(shown):,} more>")
        return shown

    def _redact_other(self, value: Any, kind: type, depth: int, *, ids: bool) -> object:
        """Not one of JSON's own types. Subclasses of those are read past their own methods."""
        if issubclass(kind, Enum):
            return self._redact_enum(value)
        if issubclass(kind, str):
            return self.redact_string(str.__str__(value), ids=ids)
        if issubclass(kind, int):
            return self.redact_value(int.__int__(value), depth=depth, ids=ids)
        if issubclass(kind, float):
            return self._redact_float(float.__float__(value))
        if issubclass(kind, dict):
            return self._redact_mapping(dict.items(value), dict.__len__(value), depth)
        if issubclass(kind, tuple):
            return self._redact_tuple(value, kind, depth, ids=ids)
        if issubclass(kind, _CONTAINERS):
            return self._redact_container(value, kind, depth, ids=ids)
        return self._redact_scalar(value, kind) or self._redact_object(value, kind, depth)

    def _redact_container(self, value: Any, kind: type, depth: int, *, ids: bool) -> object:
        if kind is MappingProxyType:
            # A proxy's object may be anything, with a length that lies.
            return self._redact_mapping(islice(value.items(), self.items), len(value), depth)
        plain = next(known for known in _CONTAINERS if issubclass(kind, known))
        shown = self._redact_sequence(plain.__iter__(value), plain.__len__(value), depth, ids=ids)
        # Sets come in another order in every process.
        return (
            sorted(shown, key=str) if plain in (set, frozenset) and type(shown) is list else shown
        )

    def _redact_enum(self, value: object) -> object:
        inner = read_enum_value(value)
        if type(inner) is str:
            return clip(inner, most=200, hide=self.hide)
        if type(inner) is int:
            return self.redact_value(inner)
        return f"<{format_class(type(value))}>"

    def _redact_tuple(
        self, value: tuple[object, ...], kind: type, depth: int, *, ids: bool
    ) -> object:
        size = tuple.__len__(value)
        items = tuple.__iter__(value)
        names = read_tuple_names(kind)
        if names is not None and len(names) == size:
            return self._redact_mapping(zip(names, items, strict=False), size, depth)
        return self._redact_sequence(items, size, depth, ids=ids)

    def _redact_scalar(self, value: Any, kind: type) -> str | None:
        """The standard library's own values; text in full capture, a stub otherwise."""
        if kind is UUID:
            return str(value)
        if issubclass(kind, bytes | bytearray):
            return self.stubs.hash_bytes(bytes(memoryview(value)), name=format_class(kind))
        if kind is memoryview:
            return f"<memoryview {value.nbytes}>"
        text = _format_text(value, kind)
        if text is None:
            return None
        return (
            clip(text, most=1_000, hide=self.hide)
            if self.full
            else self.stubs.hash_text(text, name=format_class(kind))
        )

    def _redact_object(self, value: object, kind: type, depth: int) -> object:
        if is_record(kind):
            own = read_attributes(value)
            return self._redact_mapping(own.items(), len(own), depth)
        return f"<{format_class(kind)}>"

    def hide_beside(self, shown: dict[str, object]) -> None:
        """Hide the value of an entry that is named beside it: `{"name": "PIN", "value": …}`."""
        for name in ("name", "Name", "key", "Key"):
            told = shown.get(name)
            if type(told) is str and classify_if_name(told):
                for value in ("value", "Value"):
                    if value in shown:
                        self._remember(told, shown[value])
                        shown[value] = HIDDEN

    def hide_after(self, items: Sequence[Any], shown: list[object]) -> None:
        """Hide what follows a secret name in a pair, or a secret flag in a command."""
        pair = len(items) == 2
        for place, item in enumerate(items[: len(shown) - 1] if shown else ()):
            if type(item) is not str or not (pair or item[:1] == "-"):
                continue
            if classify_if_name(item) or takes_login(items, place):
                self._remember(item, items[place + 1])
                shown[place + 1] = HIDDEN


def _is_like_phone(value: Any) -> bool:
    """Whether it has as many digits as a phone number has, and no letter."""
    kind = type(value)
    if kind is int:
        return bool(_FEWEST_OF_PHONE <= abs(value) < _MOST_OF_PHONE)
    return kind is str and len(value) <= _ENTRY and _PHONE.fullmatch(value) is not None


def _format_text(value: object, kind: type) -> str | None:
    for known, text in _TEXTS.items():
        if issubclass(kind, known):
            return text(value)
    return None


# In this order: a datetime is a date too. The classes' own methods, not those of a subclass.
_TEXTS: Mapping[type, Callable[[Any], str]] = {
    datetime: datetime.isoformat,
    date: date.isoformat,
    time: time.isoformat,
    timedelta: timedelta.__str__,
    Decimal: Decimal.__str__,
    PurePath: PurePath.__str__,
}


LEAN_ITEMS = 32
"""Entries of one container."""
LEAN_DEPTH = 4
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
                text = self._encode_mapping(value, LEAN_DEPTH)
            else:
                [text] = self._encode_all((value,), LEAN_DEPTH)
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
            elif (kind is list or kind is tuple) and depth and len(value) <= LEAN_ITEMS:
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
        if len(value) > LEAN_ITEMS or any(
            type(name) is not str or name not in known for name in value
        ):
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
