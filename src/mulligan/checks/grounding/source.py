"""What a context holds, in the form in which claims are looked up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mulligan.checks.grounding.addresses import find_emails, find_phones, web_address
from mulligan.checks.grounding.calendar import ClockTime, Date, find_dates, find_times
from mulligan.checks.grounding.names import known_form
from mulligan.checks.grounding.numerals import find_quantities, write_out
from mulligan.checks.grounding.quantity import Quantity
from mulligan.checks.text.fold import fold

RECENT = 16
"""Contexts that are remembered: every try of a reply rests on the same one."""

_WORD = re.compile(r"[^\W_][\w'\-]*+")
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"'`|)\]]++|mailto:[^\s<>\"')\]]++")
_DOMAIN = re.compile(r"(?<![@\w.-])(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}(?:/[^\s<>\"')\]]*+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The specifics of a context."""

    quantities: list[Quantity]
    dates: list[Date]
    times: list[ClockTime]
    links: frozenset[str]
    emails: frozenset[str]
    phones: frozenset[str]
    words: frozenset[str]
    running: str
    """All its words in a row, a space around each."""


@lru_cache(maxsize=RECENT)
def read_source(texts: tuple[str, ...]) -> Source:
    """Read a context once."""
    folded = fold("\n".join(texts))
    dates = find_dates(folded)
    years = [
        Quantity(values=(float(date.year),), step=1.0) for date in dates if date.year is not None
    ]
    spoken = _WORD.findall(folded)
    links = {web_address(link) for link in (*_LINK.findall(folded), *_DOMAIN.findall(folded))}
    return Source(
        quantities=find_quantities(write_out(folded)) + years,
        dates=dates,
        times=find_times(folded),
        links=frozenset(links),
        emails=frozenset(found.value for found in find_emails(folded)),
        phones=frozenset(found.value for found in find_phones(folded)),
        words=frozenset(known_form(part) for word in spoken for part in (word, *word.split("-"))),
        running=running_words(folded),
    )


def running_words(folded: str) -> str:
    """The words of a text in a row: what a quotation is looked up in."""
    return f" {' '.join(_WORD.findall(folded))} "
