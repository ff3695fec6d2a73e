"""All dialects asked for what an error complains of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan.learning.complaints.complaint import Complaint, ComplaintKind
from mulligan.learning.complaints.javascript import parse_ajv, parse_zod
from mulligan.learning.complaints.pydantic import parse_listed, parse_printed
from mulligan.learning.complaints.sentences import parse_sentences
from mulligan.learning.errors.fields import read_error
from mulligan.learning.written.whole import read_json

LONGEST = 4_000
MOST = 20
_ABSENT = re.compile(
    r"(?:(?:this |the )?(?:field|value|parameter|argument) )?(?:is )?(?:required|missing)\.?",
    re.IGNORECASE,
)


def parse_complaints(error: str) -> list[Complaint]:
    """Everything an error names that can be acted on; nothing when it only says no.

    A list of errors is read as one; only where there is none are sentences looked for.
    """
    said = read_error(error)
    text = said.message[:LONGEST]
    # A list that the error itself is has lost its fields in what it says.
    listed = [*_parse_lists(text)] or [*_parse_lists(error[:LONGEST])]
    found = [*parse_printed(text), *listed] or [*parse_sentences(text)]
    found = found or [*_parse_at(said.path, text)]
    return list(dict.fromkeys(found))[:MOST]


def _parse_at(path: str, text: str) -> Iterator[Complaint]:
    """What is said of the one field that the error names apart from its message."""
    if path and _ABSENT.fullmatch(text.strip()):
        yield Complaint(ComplaintKind.MISSING, path)
    elif path:
        yield from parse_sentences(f"'{path}' {text}")


def _parse_lists(text: str) -> Iterator[Complaint]:
    start, end = text.find("["), text.rfind("]")
    entries = read_json(text[start : end + 1])[1] if 0 <= start < end else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            yield from (*parse_listed(entry), *parse_zod(entry), *parse_ajv(entry))
