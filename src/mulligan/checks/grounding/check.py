"""Claims of a reply that its context does not hold. No model: specifics only, not meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from mulligan.checks.grounding.addresses import (
    Found,
    find_emails,
    find_phones,
    is_same_phone,
    leads_within,
    normalize_link,
)
from mulligan.checks.grounding.calendar import ClockTime, Date, find_dates, find_times
from mulligan.checks.grounding.digits import find_digit_runs
from mulligan.checks.grounding.lists import load_currencies
from mulligan.checks.grounding.names import find_names
from mulligan.checks.grounding.numerals import find_quantities, write_out
from mulligan.checks.grounding.quantity import Quantity
from mulligan.checks.grounding.source import Specifics, join_words, read_source
from mulligan.checks.kinds import register_reply_check
from mulligan.checks.language.detection import detect_language, has_capitals_for_names
from mulligan.checks.text.blocks import BlockKind
from mulligan.checks.text.fold import fold
from mulligan.checks.text.page import Page, read_page
from mulligan.checks.text.word_search import cut_excerpt
from mulligan.core.finding import Finding, Severity
from mulligan.core.runtime.enums import require_bool
from mulligan.core.text import Reply, TextCheck

FEWEST_QUOTED = 3
"""Words in quotation marks below this are a term, not a quotation."""

_QUOTED = re.compile(r'(?<![\w"])"(?=\S)([^"\n]{8,400})"(?!\w)')
_NAMED_IN = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.QUOTE})


class ClaimKind(StrEnum):
    """What a claim is of."""

    NUMBER = "number"
    PRICE = "price"
    PERCENTAGE = "percentage"
    DATE = "date"
    TIME = "time"
    QUOTE = "quote"
    NAME = "name"
    URL = "url"
    EMAIL = "email"
    PHONE = "phone"


Unsupported = tuple[ClaimKind, str, str]
"""The kind of a claim, the claim, and the words around it."""


@register_reply_check
def grounded(
    *,
    kinds: Iterable[str] = tuple(ClaimKind),
    severity: Severity = Severity.ERROR,
    trust_query: bool = True,
) -> TextCheck:
    """Flag specifics that stand neither in the context nor (`trust_query`) in the question.

    Without any context there is nothing to hold a claim against, and it stays silent.
    """
    require_bool(trust_query, name="trust_query")
    wanted = frozenset(ClaimKind(kind) for kind in kinds)

    def look(reply: Reply) -> Iterator[Finding]:
        if not any(map(str.strip, reply.context)):
            return
        source = read_source((*reply.context, *((reply.query,) if trust_query else ())))
        for kind, claim, around in find_unsupported(reply.text, source):
            if kind in wanted:
                yield Finding(
                    rule=f"grounding.{kind}",
                    severity=severity,
                    issue=f"The {kind} {claim!r} is not in the context.",
                    correction=f"Take the {kind} from the context, or leave it out.",
                    quote=around,
                )

    listed = ", ".join(sorted(wanted))
    return TextCheck(
        name="grounded",
        look=look,
        asks=f"State only what the context says; this holds for every {listed}.",
    )


def find_unsupported(text: str, source: Specifics) -> Iterator[Unsupported]:
    """Every specific of a text that the source does not hold."""
    page = read_page(text)
    other = _OtherDigits(page)
    yield from _check_addresses(page, other, source)
    yield from _check_quotations(page.folded, source)
    yield from _check_names(page, text, source)
    yield from _check_moments(other, source)
    yield from _check_quantities(other, source)


class _OtherDigits:
    """What has digits in it and is no quantity: dates, times, phone numbers, e-mail addresses."""

    def __init__(self, page: Page) -> None:
        tables = [block.text for block in page.list_blocks(BlockKind.TABLE)]
        self.said = said = _join_claim_text(page.folded, map(fold, tables))
        as_written = _join_claim_text(page.prose, tables)
        # Folding may change lengths; then a place is only known in the folded text.
        self.shown = as_written if len(as_written) == len(said) else said
        self.runs = runs = find_digit_runs(said)
        self.dates = find_dates(said, runs)
        self.times = find_times(said, runs)
        self.phones = find_phones(said, runs)
        self.emails = find_emails(said)

    def mask_text(self) -> str:
        """The text with all of them blank, and every place where it was."""
        if not (self.dates or self.times or self.phones or self.emails):
            return self.said
        spans = [(date.start, date.end) for date in self.dates]
        spans += [(time.start, time.end) for time in self.times]
        spans += [(found.start, found.end) for found in (*self.phones, *self.emails)]
        pieces: list[str] = []
        at = 0
        for start, end in sorted(spans):
            pieces += [self.said[at:start], " " * (end - max(at, start))]
            at = max(at, end)
        return "".join([*pieces, self.said[at:]])


def _join_claim_text(prose: str, tables: Iterable[str]) -> str:
    """All that makes claims: the prose, and the cells of tables."""
    return "\n".join([prose, *(table.replace("|", " ; ") for table in tables)])


def _check_addresses(page: Page, other: _OtherDigits, source: Specifics) -> Iterator[Unsupported]:
    emails = [
        (found.value, cut_excerpt(other.shown, start=found.start, end=found.end))
        for found in other.emails
    ]
    for link in page.links:
        if "." not in link:
            continue  # a place on the same page
        bare = normalize_link(link)
        if "@" in bare:
            emails.append((bare, link))
        elif not any(leads_within(bare, known) for known in source.links):
            yield ClaimKind.URL, link, link
    for email, around in emails:
        if email not in source.emails:
            yield ClaimKind.EMAIL, email, around
    for phone in other.phones:
        if not any(is_same_phone(phone.value, known) for known in source.phones):
            yield _quote_claim(ClaimKind.PHONE, other.shown, phone)


def _quote_claim(
    kind: ClaimKind, text: str, found: Found | Date | ClockTime | Quantity
) -> Unsupported:
    """A claim with the words around its place."""
    start, end = found.start, found.end
    return kind, text[start:end], cut_excerpt(text, start=start, end=end)


def _check_quotations(folded: str, source: Specifics) -> Iterator[Unsupported]:
    if '"' not in folded:
        return
    for quoted in _QUOTED.finditer(folded):
        # Pieces around an ellipsis may come from different places.
        pieces = [join_words(piece) for piece in re.split(r"\.\.\.|…", quoted[1])]
        if sum(len(piece.split()) for piece in pieces) < FEWEST_QUOTED:
            continue
        if not all(piece in source.running for piece in pieces if piece.strip()):
            yield (
                ClaimKind.QUOTE,
                quoted[1],
                cut_excerpt(folded, start=quoted.start(), end=quoted.end()),
            )


def _check_names(page: Page, text: str, source: Specifics) -> Iterator[Unsupported]:
    found = find_names([block.text for block in page.blocks if block.kind in _NAMED_IN])
    unknown = [name for name, needed in found if not source.words.issuperset(needed)]
    # Which language it is takes longer to tell than all the rest, and mostly no name is unknown.
    if unknown and has_capitals_for_names(detect_language(text)):
        yield from ((ClaimKind.NAME, name, name) for name in unknown)


def _check_moments(other: _OtherDigits, source: Specifics) -> Iterator[Unsupported]:
    for date in other.dates:
        if not any(known.tells(date) for known in source.dates):
            yield _quote_claim(ClaimKind.DATE, other.shown, date)
    for time in other.times:
        if not any(known.tells(time) for known in source.times):
            yield _quote_claim(ClaimKind.TIME, other.shown, time)


def _check_quantities(other: _OtherDigits, source: Specifics) -> Iterator[Unsupported]:
    blanked = other.mask_text()
    text = write_out(blanked)
    shown = other.shown if text == blanked else text
    runs = other.runs if text == other.said else find_digit_runs(text)
    for quantity in find_quantities(text, runs):
        if not source.quantities.support(quantity):
            yield _quote_claim(_classify_quantity(quantity), shown, quantity)


def _classify_quantity(quantity: Quantity) -> ClaimKind:
    if quantity.dimension == "percent":
        return ClaimKind.PERCENTAGE
    return ClaimKind.PRICE if quantity.dimension in load_currencies() else ClaimKind.NUMBER
