"""Complaints in pydantic's words: printed, or as the list that FastAPI answers with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mulligan.learning.complaints.complaint import About, Complaint

PRINTED = re.compile(
    r"^(?P<field>[A-Za-z_][\w.]*)\n\s+(?P<said>[^\n\[]+)\[type=(?P<type>\w+)", re.MULTILINE
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_QUOTED = re.compile(r"'([^']{1,80})'")

BY_TYPE: Mapping[str, About] = {
    "missing": About.MISSING,
    "missing_argument": About.MISSING,
    "value_error.missing": About.MISSING,
    "extra_forbidden": About.UNEXPECTED,
    "unexpected_keyword_argument": About.UNEXPECTED,
    "less_than_equal": About.MOST,
    "greater_than_equal": About.LEAST,
    "literal_error": About.DOMAIN,
    "enum": About.DOMAIN,
}
TYPES: Mapping[str, str] = {
    "model_type": "object",
    "model_attributes_type": "object",
    "dict_type": "object",
    "list_type": "array",
    "int_type": "integer",
    "int_parsing": "integer",
    "float_type": "number",
    "float_parsing": "number",
    "string_type": "string",
    "bool_type": "boolean",
    "bool_parsing": "boolean",
}
PLACES = frozenset({"body", "query", "path", "header", "cookie"})
"""What FastAPI puts before the name of a field."""


def printed(text: str) -> Iterator[Complaint]:
    """From the text of a `ValidationError`."""
    for found in PRINTED.finditer(text):
        yield from _complaint(found["field"], found["type"], found["said"])


def listed(entry: Mapping[str, object]) -> Iterator[Complaint]:
    """From one entry of the list, with its `loc`, `type` and `msg`."""
    where, kind, said = entry.get("loc"), entry.get("type"), entry.get("msg")
    if isinstance(where, list) and isinstance(kind, str) and where:
        steps = where[1:] if where[0] in PLACES and len(where) > 1 else where
        yield from _complaint(".".join(map(str, steps)), kind, str(said))


def _complaint(field: str, kind: str, said: str) -> Iterator[Complaint]:
    about = BY_TYPE.get(kind)
    if kind in TYPES:
        yield Complaint(About.TYPE, field, (TYPES[kind],))
    elif about in (About.MOST, About.LEAST):
        yield from (Complaint(about, field, (n,)) for n in _NUMBER.findall(said)[:1])
    elif about is About.DOMAIN:
        yield Complaint(about, field, tuple(_QUOTED.findall(said)))
    elif about is not None:
        yield Complaint(about, field)
