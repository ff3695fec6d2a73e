"""Words of names and of sentences, as far as choosing checks needs them."""

from __future__ import annotations

import re
from functools import lru_cache

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD = re.compile(r"[^\W\d_]{2,}")

EMPTY = frozenset(
    "a about after again all also an and any are as ask at be been before but by can could did do "
    "does each every for from get give had has have he her here him his how i if in into is it its "
    "just let like make may me might mine more most must my need next no not now of off on one only "
    "or other our out over please put same see she should so some something such than that the "
    "their them then there these they this those to too up us use using want was we were what when "
    "where which while who whose will with would yes you your".split()
)
"""Words that name nothing."""


@lru_cache(maxsize=2_048)
def split_words(name: str) -> list[str]:
    """The words of a name: `newStart_time` is new, start, time."""
    return [part.lower() for part in _PARTS.findall(name)]


def find_stems(text: str) -> set[str]:
    """The words of a text that name something, each without its ending."""
    return {cut_ending(word) for word in _WORD.findall(text.casefold()) if word not in EMPTY}


def cut_ending(word: str) -> str:
    """A word without the ending that a plural or a form of its verb has."""
    for ending in ("ings", "ing", "ies", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
