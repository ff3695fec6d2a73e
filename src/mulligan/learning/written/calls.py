"""Calls in what a model wrote: fenced, tagged, as JSON, as Python, with talk around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mulligan.learning.written.literal import ESCAPES, LONGEST
from mulligan.learning.written.markup import rewrite_markup
from mulligan.learning.written.python import parse_python
from mulligan.learning.written.scan import find_written
from mulligan.learning.written.structures import WrittenCall, find_calls, from_named
from mulligan.learning.written.thoughts import drop_thoughts
from mulligan.learning.written.whole import read_json

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read_calls(written: object, *, tools: Sequence[str]) -> list[WrittenCall]:
    """The calls that are made in it, in order; what is only talked about is none."""
    if isinstance(written, list) and written and all(isinstance(each, str) for each in written):
        written = "\n".join(written)
    if not isinstance(written, str):
        return list(find_calls(written, tools))
    if len(written) > LONGEST:
        return []
    text = rewrite_markup(drop_thoughts(_unwrap_text(written))).replace("\\_", "_")
    strict, value = read_json(text)
    if strict and isinstance(value, list | dict):
        return read_calls(value, tools=tools)
    if calls := parse_python(text):
        return [from_named(call) for call in calls]
    return find_written(text, tools)


def _unwrap_text(text: str) -> str:
    """Without a JSON string around it."""
    return _unquote_text(text.strip()) if text.lstrip().startswith('"') else text


def _unquote_text(text: str) -> str:
    """What a JSON string says, also one that breaks off."""
    strict, inner = read_json(text)
    if not strict:
        inner = _ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), text[1:])
    return inner if isinstance(inner, str) else text
