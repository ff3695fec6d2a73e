"""Words of names and of sentences, as far as choosing checks needs them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from mulligan.checks.language.folders import list_folders, load_lexicon, load_others
from mulligan.core.runtime.late_pattern import compile_late

_PARTS = compile_late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD = compile_late(r"[^\W\d_]{2,}")


@cache
def load_words(table: str, name: str) -> frozenset[str]:
    """One list of words, of all languages that have it."""
    return frozenset(list_words(table, name))


@cache
def list_words(table: str, name: str) -> tuple[str, ...]:
    """The same in the order in which they are written, the first language's first."""
    told = (load_lexicon(folder).get(table, {}).get(name, "") for folder in list_folders())
    return tuple(dict.fromkeys(" ".join(told).split()))


def join_words(table: str, name: str) -> str:
    """A list as the part of a pattern that stands for any of its words, the longest first."""
    words = sorted(load_words(table, name), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word.replace("_", " ")) for word in words) or "(?!)"


@cache
def list_months() -> Mapping[str, int]:
    """What months are called, and their numbers; the longest first, as a pattern tries them."""
    others = (each.get("months", "") for each in load_others().values())
    told = (load_lexicon(folder)["dates"]["months"] for folder in list_folders())
    found = {
        name: number
        for year in (*told, *others)
        for number, names in enumerate(year.split(), 1)
        for name in names.split("|")
    }
    return dict(sorted(found.items(), key=lambda month: (-len(month[0]), month[0])))


@cache
def list_weekdays() -> tuple[str, ...]:
    """What days of the week are called, the longest first."""
    told = (load_lexicon(folder)["dates"]["weekdays"] for folder in list_folders())
    names = {name for week in told for names in week.split() for name in names.split("|")}
    return tuple(sorted(names, key=lambda name: (-len(name), name)))


@lru_cache(maxsize=64)
def is_understood(message: str) -> bool:
    """Whether a message is in a language whose words are known: else none of them can be missed."""
    # The languages themselves are loaded with the first message: lists of words need none of them.
    from mulligan.checks.language.choosing import choose_language
    from mulligan.checks.language.tokens import tokenize

    return choose_language(tokenize(message)) is not None


def has_picking_words(message: str) -> bool:
    """Whether a message picks things otherwise than by their names: all but the last."""
    return not load_words("words", "picked").isdisjoint(_WORD.findall(message.casefold()))


@lru_cache(maxsize=2_048)
def split_words(name: str) -> list[str]:
    """The words of a name: `newStart_time` is new, start, time."""
    return [part.lower() for part in _PARTS.findall(name)]


def find_stems(text: str) -> set[str]:
    """The words of a text that name something, each without its ending."""
    empty = load_words("words", "empty")
    return {cut_ending(word) for word in _WORD.findall(text.casefold()) if word not in empty}


def cut_ending(word: str) -> str:
    """A word without the ending that a plural or a form of its verb has."""
    for ending in _list_endings():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@cache
def _list_endings() -> tuple[str, ...]:
    """The longest first: of "meetings" more goes than its last letter."""
    return tuple(sorted(load_words("words", "endings"), key=len, reverse=True))
