"""What a reply claims against what its context holds.

Specifics without a model: numbers, prices, percentages, dates, times, quotations, names,
addresses. Whether a sentence *follows* from a context takes a judge, which is asked claim by claim
(`Verifier`).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from mulligan.checks.entities import (
    ClockTime,
    Date,
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
    count_articles,
    find_digit_runs,
    find_quantities,
    load_currencies,
    load_empty_words,
    locate_written,
    write_out,
)
from mulligan.checks.registry import read_kinds, register_reply_check
from mulligan.checks.words import Places, split_sentences
from mulligan.process.user_functions import call_aside
from mulligan.types.display import Ours, Question, Quoted, Spend, is_long, split_pieces
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity, Source
from mulligan.types.interfaces import Judge
from mulligan.types.reply import Claim, OnFail, Reply, Support, TextCheck, read_on_fail
from mulligan.types.values import require_bool
from mulligan_dates.lexicon import (
    LANGUAGES,
    detect_language,
    has_capitals_for_names,
    has_foreign_letters,
    is_unspaced,
    load_common_words,
    load_others,
)
from mulligan_dates.text import fold, split_prose, stem

LONGEST_LOOK = 20_000
"""Characters of one passage that are searched for what it says instead of a claim."""
RECENT = 16
"""Contexts that are cached: every attempt at a reply uses the same one."""

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
        text = count_articles(write_out(self._folded))
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

    Without any context there is nothing to hold a claim against: it finds nothing, and says so.
    """
    require_bool(trust_query, name="trust_query")
    wanted = frozenset(read_kinds(ClaimKind, kinds, name="grounded"))

    def look(reply: Reply) -> Iterator[Finding]:
        if not any(map(str.strip, reply.context)):
            return
        source = read_source((*reply.context, *((reply.query,) if trust_query else ())))
        for kind, claim, around in find_unsupported(reply.text, source):
            if kind in wanted:
                said = _find_instead(kind, around, reply.context)
                instead = f" ({Quoted(said, 'the context').as_line()})" if said else ""
                yield Finding(
                    rule=f"grounding.{kind}",
                    severity=severity,
                    issue=f"The {kind} {claim!r} is not in the context.",
                    correction=f"Take the {kind} from the context{instead}, or leave it out.",
                    quote=around,
                )

    def skips(reply: Reply) -> Iterator[str]:
        source = read_source((*reply.context, *((reply.query,) if trust_query else ())))
        if any(map(str.strip, reply.context)):
            yield from _list_unread(reply, source, wanted)
            return
        claims = [
            claim for kind, claim, _ in find_unsupported(reply.text, source) if kind in wanted
        ]
        if claims:
            was = "was" if len(claims) == 1 else "were"
            yield f"There is no context, so {_quote_some(claims)} {was} not looked at."

    listed = ", ".join(sorted(wanted))
    return TextCheck(
        name="grounded",
        look=look,
        asks=f"State only what the context says; this holds for every {listed}.",
        skips=skips,
        early=True,
    )


NEAREST = 5
"""Sentences of a context that are looked at for what it says instead."""


def _find_instead(kind: ClaimKind, around: str, context: tuple[str, ...]) -> str:
    """The sentence of the context that says the same of another value; empty: there is none."""
    wanted = _list_content(around)
    shared = [(len(wanted & words), sentence) for sentence, words in _list_sentences(context)]
    near = sorted((each for each in shared if each[0]), key=lambda each: -each[0])[:NEAREST]
    return next((each for _, each in near if _has_kind(kind, each)), "")


@lru_cache(maxsize=RECENT)
def _list_sentences(context: tuple[str, ...]) -> list[tuple[str, frozenset[str]]]:
    sentences = (each for passage in context for each in split_sentences(passage[:LONGEST_LOOK]))
    return [(each, _list_content(each)) for each in sentences]


@lru_cache(maxsize=RECENT * NEAREST)
def _has_kind(kind: ClaimKind, sentence: str) -> bool:
    """Whether a sentence says anything of a kind."""
    if kind in _COUNTED:  # small counts too, which claim little by themselves
        said = write_out(_OtherDigits(read_page(sentence)).mask_text())
        counted = find_quantities(said, find_digit_runs(said))
        return any(_classify_quantity(each) is kind for each in counted)
    claims = find_unsupported(sentence, Specifics(()))
    return any(found is kind for found, _, _ in claims)


MOST_QUOTED = 3


def _quote_some(claims: Sequence[str]) -> str:
    more = f" and {len(claims) - MOST_QUOTED} more" if len(claims) > MOST_QUOTED else ""
    return ", ".join(map(repr, claims[:MOST_QUOTED])) + more


_NAMES = frozenset({ClaimKind.NAME})
_DATES = frozenset({ClaimKind.DATE})
_COUNTED = frozenset({ClaimKind.NUMBER, ClaimKind.PRICE, ClaimKind.PERCENTAGE})
_WITH_DATES = frozenset({"ja", "ko", "zh"})
"""Of the languages with other letters, those whose dates are read."""


def _list_unread(reply: Reply, source: Specifics, wanted: frozenset[ClaimKind]) -> Iterator[str]:
    """What cannot be read in the reply's language, and is there or may be."""
    language = detect_language(reply.text)
    unread = _find_unread(reply.text, source, language) if language != "en" else ()
    missing = [what for kinds, what in unread if kinds & wanted]
    if missing:
        *first, last = missing
        listed = f"{', '.join(first)} and {last}" if first else last
        yield f"{listed[0].upper()}{listed[1:]} were not looked at in {LANGUAGES[language]}."


def _find_unread(
    text: str, source: Specifics, language: str
) -> Iterator[tuple[frozenset[ClaimKind], str]]:
    if language in load_others():
        known = {*load_others()[language]["numbers"].split()} - source.words
        words = [word for word in dict.fromkeys(split_prose(fold(text))) if word in known]
        if words:
            yield _COUNTED, f"number words ({_quote_some(words)})"
    elif has_foreign_letters(text):
        yield _NAMES, "names"
        if language not in _WITH_DATES:
            yield _DATES, "months"
        yield _COUNTED, "number words"
    elif not has_capitals_for_names(language):
        names = _find_unknown_names(read_page(text), source)
        if names:
            yield _NAMES, f"names ({_quote_some(names)})"


def find_unsupported(text: str, source: Specifics) -> Iterator[Unsupported]:
    """Every specific of a text that the source does not hold."""
    page = read_page(text)
    other = _OtherDigits(page)
    yield from _check_addresses(page, other, source)
    yield from _check_quotations(page, source)
    yield from _check_names(page, text, source)
    yield from _check_moments(other, source)
    yield from _check_quantities(other, source)


class _OtherDigits:
    """Digits that are not quantities: dates, times, phone numbers, e-mail addresses."""

    def __init__(self, page: Page) -> None:
        tables = [block.text for block in page.list_blocks(BlockKind.TABLE)]
        self.said = said = _join_claim_text(page.folded, map(fold, tables))
        self.places = Places(_join_claim_text(page.prose, tables), said)
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
    emails = [(found.value, *other.places.quote(found.start, found.end)) for found in other.emails]
    for link in page.links:
        if "." not in link:
            continue  # a place on the same page
        bare = normalize_link(link)
        if "@" in bare:
            emails.append((bare, bare, link))
        elif not any(leads_within(bare, known) for known in source.links):
            yield ClaimKind.URL, link, link
    for email, written, around in emails:
        if email not in source.emails:
            yield ClaimKind.EMAIL, written, around
    for phone in other.phones:
        if not any(is_same_phone(phone.value, known) for known in source.phones):
            yield ClaimKind.PHONE, *other.places.quote(phone.start, phone.end)


def _check_quotations(page: Page, source: Specifics) -> Iterator[Unsupported]:
    folded = page.folded
    if '"' not in folded:
        return
    places = Places(page.prose, folded)
    for quoted in _QUOTED.finditer(folded):
        # Pieces around an ellipsis may come from different places.
        pieces = [join_words(piece) for piece in re.split(r"\.\.\.|…", quoted[1])]
        if sum(len(piece.split()) for piece in pieces) < FEWEST_QUOTED:
            continue
        if not all(piece in source.running for piece in pieces if piece.strip()):
            _, around = places.quote(quoted.start(), quoted.end())
            yield ClaimKind.QUOTE, places.quote(*quoted.span(1))[0], around


def _find_unknown_names(page: Page, source: Specifics) -> list[str]:
    found = find_names([block.text for block in page.blocks if block.kind in _NAMED_IN])
    return [name for name, needed in found if not source.words.issuperset(needed)]


def _check_names(page: Page, text: str, source: Specifics) -> Iterator[Unsupported]:
    unknown = _find_unknown_names(page, source)
    # Which language it is takes longer to tell than all the rest, and mostly no name is unknown.
    if unknown and has_capitals_for_names(detect_language(text)):
        yield from ((ClaimKind.NAME, name, name) for name in unknown)


def _check_moments(other: _OtherDigits, source: Specifics) -> Iterator[Unsupported]:
    for date in other.dates:
        if not any(known.tells(date) for known in source.dates):
            yield ClaimKind.DATE, *other.places.quote(date.start, date.end)
    for time in other.times:
        if not any(known.tells(time) for known in source.times):
            yield ClaimKind.TIME, *other.places.quote(time.start, time.end)


def _check_quantities(other: _OtherDigits, source: Specifics) -> Iterator[Unsupported]:
    blanked = other.mask_text()
    text = write_out(blanked)
    runs = other.runs if text == other.said else find_digit_runs(text)
    for quantity in find_quantities(text, runs):
        if not source.quantities.support(quantity):
            place = quantity.start, quantity.end
            start, end = place if text == blanked else locate_written(blanked, *place)
            yield _classify_quantity(quantity), *other.places.quote(start, end)


def _classify_quantity(quantity: Quantity) -> ClaimKind:
    if quantity.dimension == "percent":
        return ClaimKind.PERCENTAGE
    return ClaimKind.PRICE if quantity.dimension in load_currencies() else ClaimKind.NUMBER


SAID = 0.6
"""The share of a sentence's words that a text must have to say the same."""


def says(text: str, sentence: str) -> bool:
    """Whether a text says what a sentence says: all its specifics, and most of its words."""
    words = _list_content(sentence)
    shared = len(words & _list_content(text)) >= SAID * len(words)
    return shared and not any(find_unsupported(sentence, read_source((text,))))


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
        """Whether the judge confirmed the reply: it has claims, and each is supported."""
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
    on_fail: OnFail = OnFail.RETRY

    def __post_init__(self) -> None:
        force_setattr(self, "on_fail", read_on_fail(self.on_fail, name="verified"))
        if self.on_fail is OnFail.REPAIR:
            raise ConfigurationError("verified cannot repair a reply: choose another on_fail.")


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

    async def verify(self, reply: Reply, *, spend: Spend | None = None) -> Verified | None:
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
        question = replace(question, own_prompt=self._own_prompt, spend=spend)
        answer = await self._judge.ask(question)
        if answer is None:
            return None
        said = _list_content(reply.text)
        made = [claim for claim in answer.claims if _is_made(claim, said)]
        if answer.claims and not made:
            return None
        claims = tuple(_verify_passage(claim, reply.context) for claim in made)
        self._answers[key] = claims
        if len(self._answers) > self._remembered:
            self._answers.popitem(last=False)
        return Verified(claims=claims, recalled=False)

    def list_findings(self, claims: tuple[Claim, ...]) -> Iterator[Finding]:
        """An error for each unsupported claim, a warning for each uncertain one."""
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


MADE = 0.5
"""The share of a claim's words that a reply must have for the claim to be its own."""


def _is_made(claim: Claim, said: frozenset[str]) -> bool:
    """Whether a claim is one of the reply: a judge may speak of what nobody said."""
    words = _list_content(claim.text)
    return len(words & said) >= MADE * len(words)


def _verify_passage(claim: Claim, context: tuple[str, ...]) -> Claim:
    """A quotation proves nothing if the context does not hold it, or if it is of something else."""
    cited = join_words(fold(claim.passage))
    there = bool(cited.strip()) and cited in read_source(context).running
    passage = claim.passage if there else ""
    if claim.support is Support.SUPPORTED and not (there and _is_about(passage, claim.text)):
        return replace(claim, support=Support.CANNOT_TELL, passage="")
    return replace(claim, passage=passage)


SHARED = 2
"""Words that a passage and a claim must have in common; one alone says little of either."""


def _is_about(passage: str, claim: str) -> bool:
    """Whether a passage can decide a claim: some words on the same matter, and all its figures."""
    spoken = detect_language(claim)
    words = _list_content(claim) - set(map(stem, load_common_words().get(spoken, ())))
    foreign = detect_language(passage, otherwise=spoken) != spoken
    fewest = 1 if foreign else min(SHARED, _weigh_words(words))
    shared = _weigh_words(words & _list_content(passage))
    several = len(split_prose(passage)) > 1 or len(_list_content(passage)) > 1
    return several and shared >= fewest and not any(find_unsupported(claim, Specifics((passage,))))


def _weigh_words(words: frozenset[str]) -> float:
    """How many words these are: two letters for one, where a script has no spaces."""
    return sum(0.5 if is_unspaced(word[0]) else 1.0 for word in words)


def _list_content(text: str) -> frozenset[str]:
    """The words of a text that carry a claim; the letters, where a script has no spaces."""
    said = [word for word in split_prose(fold(text)) if word not in load_empty_words()]
    parts = (word if is_unspaced(word[0]) else (stem(word),) for word in said)
    return frozenset(part for each in parts for part in each)


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
    return {f"context {number}": piece for number, piece in enumerate(pieces, start=1)}
