"""Which language a message is read in: the one that knows most of its words, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module

from msgspec.structs import asdict

from mulligan_dates.lexicon import (
    LONGEST_LOOK,
    detect_language,
    has_foreign_letters,
    list_folders,
    load_common_words,
)
from mulligan_dates.tables import ClauseWords, ProsePhrases, RequestPhrases, Table, Words
from mulligan_dates.tokens import Token, tokenize


def _load_words(folder: str) -> Words:
    """All that a folder knows: it is named there as the folder is."""
    module = import_module(f"{__package__}.{folder}")
    words: Words = getattr(module, folder.upper())
    return words


LANGUAGES: Mapping[str, Words] = {each.code: each for each in map(_load_words, list_folders())}
"""What can be read; the first one where nothing tells."""
_NO_REQUESTS, _NO_PROSE = RequestPhrases(), ProsePhrases()
_SHORTEST = 2
"""Letters of a word that tells a language."""
_FEWEST = 5
"""One of so many words must be known, or the language counts as unknown."""
_READ = 64
"""Words of a message that tell it."""


def choose_language(tokens: Sequence[Token], *, locale: str | None = None) -> Words | None:
    """The language to read these words in; `None` where it is unsupported.

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
    first = next(iter(LANGUAGES))
    usual = (locale or "")[:2].lower() or first
    if not words:  # figures are the same in every language
        return LANGUAGES.get(usual, LANGUAGES[first])
    if not counts or has_foreign_letters("".join(words)):
        return None
    best = max(counts, key=lambda code: (counts[code], code == usual, code in LANGUAGES))
    return LANGUAGES.get(best) if counts[best] * _FEWEST >= len(words) else None


def choose_requests(message: str) -> RequestPhrases:
    """What to listen for in a message: nothing, if its language is known and not described here."""
    words = _read_language(message[:LONGEST_LOOK])
    return words.requests if words else _NO_REQUESTS


def choose_prose(text: str) -> ProsePhrases:
    """What to listen for in what a model wrote: only figures, if its language is not described."""
    words = _read_language(text[:LONGEST_LOOK])
    return words.prose if words else _NO_PROSE


def list_requests() -> Sequence[RequestPhrases]:
    """Of every language: where a name may be in another one than the message."""
    return [each.requests for each in LANGUAGES.values()]


def list_prose() -> Sequence[ProsePhrases]:
    """Of every language: where one may be spoken that the rest of a text is not in."""
    return [each.prose for each in LANGUAGES.values()]


@lru_cache(maxsize=256)
def _read_language(text: str) -> Words | None:
    """As `choose_language`, but the first one where the words tell nothing at all."""
    chosen = choose_language(tokenize(text))
    first = next(iter(LANGUAGES))
    return LANGUAGES[first] if chosen is None and detect_language(text) == first else chosen


@cache
def _index_words() -> Mapping[str, tuple[str, ...]]:
    """Of each word, the languages that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for code, common in load_common_words().items():
        own = set(_list_entries(LANGUAGES[code])) if code in LANGUAGES else set()
        for word in own | common:
            found[word] = (*found.get(word, ()), code)
    return found


def _list_entries(words: Words | ClauseWords) -> Iterable[str]:
    """Every word that a language's tables begin with, or that they hold."""
    for held in asdict(words).values():
        if isinstance(held, ClauseWords):
            yield from _list_entries(held)
        elif isinstance(held, Table | frozenset | Mapping):
            yield from held


@lru_cache(maxsize=16)
def is_understood(message: str) -> bool:
    """Whether a message is in a language whose words are known: else none of them can be missed."""
    return choose_language(tokenize(message)) is not None
