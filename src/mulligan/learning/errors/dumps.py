"""Structures that an error quotes: what was sent, or what came back. They say what, never why."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from mulligan.learning.errors.fields import read_structure

SHORTEST = 12
"""Characters; less is a set of values that may be told apart by."""
MOST_DUMPS = 5

_START = re.compile(r"""\{\s?['"]\w|\[\s*+\{""")
_TELLS = frozenset(
    {"message", "msg", "error", "code", "reason", "errors", "detail", "errormessages"}
)
_SIGNS = re.compile(r"[{}\[\]]")


def mask_dumps(text: str) -> str:
    """A text with each structure in it masked, or put into words where it is an error itself."""
    kept, at = [], 0
    for _ in range(MOST_DUMPS):
        found = _START.search(text, at)
        if found is None:
            break
        start = found.start()
        said, end = _read_dump(text, start)
        kept += [text[at:start], said]
        at = end
    return "".join(kept) + text[at:]


def _read_dump(text: str, start: int) -> tuple[str, int]:
    """What stands for the structure that starts here, and where that ends."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        end = _find_end(text, start)
        return ("<data>" if end - start >= SHORTEST else text[start:end]), end
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, Mapping) and _TELLS & {str(name).casefold() for name in first}:
        read = read_structure(value)
        if read is not None and read.message:
            return read.render(), end
    return ("<data>" if end - start >= SHORTEST else text[start:end]), end


def _find_end(text: str, start: int) -> int:
    """Where the brackets close that open here; the end of the text where they never do."""
    depth = 0
    for sign in _SIGNS.finditer(text, start):
        depth += 1 if sign[0] in "{[" else -1
        if depth == 0:
            return sign.end()
    return len(text)
