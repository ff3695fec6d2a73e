"""Which language a message is read in: the one that knows most of its words, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache

from mulligan.checks.dates.language.english import ENGLISH
from mulligan.checks.dates.language.german import GERMAN
from mulligan.checks.dates.language.tables import ClauseWords, Table, Words
from mulligan.checks.dates.language.tokens import Token
from mulligan.checks.languages import has_foreign_letters, load_common_words

LANGUAGES: Mapping[str, Words] = {each.code: each for each in (ENGLISH, GERMAN)}
"""What can be read; the first one where nothing tells."""
_SHORTEST = 2
"""Letters of a word that tells a language."""
_FEWEST = 5
"""One of so many words must be known, or nobody here knows the language."""
_READ = 64
"""Words of a message that tell it."""


def choose_language(tokens: Sequence[Token], *, locale: str | None = None) -> Words | None:
    """The language to read these words in; `None` where it is one that nobody described here.

    A locale settles what the words leave open.
    """
    known = _index_words()
    counts: dict[str, int] = {}
    words = [
        text
        for token in tokens[:_READ]
        if len(text := token.text) >= _SHORTEST and text[0].isalpha()
    ]
    for text in words:
        for code in known.get(text, ()):
            counts[code] = counts.get(code, 0) + 1
    usual = (locale or "")[:2].lower() or next(iter(LANGUAGES))
    if not words:
        return LANGUAGES.get(usual)
    if not counts or has_foreign_letters("".join(words)):
        return None
    best = max(counts, key=lambda code: (counts[code], code == usual, code in LANGUAGES))
    return LANGUAGES.get(best) if counts[best] * _FEWEST >= len(words) else None


@cache
def _index_words() -> Mapping[str, tuple[str, ...]]:
    """Of each word, the languages that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for code, common in load_common_words().items():
        own = set(_list_words(LANGUAGES[code])) if code in LANGUAGES else set()
        for word in own | common:
            found[word] = (*found.get(word, ()), code)
    return found


def _list_words(words: Words | ClauseWords) -> Iterable[str]:
    """Every word that a language's tables begin with, or that they hold."""
    for each in fields(words):
        held = getattr(words, each.name)
        if isinstance(held, ClauseWords):
            yield from _list_words(held)
        elif isinstance(held, Table | frozenset | Mapping):
            yield from held
