"""Finding names of people, products and places by how they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from mulligan.checks.grounding.lists import load_grounding_tables
from mulligan.checks.text.fold import fold
from mulligan.checks.text.sentences import split_sentences

FEWEST_WORDS = 2
LONGEST_ACRONYM = 5

_WORD = re.compile(r"[^\W\d_][\w'\u2019\-]*+")
_TWO_CAPITALS = re.compile(
    # Each word is tried once, from its beginning: not from every capital in it. What stands before
    # it is asked behind the capital, so that all other letters are passed over at once.
    r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f](?<![\w'\u2019\-].)"
    r"[\w'\u2019\-]*+\s++(?:[a-z&]{1,3}\s++){0,2}+"
    r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]"
)
"""What a name needs at the least: most text has nothing like it, and is passed over."""


def find_names(paragraphs: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each run of two or more capitalised words, with those of its words that must be known.

    The first word of a sentence has its capital for another reason, acronyms are everybody's, and
    a label before a colon names nothing.
    """
    for paragraph in paragraphs:
        if _TWO_CAPITALS.search(paragraph):
            for sentence in split_sentences(paragraph):
                # With no capital behind its first letter, there are no two of them.
                if not sentence[1:].islower():
                    yield from _find_in_sentence(sentence)


def _find_in_sentence(sentence: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    run: list[re.Match[str]] = []
    joined_by, _ = _load_lists()
    for word in _WORD.finditer(sentence):
        if not run:
            if word[0][0].isupper():
                run.append(word)
            continue
        apart = sentence[run[-1].end() : word.start()].strip() != ""
        if apart:
            yield from _read_name(sentence, run)
            run = []
        if word[0][0].isupper() or (word[0] in joined_by and not apart):
            run.append(word)
        elif run:
            yield from _read_name(sentence, run)
            run = []
    yield from _read_name(sentence, run)


def _read_name(sentence: str, run: list[re.Match[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    joined_by, not_names = _load_lists()
    while run and run[-1][0] in joined_by:
        run = run[:-1]
    capitals = [word for word in run if word[0] not in joined_by]
    if len(capitals) < FEWEST_WORDS or sentence[run[-1].end() : run[-1].end() + 1] == ":":
        return
    before = sentence[: run[0].start()].rstrip()
    at_start = before.endswith(":") or not any(map(str.isalnum, before))
    needed = tuple(
        normalize_word(word[0])
        for word in (capitals[1:] if at_start else capitals)
        if fold(word[0]) not in not_names and not _is_acronym(word[0])
    )
    if needed:
        yield sentence[run[0].start() : run[-1].end()], needed


def normalize_word(word: str) -> str:
    """A word of a name as it is compared."""
    return fold(word).removesuffix("'s").rstrip("'")


def _is_acronym(word: str) -> bool:
    return word.isupper() and len(word) <= LONGEST_ACRONYM


@cache
def _load_lists() -> tuple[frozenset[str], frozenset[str]]:
    names = load_grounding_tables()["names"]
    return frozenset(names["joined_by"]), frozenset(names["not_names"])
