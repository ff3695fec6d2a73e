"""A text that is one value and nothing else, strict or loose."""

from __future__ import annotations

import json

from mulligan.core.runtime.late_pattern import compile_late
from mulligan.learning.written.literal import LONGEST, GarbledError, read_value

_SAYS_MORE = compile_late(r"\w")


def read_whole(text: str) -> object:
    """What a text says, as JSON or in any dialect of it; an `GarbledError` if it says more."""
    strict, value = read_json(text)
    if strict:
        return value
    if len(text) > LONGEST:
        raise GarbledError(f"{len(text)} characters are too many to read loosely.")
    try:
        value, end = read_value(text.strip())
    except RecursionError:
        raise GarbledError("The text is nested too deeply.") from None
    if _SAYS_MORE.search(text.strip(), end):
        raise GarbledError("There is more than one value.")
    return value


def read_json(text: str) -> tuple[bool, object]:
    """Whether a text is JSON, and what it says."""
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None
