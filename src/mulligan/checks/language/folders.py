"""Which languages have a folder of words, and the lists that each has there as a file."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

_WORDS = files(__package__).joinpath("words")
_FILE = "lexicon.toml"
FIRST = "english"
"""What a text is in where nothing tells, and what tools and parameters are named in."""


@cache
def list_folders() -> tuple[str, ...]:
    """The languages that are described here, each by the name of its folder."""
    found = (each.name for each in _WORDS.iterdir() if each.joinpath(_FILE).is_file())
    return tuple(sorted(found, key=lambda name: (name != FIRST, name)))


@cache
def load_lexicon(folder: str) -> dict[str, Any]:
    """Its lists of words; a list is a text, with one word between blanks."""
    return tomllib.loads(read_file(folder, _FILE))


def read_file(folder: str, name: str) -> str:
    """One file of a language."""
    return _WORDS.joinpath(folder, name).read_text(encoding="utf-8")


@cache
def load_others() -> dict[str, Any]:
    """What is known of languages that have no folder, by their two letters."""
    return tomllib.loads(_WORDS.joinpath("others.toml").read_text(encoding="utf-8"))


@cache
def load_tables(name: str) -> dict[str, Any]:
    """One file of every language that has it, put together: of two that tell a word, the first."""
    found: dict[str, Any] = {}
    for folder in list_folders():
        if _WORDS.joinpath(folder, name).is_file():
            found = _join(found, tomllib.loads(read_file(folder, name)))
    return found


def _join(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    joined = {**other, **one}
    for key in one.keys() & other.keys():
        if isinstance(one[key], dict):
            joined[key] = _join(one[key], other[key])
        elif isinstance(one[key], list):
            joined[key] = [*one[key], *other[key]]
    return joined
