"""Takes a call's own arguments out of what its error says, and leaves their names."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from mulligan.redaction.keys import Keys
from mulligan.redaction.objects import attributes, is_record
from mulligan.redaction.walk import NO_ENUM

_SHORTEST = 3
_WORD = 4
"""A word no longer than this is masked only where it stands alone: `day` not in `Monday`."""
_ENDS = 16
_LONG = 24
_ENCODED = 2_000
_NODES = 500
_DEPTH = 8
_FIRST_MASK = 0xE000
_MOST_MASKS = 6_000
_PRIVATE = re.compile("[\ue000-\uf8ff]")


class Open(NamedTuple):
    """What of a call's arguments may be shown."""

    allow: frozenset[str]
    enums: Mapping[str, frozenset[str]]
    full: bool
    """Everything but secrets."""


class _Node(NamedTuple):
    value: Any
    secret: bool
    depth: int


def _strings(value: Any, *, secret: bool, keys: Keys) -> Iterator[tuple[str, bool]]:
    """Every string in an argument, and whether a secret name stands above it; bounded."""
    queue = deque([_Node(value, secret, 0)])
    for _ in range(_NODES):
        if not queue:
            return
        node = queue.popleft()
        value, secret, depth = node
        kind = type(value)
        if issubclass(kind, str):
            yield str.__str__(value), secret
        elif issubclass(kind, int) and kind is not bool:
            if secret and int.bit_length(value) < 256:
                yield int.__repr__(value), secret
        elif issubclass(kind, bytes):
            yield bytes.__getitem__(value, slice(_ENCODED)).decode("latin-1"), secret
        elif issubclass(kind, PurePath):
            yield PurePath.__str__(value), secret
        elif depth < _DEPTH:
            queue.extend(_inside(node, keys))


def _inside(node: _Node, keys: Keys) -> Iterator[_Node]:
    value, secret, depth = node
    kind = type(value)
    for container in (list, tuple, set, frozenset):
        if issubclass(kind, container):
            for item in islice(container.__iter__(value), _NODES):
                yield _Node(item, secret, depth + 1)
            return
    pairs: Any = ()
    if issubclass(kind, dict):
        pairs = dict.items(value)
    elif is_record(kind):
        pairs = attributes(value).items()
    for name, item in list(islice(pairs, _NODES)):
        key = keys.of(name)
        yield _Node(item, secret or bool(key.secrecy), depth + 1)
        if not key.plain:
            yield _Node(name, secret, depth + 1)


class Masks:
    """Stand-ins in a text for the arguments it quotes."""

    def __init__(self, arguments: Mapping[str, object], *, keys: Keys, opened: Open) -> None:
        self._names: dict[str, str] = {}
        found: dict[str, str] = {}
        for number, (name, value) in enumerate(islice(arguments.items(), _MOST_MASKS)):
            key = keys.of(name)
            mask = chr(_FIRST_MASK + number)
            self._names[mask] = f"<{key.shown}>" if key.plain else "<argument>"
            enum = opened.enums.get(name, NO_ENUM) if opened.enums else NO_ENUM
            secrets_only = opened.full or name in opened.allow
            for text, secret in _strings(value, secret=bool(key.secrecy), keys=keys):
                if len(text) >= _SHORTEST and (secret or not (secrets_only or text in enum)):
                    found.setdefault(text, mask)
        self._found = sorted(found.items(), key=lambda pair: -len(pair[0]))

    def put(self, text: str) -> str:
        """Replace the arguments that the text quotes, longest first."""
        if not text.isascii():
            text = _PRIVATE.sub("?", text)
        for argument, mask in self._found:
            text = _replace(text, argument, mask)
            for form in _forms(argument, text):
                text = text.replace(form, mask)
        return text

    def name(self, text: str) -> str:
        """Put the parameters' names where the stand-ins are."""
        if text.isascii():
            return text
        return _PRIVATE.sub(lambda found: self._names.get(found[0], "?"), text)


def _replace(text: str, argument: str, mask: str) -> str:
    if argument in text:
        if len(argument) <= _WORD and argument.isalpha():
            return re.sub(rf"(?<!\w){argument}(?!\w)", mask, text)
        return text.replace(argument, mask)
    if len(argument) < _LONG:
        return text
    # Messages quote long values in part: the beginning, the end, or both.
    head, tail = argument[:_ENDS], argument[-_ENDS:]
    while (start := text.find(head)) >= 0:
        end = start + _alike(argument, text[start : start + len(argument)])
        text = text[:start] + mask + text[end:]
    while (start := text.find(tail)) >= 0:
        end = start + _ENDS
        before = text[max(0, end - len(argument)) : end]
        text = text[: end - _alike(argument[::-1], before[::-1])] + mask + text[end:]
    return text


def _alike(one: str, other: str) -> int:
    """How many characters two texts share at their beginning."""
    for count, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return count
    return min(len(one), len(other))


def _forms(argument: str, text: str) -> Iterator[str]:
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
