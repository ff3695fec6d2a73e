"""What stands in quotation marks in a message."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
