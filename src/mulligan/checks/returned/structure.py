"""What a tool returned, as fields: many return text that has JSON, Python or an outline in it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from functools import lru_cache

from mulligan.checks.returned.outline import read_outline
from mulligan.core.runtime.late_pattern import compile_late

LONGEST = 200_000
"""Characters from which a text is only a text: to take it apart would hold up the turn."""

_FENCE = compile_late(
    r"\A\s*(?:```\w*\n(?P<code>.*)\n```|<{1,3}(?P<marked>[^<].*[^>])>{1,3})\s*\Z", re.DOTALL
)
"""What some put around a result, so that nobody takes it for their own words."""
_NAN = compile_late(r"\bnan\b")


def read_structure(result: object) -> object:
    """A result with its texts taken apart into the fields that they write out."""
    if isinstance(result, str):
        return _read_text(result) if len(result) <= LONGEST else result
    if isinstance(result, Mapping):
        text = result.get("text")
        if result.get("type") == "text" and isinstance(text, str):
            return read_structure(text)
        return result
    if isinstance(result, list | tuple):
        return [read_structure(each) if _is_block(each) else each for each in result]
    return result


def _is_block(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, Mapping) and value.get("type") == "text")


@lru_cache(maxsize=256)
def _read_text(text: str) -> object:
    fenced = _FENCE.match(text)
    bare = (fenced["code"] or fenced["marked"] or "") if fenced else text
    stripped = bare.strip()
    if stripped[:1] in ("{", "["):
        found = _read_json(stripped) or _read_literal(stripped)
        if found is not None:
            return found
    outlined = read_outline(stripped)
    return bare if outlined is None else outlined


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_literal(text: str) -> object:
    try:
        return ast.literal_eval(_NAN.sub("None", text))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
