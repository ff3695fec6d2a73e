"""All dialects asked for what an error complains of."""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.learning.complaints.complaint import Complaint
from mulligan.learning.complaints.javascript import ajv, zod
from mulligan.learning.complaints.pydantic import listed, printed
from mulligan.learning.complaints.sentences import in_sentences
from mulligan.learning.errors.messages import message_of
from mulligan.learning.written.whole import read_json

LONGEST = 4_000
MOST = 20


def complaints_in(error: str) -> list[Complaint]:
    """Everything an error names that can be acted on; nothing when it only says no.

    A list of errors is read as one; only where there is none are sentences looked for.
    """
    text = message_of(error)[:LONGEST]
    found = [*printed(text), *_in_lists(text)] or list(in_sentences(text))
    return list(dict.fromkeys(found))[:MOST]


def _in_lists(text: str) -> Iterator[Complaint]:
    start, end = text.find("["), text.rfind("]")
    entries = read_json(text[start : end + 1])[1] if 0 <= start < end else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            yield from (*listed(entry), *zod(entry), *ajv(entry))
