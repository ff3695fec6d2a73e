"""What a reply claims against what its context holds.

Specifics without a model: numbers, prices, percentages, dates, times, quotations, names,
addresses. Whether a sentence *follows* from a context takes a judge, who is asked claim by claim
(`Verifier`).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.entities import (
    ClockTime,
    Date,
    Found,
    find_dates,
    find_emails,
    find_names,
    find_phones,
    find_times,
    is_same_phone,
    leads_within,
    normalize_link,
    normalize_word,
)
from mulligan.checks.markdown import BlockKind, Page, read_page
from mulligan.checks.quantities import (
    Known,
    Quantity,
    find_digit_runs,
    find_quantities,
    load_currencies,
    load_empty_words,
    write_out,
)
from mulligan.checks.registry import register_reply_check
from mulligan.checks.words import cut_excerpt
from mulligan.process.event_loop import call_aside
from mulligan.types.display import Ours, Question, Quoted, is_long, split_pieces
from mulligan.types.finding import Finding, Severity, Source
from mulligan.types.interfaces import Judge
from mulligan.types.reply import Claim, Reply, Support, TextCheck
from mulligan.types.values import require_bool
from mulligan_dates.lexicon import detect_language, has_capitals_for_names
from mulligan_dates.text import fold, split_prose, stem

RECENT = 16
"""Contexts that are remembered: every try of a reply rests on the same one."""

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
        spoken = split_prose(self._folded)
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
    return f" {' '.join(split_prose(folded))} "


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
            yield _cite_claim(ClaimKind.PHONE, other.shown, phone)


def _cite_claim(
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
            yield _cite_claim(ClaimKind.DATE, other.shown, date)
    for time in other.times:
        if not any(known.tells(time) for known in source.times):
            yield _cite_claim(ClaimKind.TIME, other.shown, time)


def _check_quantities(other: _OtherDigits, source: Specifics) -> Iterator[Unsupported]:
    blanked = other.mask_text()
    text = write_out(blanked)
    shown = other.shown if text == blanked else text
    runs = other.runs if text == other.said else find_digit_runs(text)
    for quantity in find_quantities(text, runs):
        if not source.quantities.support(quantity):
            yield _cite_claim(_classify_quantity(quantity), shown, quantity)


def _classify_quantity(quantity: Quantity) -> ClaimKind:
    if quantity.dimension == "percent":
        return ClaimKind.PERCENTAGE
    return ClaimKind.PRICE if quantity.dimension in load_currencies() else ClaimKind.NUMBER


_CITATION = re.compile(r"\[\d{1,3}\]")


def measure_coverage(claim: str, *, context: tuple[str, ...]) -> float:
    """The share of a claim's neighbouring words that stand close together in the context too.

    Meaning is beyond it: a claim that says the opposite in the same words is fully covered.
    """
    neighbours = list(pairwise(_list_stems(claim)))
    if not neighbours:
        return 1.0
    known = _list_close_pairs(context)
    shared = sum(pair in known or pair[::-1] in known for pair in neighbours)
    return shared / len(neighbours)


@lru_cache(maxsize=RECENT)
def _list_close_pairs(context: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    stems = [each for passage in context for each in _list_stems(passage)]
    return frozenset(pairwise(stems)) | frozenset(zip(stems, stems[2:], strict=False))


def _list_stems(text: str) -> list[str]:
    said = split_prose(fold(_CITATION.sub(" ", text)))
    return [stem(word) for word in said if word not in load_empty_words()]


PROMPT = "verify_claims"
REMEMBERED = 256
"""Answers that are kept for equal claims and context."""
MOST_PIECES = 12
"""Of a context; those nearest to the reply come first."""


class Claims(Struct, frozen=True, kw_only=True):
    """What a judge answers: every claim it found in a reply. One that says nothing of claims has
    not answered."""

    claims: tuple[Claim, ...]


class Verified(Struct, frozen=True, kw_only=True):
    """The claims of a reply with their support."""

    claims: tuple[Claim, ...]
    recalled: bool
    """Answered before, for equal claims and context."""

    @property
    def confirmed(self) -> bool:
        """Whether the judge spoke for the reply: there were claims, and each is supported."""
        supported = all(claim.support is Support.SUPPORTED for claim in self.claims)
        return bool(self.claims) and supported


class Verification(Struct, frozen=True, kw_only=True):
    """That the claims of a reply are to be verified, and by whom."""

    severity: Severity = Severity.ERROR
    """Of a claim that the context does not support."""
    judge: object = ""
    """A judge of its own: a model, its name such as `anthropic:…`, an agent or a function; else the
    application's."""
    prompt: str = ""
    """In place of ours: a text, or the path of a file."""


class Verifier:
    """Asks a judge about a reply's claims, and never twice about the same."""

    def __init__(
        self,
        judge: Judge,
        *,
        severity: Severity = Severity.ERROR,
        remembered: int = REMEMBERED,
        own_prompt: str = "",
    ) -> None:
        self._own_prompt = own_prompt
        self._judge = judge
        self._severity = severity
        self._remembered = remembered
        self._answers: OrderedDict[tuple[object, ...], tuple[Claim, ...]] = OrderedDict()

    async def verify(self, reply: Reply) -> Verified | None:
        """What the judge says of each claim. `None`: it could not say, and is asked again later."""
        # All that the judge is asked with: an answer to another question is another answer.
        key = (" ".join(reply.text.split()), reply.query, reply.context)
        if (known := self._answers.get(key)) is not None:
            self._answers.move_to_end(key)
            return Verified(claims=known, recalled=True)
        question: Question[Claims]
        if is_long(reply.text, reply.context):
            question = await call_aside(_build_question, reply)
        else:
            question = _build_question(reply)
        answer = await self._judge.ask(replace(question, own_prompt=self._own_prompt))
        if answer is None:
            return None
        claims = tuple(_verify_passage(claim, reply.context) for claim in answer.claims)
        self._answers[key] = claims
        if len(self._answers) > self._remembered:
            self._answers.popitem(last=False)
        return Verified(claims=claims, recalled=False)

    def list_findings(self, claims: tuple[Claim, ...]) -> Iterator[Finding]:
        """What does not stand: an error for each unsupported claim, a warning where unsure."""
        for claim in claims:
            if claim.support is Support.UNSUPPORTED:
                yield Finding(
                    rule="grounding.unsupported_claim",
                    severity=self._severity,
                    issue=f"The context does not support this: {_quote_claim(claim)}",
                    correction=_describe_fix(claim),
                    source=Source.JUDGE,
                    quote=claim.text,
                )
            elif claim.support is Support.CANNOT_TELL:
                yield Finding(
                    rule="grounding.unclear_claim",
                    severity=Severity.WARNING,
                    issue=f"The context does not settle this: {_quote_claim(claim)}",
                    source=Source.JUDGE,
                    quote=claim.text,
                )


def _quote_claim(claim: Claim) -> Ours:
    return Quoted(claim.text, "a judge").as_line()


def _describe_fix(claim: Claim) -> str:
    if claim.passage:
        passage = Quoted(claim.passage, "the context").as_line()
        return f"Say what the context says ({passage}), or leave it out."
    return "Leave it out, or say only what the context says."


def _verify_passage(claim: Claim, context: tuple[str, ...]) -> Claim:
    """A judge that cites what is not there has not shown anything."""
    cited = join_words(fold(claim.passage))
    if cited.strip() and cited in read_source(context).running:
        return claim
    shown = claim.support is not Support.SUPPORTED
    return replace(claim, support=claim.support if shown else Support.CANNOT_TELL, passage="")


def _build_question(reply: Reply) -> Question[Claims]:
    return Question(
        prompt=PROMPT,
        values={"question": Ours(reply.query or "(none)")},
        untrusted={**split_pieces(reply.text, name="reply"), **_choose_passages(reply)},
        answer=Claims,
        purpose="verify the claims of a reply",
    )


def _choose_passages(reply: Reply) -> Mapping[str, str]:
    """The context in pieces, in its own order; of a large one those nearest to the reply."""
    pieces = [
        piece for passage in reply.context for piece in split_pieces(passage, name="").values()
    ]
    if len(pieces) > MOST_PIECES:
        near = sorted(pieces, key=lambda piece: measure_coverage(piece, context=(reply.text,)))
        chosen = set(near[-MOST_PIECES:])
        pieces = [piece for piece in pieces if piece in chosen]
    return _label_pieces("context", pieces)


def _label_pieces(name: str, pieces: list[str]) -> dict[str, str]:
    return {f"{name} {number}": piece for number, piece in enumerate(pieces, start=1)}
