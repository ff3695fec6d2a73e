"""What to do with each key of a dictionary, decided once for each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mulligan.redaction.scrub import scrub
from mulligan.redaction.secrets.names import (
    Secrecy,
    classify_name,
    looks_like_field,
    names_ids,
    names_phone,
)
from mulligan.redaction.values.stub import Stubs, format_class

_MOST = 4096
_LONGEST = 80
_SMALL = 10_000
BIG = 10**8
"""From here on a number may be a card or a phone, and is looked at."""
NUMBERS = frozenset({int, float})


class Key(NamedTuple):
    """How a key is shown, and what it says about its value."""

    shown: str
    secrecy: Secrecy
    ids: bool
    plain: bool
    """It is shown as it is, so no other key of the same dictionary is shown alike."""
    phone: bool = False

    def hides(self, value: Any) -> bool:
        """Whether it calls this value a secret: a small number is none where it is a count."""
        if self.secrecy is Secrecy.COUNT and type(value) in NUMBERS:
            return not -BIG < value < BIG
        return bool(self.secrecy)

    def choose_label(self, beside: Mapping[str, object]) -> str:
        """How it is shown beside others, numbered where two look alike."""
        if self.plain or self.shown not in beside:
            return self.shown
        return f"{self.shown} {len(beside)}"


class Keys:
    """Judges keys, and remembers a bounded number of them."""

    __slots__ = ("_known", "_stubs", "ids", "open")

    def __init__(self, stubs: Stubs) -> None:
        self._stubs = stubs
        self._known: dict[str, Key] = {}
        self.open: set[str] = set()
        """Keys that were seen, are shown as they are, and hide nothing."""
        self.ids: set[str] = set()
        """Those of them whose values are ids."""

    def classify(self, name: Any) -> Key:
        """The decision for a key of any type."""
        kind = type(name)
        if kind is str:
            key = self._known.get(name)
            return self._judge(name) if key is None else key
        if issubclass(kind, str):
            return self._judge(str.__str__(name))
        if name is None or kind is bool or (kind is int and -_SMALL < name < _SMALL):
            return Key(str(name), Secrecy.OPEN, ids=False, plain=False)
        if kind is int:
            return Key(self._stubs.hash_integer(name), Secrecy.OPEN, ids=False, plain=False)
        return Key(f"<{format_class(kind)}>", Secrecy.OPEN, ids=False, plain=False)

    def _judge(self, name: str) -> Key:
        plain = looks_like_field(name) and scrub(name) == name
        shown = name if plain else self._stubs.hash_text(name)
        judged = classify_name(name)
        key = Key(shown, judged, names_ids(name), plain, names_phone(name))
        if len(name) <= _LONGEST:
            if len(self._known) >= _MOST:
                self._known.clear()
                self.open.clear()
                self.ids.clear()
            self._known[name] = key
            if plain and not judged and not key.phone:
                # First: whoever finds it among the open ones may ask at once what it names.
                if key.ids:
                    self.ids.add(name)
                self.open.add(name)
        return key
