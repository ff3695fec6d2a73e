"""Which class of error a text describes, by the words errors of that class have in any trade.

The weakest of witnesses: a code or an exception's type is asked first (`classify`), and what a text
says is used for advice alone, never to call again what may have landed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from mulligan.core.call import Failure
from mulligan.core.failures.error_class import ErrorClass
from mulligan.learning.errors.fields import ErrorFields, read_error
from mulligan.learning.values.vocabulary import compile_phrases

LONGEST = 4_000

BY_STATUS: Mapping[int, ErrorClass] = {
    status: each for each in ErrorClass for status in each.traits.statuses
}
"""HTTP statuses and JSON-RPC codes. 503 is a rate limit only when it comes with Retry-After."""

BY_SQLSTATE: Mapping[str, ErrorClass] = {
    start: each for each in ErrorClass for start in each.traits.sqlstates
}
"""What a SQLSTATE begins with."""

WORDS: Mapping[ErrorClass, re.Pattern[str]] = {
    each: compile_phrases(each.traits.words) for each in ErrorClass if each.traits.words
}
"""Class and words, by the precedence of the one list."""

TOOL_BROKE = compile_phrases(r"""
    expecting (?:value|property name|'.' delimiter) | extra data: line | unterminated string
    list index out of range | no module named | object has no attribute | nonetype | KeyError
    traceback | (?:is not valid|in) JSON\b(?: at|$) | unexpected end of JSON
    string indices must be | recursion depth | unsupported operand | name '\w+' is not defined
    cannot read propert(?:y|ies) of | is not a function\b | unhashable | null.?pointer
    (?:object )?is not (?:subscriptable|iterable|callable) | segmentation fault | stack overflow
""")
"""What only the tool's own code can have tripped over: its arguments had been read by then."""

VAGUE = frozenset(
    {ErrorClass.VALIDATION, ErrorClass.AMBIGUOUS, ErrorClass.TOOL_EXCEPTION, ErrorClass.UNKNOWN}
)
"""What a code may say of nearly everything; a status beside it knows more."""

_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


@lru_cache(maxsize=16)  # each source of advice asks about the same failure
def classify_text(error: str) -> ErrorClass:
    """The class an error's text describes; `UNKNOWN` when it uses none of the words."""
    return classify_fields(read_error(error))


def classify_fields(said: ErrorFields) -> ErrorClass:
    """The class of an error in parts: by its code, its status, then its words."""
    coded = [classify_code(each) for each in (said.code, said.reason)]
    clear = next((each for each in coded if each not in VAGUE), None)
    if clear is not None:
        return clear
    if said.status is not None and said.status in BY_STATUS:
        return BY_STATUS[said.status]
    vague = next((each for each in coded if each is not ErrorClass.UNKNOWN), None)
    if vague is not None:
        return vague
    text = said.message[:LONGEST]
    if TOOL_BROKE.search(text) and "validation error" not in text.casefold():
        return ErrorClass.TOOL_EXCEPTION
    return _classify_words(text)


def classify_code(code: str) -> ErrorClass:
    """The class that a code for programs names, as `TOO_MANY_REQUESTS` does; else `UNKNOWN`."""
    if re.fullmatch(r"[0-9][0-9A-Z]{4}|XX[0-9A-Z]{3}", code):
        starts = sorted((each for each in BY_SQLSTATE if code.startswith(each)), key=len)
        return BY_SQLSTATE[starts[-1]] if starts else ErrorClass.UNKNOWN
    return _classify_words(code[:100])


def find_likely_class(failure: Failure, error: str) -> ErrorClass:
    """What the failure is classed as, or what its text describes where only its type was known."""
    weak = failure.error_class.traits.told_by_type_alone
    return classify_text(error) if weak else failure.error_class


def _classify_words(text: str) -> ErrorClass:
    """By the words of a text, those inside a machine's names too: `channel_not_found`."""
    apart = _JOINT.sub(" ", text)
    for each, words in WORDS.items():
        if words.search(text) or (apart != text and words.search(apart)):
            return each
    return ErrorClass.UNKNOWN
