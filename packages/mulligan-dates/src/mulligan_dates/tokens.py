"""A message cut into words, numbers and signs, in one pass; and what it has in quotation marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
_TOKEN = re.compile(rf"\d+|[^\W\d_]+(?:['{APOSTROPHE}][^\W\d_]+)*|\S")
_MARKED = re.compile(_TOKEN.pattern.replace(r"[^\W\d_]+", r"(?:[^\W\d_][\u0300-\u036f]*)+"))
"""The same where a letter and its mark are two characters, as macOS writes them."""
_LONGEST_NUMBER = 8
LOOKAHEAD = 16
"""No rule looks further ahead than this, so that reading stays linear."""


class Token(NamedTuple):
    """One word, number or sign, and its position.

    A tuple, because one is made for every word of every message.
    """

    text: str
    """In lower case."""
    start: int
    end: int
    glued: bool = False
    """Nothing stands between it and the token before."""
    number: int | None = None
    ordinal: int | None = None
    digits: str = ""
    """As written; empty for a spelled-out number."""
    capital: bool = False
    shouted: bool = False
    """In capitals altogether."""

    @property
    def is_number(self) -> bool:
        """Whether it says how many, or which one in order."""
        return self.number is not None or self.ordinal is not None


END = Token("", 0, 0)


def tokenize(text: str) -> list[Token]:
    """Every token of a text, in order."""
    tokens: list[Token] = []
    last = -1
    composed = unicodedata.is_normalized("NFC", text)
    for match in (_TOKEN if composed else _MARKED).finditer(text):
        raw = match.group() if composed else unicodedata.normalize("NFC", match.group())
        start, end = match.span()
        if raw.isdecimal():
            value = int(raw) if len(raw) <= _LONGEST_NUMBER else None
            tokens.append(Token(raw, start, end, start == last, value, None, raw))
        else:
            lowered = raw.lower().replace(APOSTROPHE, "'")
            capital = lowered[0] != raw[0]
            shouted = capital and raw.isupper()
            # By place, as names cost more than all the rest.
            glued = start == last
            tokens.append(Token(lowered, start, end, glued, None, None, "", capital, shouted))
        last = end
    return tokens


_QUOTES = re.compile(
    # What opens a quotation ends the one before it, so that none is read past the next mark.
    r"(?<!\w)'((?:[^']|(?<=\w)'(?=\w)){1,4000}+)'(?!\w)|\"([^\"]{1,4000}+)\"|“([^“”]{1,4000}+)”"
)


def has_quotes(message: str) -> bool:
    """Whether anything stands in quotation marks."""
    return _QUOTES.search(message) is not None


def find_quotes(message: str) -> Iterator[str]:
    """What stands in quotation marks; an apostrophe inside a word is none."""
    for found in _QUOTES.finditer(message):
        yield next(text for text in found.groups() if text is not None)


def locate_quotes(message: str) -> list[range]:
    """Where quotations stand in a message, with their marks."""
    return [range(*found.span()) for found in _QUOTES.finditer(message)]


def drop_quotes(message: str) -> str:
    """The message without what stands in quotation marks: what the person says to the agent."""
    return _QUOTES.sub(" ", message)
