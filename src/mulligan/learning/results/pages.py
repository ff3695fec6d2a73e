"""Pages and documents that a service sends in the place of an answer: HTML, S3's XML, SOAP."""

from __future__ import annotations

import re
from functools import cache

from mulligan.core.runtime.late_pattern import compile_late
from mulligan.learning.errors.fields import ErrorFields
from mulligan.learning.values.vocabulary import compile_phrases

LONGEST = 8_000
"""Characters; what is longer was written to be read."""
START = 1_500
"""Characters in which a page says what it is."""
MOST_SAID = 300

_TITLE = compile_late(r"<(?:title|h1)\b[^<>]{0,200}>([^<]{1,200})<", re.IGNORECASE)
_FAULT = compile_late(
    r"<(?:[\w-]{1,40}:)?(Fault|Error|ErrorResponse|Exception|ServiceExceptionReport)\b[^<>]{0,300}>"
    r"\s{0,80}([^<\s][^<]{0,400})?",
    re.IGNORECASE,
)
_PART = compile_late(
    r"<(?:[\w-]{1,40}:)?(code|message|faultcode|faultstring|text|reason|value|detail)\b[^<>]{0,200}>"
    r"\s{0,80}([^<\s][^<]{0,400})<",
    re.IGNORECASE,
)
_AROUND = compile_late(r"(?:[\w-]{1,40}:)?(?:Envelope|Body|Header|Response)\Z")
_TAG = compile_late(r"<(/?)((?:[\w-]{1,40}:)?[\w-]{1,60})[^<>]{0,400}>")


@cache
def _compile_titles() -> re.Pattern[str]:
    """Titles that are nothing but a refusal; a page about one says more."""
    return compile_phrases(r"""
        (?:http |error |status |code ){0,3}[#:]?[45]\d\d\b[^\w<]{0,5}[a-z '-]{0,60}[)!.1]{0,5}$
        (?:[45]\d\d )?(?:bad gateway|service (?:temporarily )?unavailable|internal server error)\s*$
        (?:access denied|forbidden|(?:page )?not found|unauthori[sz]ed)[.!]?\s*$
        gateway time-?out\s*$
        (?:[\w.-]{1,100} \| )[45]\d\d: [a-z ]{1,60}$ | attention required! \| cloudflare\s*$
        (?:application )?error\s*$ | (?:bad|invalid) request\s*$ | too many requests\s*$
    """)


def read_page(text: str) -> ErrorFields | None:
    """What a page or a document in tags says went wrong; `None` where it is what was asked for."""
    if len(text) > LONGEST:
        return None
    start = text[:START]
    low = start[:200].casefold()
    if "<html" in low or "<!doctype html" in low:
        return _read_title(start)
    return _read_fault(text) if _FAULT.search(start) else None


def _read_title(start: str) -> ErrorFields | None:
    found = _TITLE.search(start)
    title = " ".join(found[1].split()) if found else ""
    if not _compile_titles().match(title):
        return None
    status = re.search(r"\b[45]\d\d\b", title)
    return ErrorFields(message=title, status=int(status[0]) if status else None)


def _read_fault(text: str) -> ErrorFields | None:
    """A fault that is all there is; one element among others is a record."""
    for tag in _TAG.finditer(text[:START]):
        if tag[1]:
            return None
        if fault := _FAULT.match(text, tag.start()):
            break
        if not _AROUND.fullmatch(tag[2]):
            return None
    else:
        return None
    parts = {found[1].casefold(): found[2].strip() for found in _PART.finditer(text[:LONGEST])}
    if fault[2] and not parts:
        return ErrorFields(message=fault[2].strip())
    if not parts:
        return None
    names = ("message", "faultstring", "text", "reason", "detail")
    said = next((parts[name] for name in names if name in parts), "")
    code = parts.get("code") or parts.get("faultcode") or ""
    return ErrorFields(message=(said or code)[:MOST_SAID], code=code if said else "")
