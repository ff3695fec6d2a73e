"""Which language a text is in, as far as a few words and its letters tell, and how it counts."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

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
LANGUAGES = frozenset({"en", "de", "fr", "es", "it", "nl", "pt", *(code for code, _ in _SCRIPTS)})
"""What can be told apart."""
NAMES_HAVE_CAPITALS = frozenset({"en", "fr", "es", "it", "nl", "pt"})
"""Where a word with a capital in the middle of a sentence is a name, and keeps its form."""
LONGEST_LOOK = 2_000
"""Characters that tell it."""

_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af]"
)
"""Letters of scripts in which a number stands between words without a space."""


def detect_language(text: str, *, otherwise: str = "en") -> str:
    """The two letters of the language that it is most likely in."""
    start = text[:LONGEST_LOOK]
    if script := _find_script(start):
        return script
    counts = Counter[str]()
    for word in _WORD.findall(start.lower()):
        counts.update(code for code, common in load_common_words().items() if word in common)
    if not counts:
        return otherwise
    return max(counts, key=lambda code: (counts[code], code == otherwise))


def is_unspaced(letter: str) -> bool:
    """Whether a number may stand right beside it, and be no part of a word."""
    return bool(letter) and _UNSPACED.match(letter) is not None


def has_foreign_letters(text: str) -> bool:
    """Whether a text is in letters that only languages have which nobody writes in Latin ones."""
    return not text.isascii() and _find_script(text[:LONGEST_LOOK]) is not None


def _find_script(text: str) -> str | None:
    """The language whose own letters a quarter of a text is written in."""
    letters = sum(map(str.isalpha, text))
    for code, letter in _SCRIPTS:
        if len(letter.findall(text)) * 4 >= letters > 0:
            return code
    return None


@cache
def load_common_words() -> Mapping[str, frozenset[str]]:
    """Of each language that Latin letters write, words that a sentence can hardly do without."""
    text = files(__package__).joinpath("languages.toml").read_text(encoding="utf-8")
    return {code: frozenset(words.split()) for code, words in tomllib.loads(text).items()}
