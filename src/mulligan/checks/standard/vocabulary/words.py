"""Words of names and of sentences, as far as choosing checks needs them."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files

from mulligan.checks.dates.language.choosing import choose_language
from mulligan.checks.dates.language.tokens import tokenize

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD = re.compile(r"[^\W\d_]{2,}")


LANGUAGES = ("english", "german")
"""Those whose requests are read, one file each."""


@cache
def load_words(table: str, name: str) -> frozenset[str]:
    """One list of words, of all languages that have it."""
    told = (_load_tables(language).get(table, {}).get(name, "") for language in LANGUAGES)
    return frozenset(" ".join(told).split())


@cache
def _load_tables(language: str) -> dict[str, dict[str, str]]:
    text = files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@lru_cache(maxsize=64)
def is_understood(message: str) -> bool:
    """Whether a message is in a language whose words are known: else none of them can be missed."""
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
    for ending in ("ings", "ing", "ies", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
