"""Which class of error a text describes, by the words errors of that class have in any trade.

The weakest of witnesses: a code or an exception's type is asked first (`classify`), and what a text
says is used for advice alone, never to call again what may have landed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mulligan.core.call import Failure
from mulligan.core.error_class import ErrorClass
from mulligan.learning.errors.classify import BY_STATUS
from mulligan.learning.errors.messages import extract_message
from mulligan.learning.values.vocabulary import compile_phrases

LONGEST = 4_000

WORDS: Mapping[ErrorClass, re.Pattern[str]] = {
    each: compile_phrases(each.traits.words) for each in ErrorClass if each.traits.words
}
"""Class and words, by the precedence of the one list."""

TOOL_BROKE = compile_phrases(r"""
    expecting (?:value|property name|'.' delimiter) | extra data: line | unterminated string
    list index out of range | no module named | object has no attribute | nonetype | KeyError
    traceback
""")
"""What only the tool's own code can have tripped over: its arguments had been read by then."""

_STATUS = re.compile(
    r"(?:status(?: code)?|http(?:/\d\.\d)?|code|error)\s*+[:=]?\s*+\(?(-?\d{3,5})\b|"
    r"(?<![\w.$])([45]\d\d)(?=\s++[A-Z][a-z])"
)


def classify_text(error: str) -> ErrorClass:
    """The class an error's text describes; `UNKNOWN` when it uses none of the words."""
    text = extract_message(error)[:LONGEST]
    if TOOL_BROKE.search(text) and "validation error" not in text.casefold():
        return ErrorClass.TOOL_EXCEPTION
    for status in _find_statuses(text):
        if status in BY_STATUS:
            return BY_STATUS[status]
    return next((each for each, words in WORDS.items() if words.search(text)), ErrorClass.UNKNOWN)


def find_likely_class(failure: Failure, error: str) -> ErrorClass:
    """What the failure is classed as, or what its text describes where only its type was known."""
    weak = failure.error_class.traits.told_by_type_alone
    return classify_text(error) if weak else failure.error_class


def _find_statuses(text: str) -> Iterator[int]:
    for found in _STATUS.finditer(text):
        yield int(found[1] or found[2])
