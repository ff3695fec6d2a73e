"""Where a sentence ends, and how many words there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from mulligan.checks.language.lexicon import join_words

_WORD = re.compile(r"\w+(?:['’\-]\w+)*+")  # noqa: RUF001 - a typographic apostrophe is meant
_END = re.compile(
    # One sign comes first, so that all other letters are passed over at once.
    "[.!?…。！？](?:"  # noqa: RUF001 - those of other scripts are meant, too
    r"(?<=[.!?…])(?<![.!?…].)[.!?…]*+[\"'”’)\]]*+(?=\s|$)"  # noqa: RUF001
    "|(?<=[。！？])[。！？]*+[」』”）]*+)"  # noqa: RUF001
)


def split_words(text: str) -> list[str]:
    """The words of a text, one with an apostrophe or a hyphen counting once."""
    return _WORD.findall(text)


def split_sentences(text: str) -> list[str]:
    """The sentences of prose. A line break ends one too."""
    return [
        sentence
        for line in text.splitlines()
        for sentence in _split_line(line)
        if _WORD.search(sentence)
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
