"""What a context holds, in the form in which claims are looked up."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from mulligan.checks.grounding.addresses import find_emails, find_phones, normalize_link
from mulligan.checks.grounding.calendar import ClockTime, Date, find_dates, find_times
from mulligan.checks.grounding.digits import find_digit_runs
from mulligan.checks.grounding.names import normalize_word
from mulligan.checks.grounding.numerals import find_quantities, write_out
from mulligan.checks.grounding.quantity import Known, Quantity
from mulligan.checks.text.fold import fold

RECENT = 16
"""Contexts that are remembered: every try of a reply rests on the same one."""

_WORD = re.compile(r"[^\W_][\w'\-]*+")
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"'`|)\]]++|mailto:[^\s<>\"')\]]++")
_DOMAIN = re.compile(r"(?<![@\w.-])(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}(?:/[^\s<>\"')\]]*+)?")


class Specifics:
    """The specifics of a context, each kind read when the first claim of it comes up."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self._folded = fold("\n".join(texts))
        self._runs = find_digit_runs(self._folded)

    @cached_property
    def quantities(self) -> Known:
        """Numbers, prices and percentages; the years of its dates too."""
        text = write_out(self._folded)
        runs = self._runs if text == self._folded else find_digit_runs(text)
        years = [
            Quantity(values=(float(date.year),), step=1.0)
            for date in self.dates
            if date.year is not None
        ]
        return Known(find_quantities(text, runs) + years)

    @cached_property
    def dates(self) -> list[Date]:
        """Every date with a month."""
        return find_dates(self._folded, self._runs, known=True)

    @cached_property
    def times(self) -> list[ClockTime]:
        """Every time of day."""
        return find_times(self._folded, self._runs)

    @cached_property
    def links(self) -> frozenset[str]:
        """Web addresses, with and without a scheme."""
        found = (*_LINK.findall(self._folded), *_DOMAIN.findall(self._folded))
        return frozenset(normalize_link(link) for link in found)

    @cached_property
    def emails(self) -> frozenset[str]:
        """E-mail addresses."""
        return frozenset(found.value for found in find_emails(self._folded))

    @cached_property
    def phones(self) -> frozenset[str]:
        """Phone numbers, as digits."""
        return frozenset(found.value for found in find_phones(self._folded, self._runs))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word, and the parts of those with a hyphen."""
        spoken = _WORD.findall(self._folded)
        parts = (part for word in spoken for part in (word, *word.split("-")))
        return frozenset(normalize_word(part) for part in parts)

    @cached_property
    def running(self) -> str:
        """All its words in a row, a space around each."""
        return join_words(self._folded)


@lru_cache(maxsize=RECENT)
def read_source(texts: tuple[str, ...]) -> Specifics:
    """A context, read once however many replies rest on it."""
    return Specifics(texts)


def join_words(folded: str) -> str:
    """The words of a text in a row: what a quotation is looked up in."""
    return f" {' '.join(_WORD.findall(folded))} "
