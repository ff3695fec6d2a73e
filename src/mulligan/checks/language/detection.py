"""Which language a text is in, as far as a few words and its letters tell, and how it counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

from mulligan.checks.language.folders import list_folders, load_lexicon, load_others

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("bn", re.compile("[\u0980-\u09ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
)
_NOUNS = "nouns_have_capitals"
LONGEST_LOOK = 2_000
"""Characters that tell it."""

_WORD = re.compile(r"[^\W\d_]+")
_OWN_LETTERS = (*(("de", letter) for letter in "äöüß"), ("es", "ñ"), ("pt", "ã"), ("pt", "õ"))
"""Letters that hardly another of these languages writes."""
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af]"
)
"""Letters of scripts in which a number stands between words without a space."""
_FIRST_UNSPACED = "\u0e00"


def detect_language(text: str, *, otherwise: str = "en") -> str:
    """The two letters of the language that it is most likely in."""
    start = text[:LONGEST_LOOK]
    if script := _find_script(start):
        return script
    known = _index_common_words()
    counts: dict[str, float] = {}
    for word, times in Counter(_WORD.findall(start.lower())).items():
        codes = known.get(word, ())
        if not word.isascii():
            codes += tuple(code for code, letter in _OWN_LETTERS if letter in word)
        for code in codes:
            # A word that two languages share says half as much for each.
            counts[code] = counts.get(code, 0.0) + times / len(codes)
    if not counts:
        return otherwise
    return max(counts, key=lambda code: (round(counts[code], 6), code == otherwise))


def is_unspaced(letter: str) -> bool:
    """Whether a number may stand right beside it, and be no part of a word."""
    return letter >= _FIRST_UNSPACED and _UNSPACED.match(letter) is not None


def has_foreign_letters(text: str) -> bool:
    """Whether a text is in letters that only languages have which nobody writes in Latin ones."""
    return not text.isascii() and _find_script(text[:LONGEST_LOOK]) is not None


def _find_script(text: str) -> str | None:
    """The language whose own letters a quarter of a text is written in."""
    if text.isascii():
        return None
    letters = sum(map(str.isalpha, text))
    for code, letter in _SCRIPTS:
        if len(letter.findall(text)) * 4 >= letters > 0:
            return code
    return None


@cache
def list_languages() -> frozenset[str]:
    """What can be told apart."""
    return frozenset({*_load_told_apart(), *(code for code, _ in _SCRIPTS)})


@cache
def has_capitals_for_names(code: str) -> bool:
    """Whether a word with a capital in the middle of a sentence is a name, and keeps its form."""
    return not _load_told_apart().get(code, {_NOUNS: True}).get(_NOUNS, False)


@cache
def load_common_words() -> Mapping[str, frozenset[str]]:
    """Of each language that Latin letters write, words that a sentence can hardly do without."""
    return {code: frozenset(each["common"].split()) for code, each in _load_told_apart().items()}


@cache
def _index_common_words() -> Mapping[str, tuple[str, ...]]:
    """Of each such word, the languages: a text is looked up word by word, not by language."""
    found: dict[str, tuple[str, ...]] = {}
    for code, common in load_common_words().items():
        for word in common:
            found[word] = (*found.get(word, ()), code)
    return found


@cache
def _load_told_apart() -> Mapping[str, Mapping[str, Any]]:
    """Of each language that Latin letters write, what its folder or the others' file says."""
    known = (load_lexicon(folder) for folder in list_folders())
    return {each["code"]: each for each in known} | load_others()
