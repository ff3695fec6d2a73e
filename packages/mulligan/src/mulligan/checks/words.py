"""Text as it is compared: folded, cut into sentences and words, which are looked up inflected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Any

from msgspec import Struct

from mulligan.types.values import require_bool
from mulligan_dates.lexicon import is_unspaced, join_words, load_tables
from mulligan_dates.text import fold

_LETTER = re.compile(r"\w")
_END = re.compile(
    # One sign comes first, so that all other letters are passed over at once.
    "[.!?…。！？](?:"  # noqa: RUF001 - those of other scripts are meant, too
    r"(?<=[.!?…])(?<![.!?…].)[.!?…]*+[\"'”’)\]]*+(?=\s|$)"  # noqa: RUF001
    "|(?<=[。！？])[。！？]*+[」』”）]*+)"  # noqa: RUF001
)


def split_sentences(text: str) -> list[str]:
    """The sentences of prose. A line break ends one too."""
    return [
        sentence
        for line in text.splitlines()
        for sentence in _split_line(line)
        if _LETTER.search(sentence)
    ]


def _split_line(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        so_far = line[max(start, end.start() - 8) : end.start() + 1]
        goes_on = end[0] == "." and _compile_abbreviated().search(so_far) is not None
        if goes_on and end.end() < len(line):
            continue
        yield line[start : end.end()].strip()
        start = end.end()
    yield line[start:].strip()


@cache
def _compile_abbreviated() -> re.Pattern[str]:
    """What ends in a full stop, and no sentence with it."""
    return re.compile(rf"(?:\b(?:{join_words('words', 'abbreviated')})|\b[a-z])\.$", re.IGNORECASE)


SHORTEST_INFLECTED = 4
"""Words of fewer letters (of, to, the) have no forms worth looking for."""
AROUND = 40
"""Characters shown on either side of what was found."""

_GAP = r"[\s\-]+"
_VOWELS = "aeiou"


class Spotted(Struct, frozen=True, kw_only=True):
    """One place where one of the words was found."""

    word: str
    """As it was asked for."""
    start: int
    end: int


class Wordlist:
    """Words and phrases to look for in folded prose."""

    def __init__(self, words: Iterable[str], *, inflect: bool = True) -> None:
        require_bool(inflect, name="inflect")
        self.words = tuple(dict.fromkeys(words))
        self._looked_for = [_LookedFor.compile_word(word, inflect=inflect) for word in self.words]

    def spot(self, folded: str) -> Iterator[Spotted]:
        """Every place, word by word."""
        for sought in self._looked_for:
            # What all forms begin with is quick to find, and mostly not there at all.
            at = folded.find(sought.literal) if sought.literal else -1
            while at >= 0:
                found = sought.pattern.match(folded, at)
                if found is not None:
                    yield Spotted(word=sought.word, start=at, end=found.end())
                at = folded.find(sought.literal, found.end() if found else at + 1)

    def has_any(self, folded: str) -> bool:
        """Whether one of them is there at all."""
        return next(self.spot(folded), None) is not None


def cut_excerpt(text: str, *, start: int, end: int) -> str:
    """A place in a text with what stands around it, on one line."""
    before, after = max(0, start - AROUND), end + AROUND
    shown = " ".join(text[before:after].split())
    return f"{'…' if before else ''}{shown}{'…' if after < len(text) else ''}"


class Places:
    """A text as it was written, by the places of the folded text that was searched."""

    def __init__(self, written: str, folded: str) -> None:
        self._written = written
        self._folded = folded

    def quote(self, start: int, end: int) -> tuple[str, str]:
        """The words of a place, and the same with what stands around them."""
        text, places = self._aligned
        first, last = (start, end) if places is None else (places[start], places[end])
        return text[first:last], cut_excerpt(text, start=first, end=last)

    @cached_property
    def _aligned(self) -> tuple[str, list[int] | None]:
        """Where each folded letter was written; folding may change lengths."""
        if len(self._written) == len(self._folded):
            return self._written, None
        places = [at for at, letter in enumerate(self._written) for _ in fold(letter)]
        if len(places) == len(self._folded):
            return self._written, [*places, len(self._written)]
        return self._folded, None


class _LookedFor(Struct, frozen=True, kw_only=True):
    word: str
    literal: str
    """Stands in every form: looking for it is cheap, and mostly ends the matter."""
    pattern: re.Pattern[str]

    @classmethod
    def compile_word(cls, word: str, *, inflect: bool) -> _LookedFor:
        parts = fold(word).replace("-", " ").split()
        forms = [_inflect_word(part) if inflect else (part,) for part in parts]
        body = _GAP.join(_build_alternation(each) for each in forms)
        if not any(map(is_unspaced, word)):
            body = _anchor_pattern(body, first=word[:1], last=word[-1:])
        literal = _find_shared_prefix(forms[0]) if forms else ""
        return cls(word=word, literal=literal, pattern=re.compile(body if parts else r"(?!)"))


def _anchor_pattern(body: str, *, first: str, last: str) -> str:
    """Only at the end of a word; a sign, as in `C++` or a comma, ends by itself."""
    before = r"(?<!\w)" if first.isalnum() else ""
    after = r"(?!\w)" if last.isalnum() else ""
    return f"{before}{body}{after}"


@cache
def _inflect_word(word: str) -> tuple[str, ...]:
    """An English word as it may be inflected. More forms than there are do no harm."""
    if len(word) < SHORTEST_INFLECTED or not (word.isascii() and word.isalpha()):
        return (word,)
    if word.endswith("e"):
        return (word, f"{word}s", f"{word}d", f"{word[:-1]}ing")
    if word.endswith("y") and word[-2] not in _VOWELS:
        return (word, f"{word[:-1]}ies", f"{word[:-1]}ied", f"{word}ing")
    doubled = word + word[-1]
    return (
        *(word, f"{word}s", f"{word}es", f"{word}ed", f"{word}ing"),
        *(f"{doubled}ed", f"{doubled}ing"),
    )


def _build_alternation(forms: Iterable[str]) -> str:
    longest_first = sorted(forms, key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, longest_first))})(?:'s)?"


def _find_shared_prefix(forms: Iterable[str]) -> str:
    first, last = min(forms), max(forms)
    shared = 0
    while shared < min(len(first), len(last)) and first[shared] == last[shared]:
        shared += 1
    return first[:shared]


@cache
def load_word_lists() -> dict[str, Any]:
    """Every list that a language has for replies, by name."""
    return load_tables("replies.toml")
