"""Complaints in pydantic's words: printed, or as the list that FastAPI answers with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mulligan.learning.complaints.complaint import Complaint, ComplaintKind

PRINTED = re.compile(
    r"^(?P<field>[A-Za-z_][\w.]*+)\n\s++(?P<said>[^\n\[]++)\[type=(?P<type>\w++)", re.MULTILINE
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_QUOTED = re.compile(r"'([^']{1,80})'")

BY_TYPE: Mapping[str, ComplaintKind] = {
    "missing": ComplaintKind.MISSING,
    "missing_argument": ComplaintKind.MISSING,
    "value_error.missing": ComplaintKind.MISSING,
    "extra_forbidden": ComplaintKind.UNEXPECTED,
    "unexpected_keyword_argument": ComplaintKind.UNEXPECTED,
    "less_than_equal": ComplaintKind.MOST,
    "greater_than_equal": ComplaintKind.LEAST,
    "literal_error": ComplaintKind.DOMAIN,
    "enum": ComplaintKind.DOMAIN,
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


def parse_printed(text: str) -> Iterator[Complaint]:
    """From the text of a `ValidationError`."""
    for found in PRINTED.finditer(text):
        yield from _build_complaints(found["field"], found["type"], found["said"])


def parse_listed(entry: Mapping[str, object]) -> Iterator[Complaint]:
    """From one entry of the list, with its `loc`, `type` and `msg`."""
    where, kind, said = entry.get("loc"), entry.get("type"), entry.get("msg")
    if isinstance(where, list) and isinstance(kind, str) and where:
        steps = where[1:] if where[0] in PLACES and len(where) > 1 else where
        yield from _build_complaints(".".join(map(str, steps)), kind, str(said))


def _build_complaints(field: str, kind: str, said: str) -> Iterator[Complaint]:
    about = BY_TYPE.get(kind)
    if kind in TYPES:
        yield Complaint(ComplaintKind.TYPE, field, (TYPES[kind],))
    elif about in (ComplaintKind.MOST, ComplaintKind.LEAST):
        yield from (Complaint(about, field, (n,)) for n in _NUMBER.findall(said)[:1])
    elif about is ComplaintKind.DOMAIN:
        yield Complaint(about, field, tuple(_QUOTED.findall(said)))
    elif about is not None:
        yield Complaint(about, field)
