"""Words of names and of sentences, as far as choosing checks needs them."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD = re.compile(r"[^\W\d_]{2,}")


@cache
def load_words(table: str, name: str) -> frozenset[str]:
    """One list of `english.toml`."""
    return frozenset(_load_tables()[table][name].split())


@cache
def _load_tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("english.toml").read_text(encoding="utf-8"))


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
