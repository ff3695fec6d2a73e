"""Values that are known to be secrets, by their name or by what was said: hidden everywhere else.

A form can be told wherever it stands; a password only where something calls it one. Once it is
known, its other places in the same text or the same row are hidden as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os.path import commonprefix
from typing import Any

from mulligan.redaction.secrets.pairs import ALSO_OPEN, HIDDEN

_WRAPPING = " \t\r\n\f\v\"'`\\,;.()[]{}"
_PIECES = re.compile(r"""[^\s"'`\\,;:&=(){}\[\]<>]{6,}""")
_SHORTEST, _SHORTEST_WORD, _SHORTEST_DIGITS, _SURE = 4, 5, 6, 16
"""Characters of what stands under a name, of a word or a number that is said, and of what is
hidden inside other words too."""
_HEAD = 12
"""So many of its first characters are enough: what is told may have been cut."""
_LONGEST = 512
MOST = 64
_LETTER = re.compile(r"[^\W\d_]")
_PLACE = re.compile(
    r"\w{1,20}:/|[/~.]|[^@]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}\Z|[-0-9:.+TZ/ ]{1,40}\Z"
)
"""A link, a path, a mailbox, a date: no part of a password that is worth looking for."""
_SAID = (
    "admin basic bearer default denied disabled empty enabled example expired failed false hidden"
    " incorrect invalid localhost masked missing never optional password private public redacted"
    " rejected removed required secret string token undefined unknown unset value wrong"
)
_OPEN = frozenset(_SAID.split())
"""What stands behind a secret name and is said elsewhere too."""


def remember(hidden: str, known: set[str], *, told: bool) -> None:
    """Add what a hidden stretch holds; a plain word only where it is told to be a password."""
    value = hidden.strip(_WRAPPING)
    if len(known) >= MOST or len(value) > _LONGEST:
        return
    # Of several words, the first may be all of it: `password=swordfish was refused`.
    words = {value, *value.split(None, 1)[:1]} if told else set()
    known |= {each for each in words if _is_word(each)}
    known |= {each for each in [value, *_PIECES.findall(value)] if _is_distinct(each)}


def remember_named(text: str, known: set[str], *, name: str) -> None:
    """Add what stands under the name of a secret; under `session`, `morning` is none."""
    value = text.strip()
    plain = value.lower() in _OPEN or (value.isalpha() and name.lower() in ALSO_OPEN)
    if len(value) >= _SHORTEST and not plain:
        known.add(value)
        remember(value, known, told=False)


def _is_distinct(value: str) -> bool:
    """Whether no sentence would hold it by chance: digits among letters, or many digits."""
    if value.isdigit():
        return len(value) >= _SHORTEST_DIGITS
    mixed = any(map(str.isdigit, value)) or (value[1:] != value[1:].lower() and not value.isupper())
    long = len(value) >= _SHORTEST_DIGITS
    return long and mixed and bool(_LETTER.search(value)) and not _PLACE.match(value)


def _is_word(value: str) -> bool:
    return len(value) >= _SHORTEST_WORD and value.lower() not in _OPEN and not _PLACE.match(value)


def hide_known(shown: Any, known: set[str]) -> Any:
    """A text, or what is shown of a row, without what is known to be secret."""
    kind = type(shown)
    if kind is str:
        there = {left for each in known for left in _find_left(shown, each)}
        return _hide(shown, there, known) if there else shown
    if kind is dict:
        return {name: hide_known(item, known) for name, item in shown.items()}
    if kind is list:
        return [hide_known(item, known) for item in shown]
    return HIDDEN if kind is int and str(shown) in known else shown


def _find_left(text: str, secret: str) -> Iterator[str]:
    """The secret where it stands in a text, or what is left of it where its end was cut off."""
    head, at = secret[:_HEAD], 0
    while (at := text.find(head, at)) >= 0:
        left = commonprefix((secret, text[at : at + len(secret)]))  # noqa: RUF071 - as is meant
        yield left
        at += len(left)


def _hide(text: str, there: set[str], known: set[str]) -> str:
    """The longest first; a short one, or a part of one, only where it stands alone."""
    forms = (
        re.escape(each)
        if len(each) >= _SURE and each in known
        else rf"(?<!\w){re.escape(each)}(?!\w)"
        for each in sorted(there, key=len, reverse=True)
    )
    # What stands in for a secret is between angle brackets, and is none.
    found = re.compile(rf"<[a-z ]{{1,16}}>|({'|'.join(forms)})")
    return found.sub(lambda each: HIDDEN if each[1] else each[0], text)
