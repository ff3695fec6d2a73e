"""The lists of words that each language has as files, and which language a text is in."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from mulligan_dates.text import split_letters, split_name, stem

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


@cache
def load_words(table: str, name: str) -> frozenset[str]:
    """One list of words, of all languages that have it."""
    return frozenset(list_in_order(table, name))


@cache
def list_in_order(table: str, name: str) -> tuple[str, ...]:
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


@lru_cache(maxsize=256)
def says_any(text: str, table: str, name: str) -> bool:
    """Whether a text has a word of a list."""
    return not load_words(table, name).isdisjoint(split_letters(text))


@lru_cache(maxsize=4_096)
def names_any(name: str, table: str, words: str) -> bool:
    """Whether a program's name, of a field or a tool, has a word of a list."""
    return not load_words(table, words).isdisjoint(split_name(name))


@lru_cache(maxsize=8_192)
def ends_in(name: str, table: str, *lists: str) -> bool:
    """Whether the last word of a program's name is in one of these lists."""
    last = split_name(name)[-1:]
    return any(not load_words(table, each).isdisjoint(last) for each in lists)


def has_picking_words(message: str) -> bool:
    """Whether a message picks things otherwise than by their names: all but the last."""
    return says_any(message, "words", "picked")


def find_stems(text: str) -> set[str]:
    """The words of a text that name something, each without its ending."""
    empty = load_words("words", "empty")
    return {stem(word) for word in split_letters(text, shortest=2) if word not in empty}


@cache
def load_general_stems() -> frozenset[str]:
    """Words for a sort of thing, without their endings: they name none of it."""
    return frozenset(map(stem, load_words("words", "general")))


_SCRIPTS = (
    ("ja", "\u3040", "\u30ff"),
    ("ko", "\uac00", "\ud7af"),
    ("zh", "\u4e00", "\u9fff"),
    ("hi", "\u0900", "\u097f"),
    ("bn", "\u0980", "\u09ff"),
    ("th", "\u0e00", "\u0e7f"),
    ("ar", "\u0600", "\u06ff"),
    ("he", "\u0590", "\u05ff"),
    ("ru", "\u0400", "\u04ff"),
    ("el", "\u0370", "\u03ff"),
)
LANGUAGES = {
    "ar": "Arabic", "bn": "Bengali", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pt": "Portuguese", "ru": "Russian",
    "th": "Thai", "zh": "Chinese",
}  # fmt: skip
"""What people call the languages that can be told apart."""
_NOUNS = "nouns_have_capitals"
LONGEST_LOOK = 2_000
"""Characters that tell it."""

_LETTERS = re.compile(r"[^\W\d_]+")
_OWN_LETTERS = (*(("de", letter) for letter in "äöüß"), ("es", "ñ"), ("pt", "ã"), ("pt", "õ"))
"""Letters that hardly another of these languages writes."""
_UNSPACED = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u3005", "\u3007"),
    ("\u3040", "\u30ff"),
    ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"),
    ("\uac00", "\ud7af"),
)
"""Letters of scripts in which a number stands between words without a space."""
_FIRST_UNSPACED = "\u0e00"


def detect_language(text: str, *, otherwise: str = "en") -> str:
    """The two letters of the language that it is most likely in."""
    return _detect_language(text[:LONGEST_LOOK], otherwise)


@lru_cache(maxsize=16)
def _detect_language(start: str, otherwise: str) -> str:
    """The same, once for all that ask about one text."""
    if script := _find_script(start):
        return script
    known = _index_common_words()
    counts: dict[str, float] = {}
    for word, times in Counter(_LETTERS.findall(start.lower())).items():
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
    return letter >= _FIRST_UNSPACED and any(first <= letter <= last for first, last in _UNSPACED)


def has_foreign_letters(text: str) -> bool:
    """Whether a text is in a script that is not Latin."""
    return not text.isascii() and _find_script(text[:LONGEST_LOOK]) is not None


def _find_script(text: str) -> str | None:
    """The language whose own letters a quarter of a text is written in."""
    if text.isascii():
        return None
    letters = sum(map(str.isalpha, text))
    for code, first, last in _SCRIPTS:
        if sum(first <= each <= last for each in text) * 4 >= letters > 0:
            return code
    return None


@cache
def list_languages() -> frozenset[str]:
    """What can be told apart."""
    return frozenset({*_load_told_apart(), *(code for code, *_ in _SCRIPTS)})


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
