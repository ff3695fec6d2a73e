"""Takes a call's own arguments out of what its error says, and leaves their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from mulligan.redaction.quotes import Quotable, TooMuchError, find_quotes, fold, replace
from mulligan.redaction.scrub import scrub_value
from mulligan.redaction.values.keys import Keys
from mulligan.redaction.values.reading import ValueReading
from mulligan.redaction.values.walk import NO_ENUM

_SHORTEST = 3
_WORD = 4
"""A word no longer than this is masked only where it stands alone: `day` not in `Monday`."""
_ENCODED = 2_000
_LETTERS = 1_000_000
WITHHELD = "<message withheld: too many arguments to mask>"
_FIRST_MASK = 0xE000
_MOST_MASKS = 6_000
_PRIVATE = re.compile("[\ue000-\uf8ff]")


class Open(NamedTuple):
    """What of a call's arguments may be shown."""

    allow: frozenset[str]
    enums: Mapping[str, frozenset[str]]
    full: bool
    """Everything but secrets."""


_LOOKED_AT = 65_536
"""Characters of the arguments that are shown, which are read for what they call a secret."""


def _find_known(text: str) -> set[str]:
    """What an argument that is shown calls a secret."""
    known: set[str] = set()
    scrub_value(text, prose=True, known=known)
    return known


class Masks:
    """Stand-ins in a text for the arguments it quotes."""

    def __init__(self, arguments: Mapping[str, object], *, keys: Keys, opened: Open) -> None:
        self._names: dict[str, str] = {}
        found: dict[str, str] = {}
        reading, left, letters = ValueReading(keys), _LOOKED_AT, _LETTERS
        for number, (name, value) in enumerate(islice(arguments.items(), _MOST_MASKS)):
            key = keys.classify(name)
            mask = chr(_FIRST_MASK + number)
            self._names[mask] = f"<{key.shown}>" if key.plain else "<argument>"
            enum = opened.enums.get(name, NO_ENUM) if opened.enums else NO_ENUM
            secrets_only = opened.full or name in opened.allow
            above = name if key.hides(value) else ""
            for text, secret in reading.find_strings(value, name=above):
                letters -= len(text)
                if letters < 0:
                    break
                if len(text) >= _SHORTEST and (secret or not (secrets_only or text in enum)):
                    found.setdefault(text, mask)
                    if len(bare := text.strip()) >= _SHORTEST:
                        found.setdefault(bare, mask)
                elif secrets_only and left > 0:
                    found |= dict.fromkeys(_find_known(text[:left]) - found.keys(), mask)
                    left -= len(text)
        self._found = sorted(found.items(), key=lambda pair: -len(pair[0]))
        self._whole = reading.whole and letters >= 0 and len(arguments) <= _MOST_MASKS
        self._quotable = [Quotable(text, fold(text), mask) for text, mask in self._found]

    def put(self, text: str) -> str:
        """Replace the arguments that the text quotes, longest first."""
        if not text.isascii():
            text = _PRIVATE.sub("?", text)
        if len(text) < _SHORTEST:
            return text
        if not self._whole:
            return WITHHELD
        for argument, mask in self._found:
            text = _replace(text, argument, mask)
            for form in _encode_forms(argument, text):
                text = text.replace(form, mask)
        if not self._found:
            return text
        try:
            return replace(text, find_quotes(text, self._quotable))
        except TooMuchError:
            return WITHHELD

    def hold(self, code: str) -> bool:
        """Whether an argument holds a code, or may hold it."""
        plain = fold(code)
        return not self._whole or any(
            plain == one.plain or (len(plain) >= _SHORTEST and plain in one.plain)
            for one in self._quotable
        )

    def insert_names(self, text: str) -> str:
        """Put the parameters' names where the stand-ins are."""
        if text.isascii():
            return text
        return _PRIVATE.sub(lambda found: self._names.get(found[0], "?"), text)


def _replace(text: str, argument: str, mask: str) -> str:
    if argument in text:
        if len(argument) <= _WORD and argument.isalpha():
            return re.sub(rf"(?<!\w){argument}(?!\w)", mask, text)
        return text.replace(argument, mask)
    return text


def _encode_forms(argument: str, text: str) -> Iterator[str]:
    """The argument as code, JSON and URLs quote it, where the text could hold such a form."""
    if len(argument) > _ENCODED or (argument.isalnum() and argument.isascii()):
        return
    forms = set()
    if "\\" in text:
        for escaped in (repr(argument)[1:-1], argument.encode("unicode_escape").decode()):
            forms |= {escaped, escaped.replace("'", "\\'"), escaped.replace('"', '\\"')}
    if "%" in text or "+" in text:
        raw = argument.encode("utf-8", "surrogatepass")
        forms |= {quote(raw), quote(raw, safe=""), quote_plus(raw)}
    yield from sorted(forms - {argument}, key=len, reverse=True)
