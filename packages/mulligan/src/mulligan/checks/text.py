"""Checks of text: length, words, sections, structure. Markdown-aware, and linear in length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from unicodedata import east_asian_width

from mulligan.checks.markdown import Block, BlockKind, Page, read_page
from mulligan.checks.registry import register_reply_check
from mulligan.checks.words import (
    AROUND,
    Places,
    Wordlist,
    load_word_lists,
    split_sentences,
)
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity
from mulligan.types.reply import Reply, TextCheck
from mulligan.types.values import require_bool
from mulligan_dates.lexicon import LANGUAGES, detect_language
from mulligan_dates.text import fold, normalize_spaces, split_prose

_QUESTION_MARKS = re.compile("[?？؟⸮]+")  # noqa: RUF001 - of several scripts
_CLOSING = 3
"""Characters at the end of a sentence among which its mark is: a bracket may follow."""
_AMOUNT = re.compile(
    r"[$€£¥₹]\s?\d|\d\s?[$€£¥₹]|\d\s?(?:usd|eur|gbp|chf|dollars?|euros?|pounds?)\b"
    r"|\b(?:usd|eur|gbp|chf)\s?\d"
)


@register_reply_check
def call_to_action(
    *,
    actions: Iterable[str] | None = None,
    about: Iterable[str] | None = None,
    severity: Severity = Severity.ERROR,
    add: str = "",
) -> TextCheck:
    """Flag a reply that discusses prices without a next step. `add` fixes it with a sentence.

    `actions` are the words that say what to do next, `about` those that say prices are discussed;
    an amount of money always does.
    """
    steps = Wordlist(load_word_lists()["next_step"]["words"] if actions is None else actions)
    prices = Wordlist(load_word_lists()["price"]["words"] if about is None else about)

    def look(reply: Reply) -> Iterator[Finding]:
        page = read_page(reply.text)
        if steps.has_any(page.folded):
            return
        tables = " ".join(block.text for block in page.list_blocks(BlockKind.TABLE)).lower()
        priced = any(_AMOUNT.search(text) for text in (page.folded, tables))
        if priced or any(prices.has_any(said) for said in _list_statements(page.folded)):
            yield Finding(
                rule="text.no_call_to_action",
                severity=severity,
                issue="The reply discusses prices but does not say what to do next.",
                correction=f"Offer a next step; use one of: {', '.join(steps.words)}.",
            )

    return TextCheck(
        name="call_to_action",
        look=look,
        asks=f"Where you mention a price, offer a next step ({', '.join(steps.words)}).",
        fix=(lambda text: f"{text.rstrip()}\n\n{add}") if add else None,
        skips=_list_unknown_prices if about is None else None,
    )


def _list_unknown_prices(reply: Reply) -> Iterator[str]:
    """Our words for prices are English."""
    language = detect_language(reply.text)
    if language != "en":
        yield f"Words for prices were not looked at in {LANGUAGES[language]}."


def _list_statements(folded: str) -> Iterator[str]:
    """The sentences that ask nothing: a question about prices discusses none."""
    if not _QUESTION_MARKS.search(folded):
        yield folded
        return
    sentences = split_sentences(folded)
    yield from (each for each in sentences if not _QUESTION_MARKS.search(each[-_CLOSING:]))


@register_reply_check
def ends_with(*, phrase: str, severity: Severity = Severity.ERROR, add: bool = False) -> TextCheck:
    """Flag a reply that does not end with a phrase. `add` fixes it by adding the phrase."""
    wanted = normalize_spaces(fold(phrase))

    def look(reply: Reply) -> Iterator[Finding]:
        if not normalize_spaces(fold(reply.text)).rstrip("\"'* ").endswith(wanted.rstrip("\"'* ")):
            yield Finding(
                rule="text.other_ending",
                severity=severity,
                issue=f"The reply does not end with {phrase!r}.",
                correction=f"End with exactly: {phrase}",
                quote=normalize_spaces(reply.text)[-len(phrase) :],
            )

    return TextCheck(
        name="ends_with",
        look=look,
        asks=f"End with exactly: {phrase}",
        fix=(lambda text: f"{text.rstrip()}\n\n{phrase}") if add else None,
    )


FEWEST_FOLLOW_UPS = 3

_ASKED_IN = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.QUOTE, BlockKind.HEADING})


@register_reply_check
def follow_ups(
    *,
    headings: Iterable[str] | None = None,
    at_least: int = FEWEST_FOLLOW_UPS,
    severity: Severity = Severity.ERROR,
) -> TextCheck:
    """Flag a reply without a section of questions that the person might ask next."""
    listed = load_word_lists()["follow_ups"]["headings"] if headings is None else headings
    begins = Wordlist(listed, inflect=False)
    shown = begins.words[0]

    def look(reply: Reply) -> Iterator[Finding]:
        page = read_page(reply.text)
        if not begins.has_any(page.folded):
            yield Finding(
                rule="text.no_follow_ups",
                severity=severity,
                issue=f"There is no section with what the person {shown!r}.",
                correction=f'End with a section "You {shown}:" and at least {at_least} questions.',
            )
            return
        asked = 0
        for count in _count_questions(page.blocks, begins):
            asked = max(asked, count)
            if asked >= at_least:
                break
        else:
            yield Finding(
                rule="text.few_follow_ups",
                severity=severity,
                issue=f"The section {shown!r} has {asked} questions; it needs {at_least}.",
                correction=f"List at least {at_least} different questions there, "
                "each ending with a question mark.",
            )

    return TextCheck(
        name="follow_ups",
        look=look,
        asks=f'End with a section "You {shown}:" that lists at least {at_least} questions.',
    )


def _count_questions(blocks: Sequence[Block], begins: Wordlist) -> Iterator[int]:
    """The questions of every section that begins with one of the headings, the last one first."""
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if block.kind not in _ASKED_IN:
            continue
        folded = fold(block.text)
        if (heading := next(begins.spot(folded), None)) is not None:
            yield len(
                _split_questions([folded[heading.end :], *_read_until_heading(blocks[index + 1 :])])
            )


def _read_until_heading(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            return
        if block.kind in _ASKED_IN:
            yield fold(block.text)


def _split_questions(texts: Iterable[str]) -> set[str]:
    """What is asked, each question once."""
    pieces = (piece for text in texts for piece in _QUESTION_MARKS.split(text)[:-1])
    return {" ".join(piece.split()) for piece in pieces if any(map(str.isalnum, piece))}


class LengthUnit(StrEnum):
    """The unit of a length."""

    CHARACTERS = "characters"
    """As a reader sees them: any gap is one, what has no width is none. For `at_least`, a letter of
    Chinese, Japanese or Korean counts twice."""
    WORDS = "words"
    SENTENCES = "sentences"
    PARAGRAPHS = "paragraphs"


_COUNT: dict[LengthUnit, Callable[[str], int]] = {
    LengthUnit.CHARACTERS: lambda text: len(normalize_spaces(text)),
    LengthUnit.WORDS: lambda text: len(split_prose(read_page(text).prose)),
    LengthUnit.SENTENCES: lambda text: _count_sentences(text),
    LengthUnit.PARAGRAPHS: lambda text: len(
        read_page(text).list_blocks(BlockKind.PARAGRAPH, BlockKind.QUOTE)
    ),
}


@register_reply_check
def length(
    *,
    at_least: int | None = None,
    at_most: int | None = None,
    unit: LengthUnit = LengthUnit.CHARACTERS,
    severity: Severity = Severity.ERROR,
    cut: bool = False,
) -> TextCheck:
    """Flag a reply that is shorter or longer. `cut` fixes a long one at the end of a sentence."""
    unit = LengthUnit(unit)
    if at_least is None and at_most is None:
        raise ConfigurationError("length needs at_least, at_most, or both: length(at_most=2500).")
    if at_least is not None and at_most is not None and at_least > at_most:
        raise ConfigurationError(f"No length is at_least {at_least} and at_most {at_most}.")
    if require_bool(cut, name="cut") and (at_most is None or unit is not LengthUnit.CHARACTERS):
        raise ConfigurationError("cut needs at_most in characters: length(at_most=2500, cut=True).")

    def look(reply: Reply) -> Iterator[Finding]:
        if unit is LengthUnit.CHARACTERS and _fits(reply.text, at_least, at_most):
            return
        count = _COUNT[unit](reply.text)
        wide = _count_wide(reply.text) if unit is LengthUnit.CHARACTERS else 0
        if at_least is not None and count + wide < at_least:
            yield Finding(
                rule="text.too_short",
                severity=severity,
                issue=f"The reply has {count} {unit}; it needs at least {at_least}.",
                correction=f"Say what was asked for, in at least {at_least} {unit}.",
                quote=reply.text.strip(),
            )
        if at_most is not None and count > at_most:
            yield Finding(
                rule="text.too_long",
                severity=severity,
                issue=f"The reply has {count} {unit}; at most {at_most} are allowed.",
                correction=f"Shorten it by {count - at_most} {unit} or more: keep what answers "
                "the question, drop the rest.",
            )

    return TextCheck(
        name="length",
        look=look,
        asks=_describe_limits(at_least, at_most, unit),
        fix=(lambda text: cut_text(text, at_most=at_most)) if cut and at_most else None,
        early=at_least is None,
    )


def _count_wide(text: str) -> int:
    """Letters of Chinese, Japanese and Korean: each says about as much as two others."""
    letters = () if text.isascii() else filter(str.isalpha, text)
    return sum(east_asian_width(letter) in "WF" for letter in letters)


def _count_sentences(text: str) -> int:
    """A line break within a paragraph ends no sentence; the end of a block does."""
    told = (block for block in read_page(text).blocks if block.kind is not BlockKind.CODE)
    return sum(len(split_sentences(normalize_spaces(block.text))) for block in told)


def cut_text(text: str, *, at_most: int) -> str:
    """The beginning of a text up to the last sentence or line that fits."""
    kept: list[str] = []
    left = at_most
    for line in text.splitlines():
        if len(line) <= left:
            kept.append(line)
            left -= len(line) + 1
            continue
        fitting = ""
        for sentence in split_sentences(line):
            if len(fitting) + len(sentence) + 1 > left:
                break
            fitting = f"{fitting} {sentence}".strip()
        kept.append(fitting)
        break
    return "\n".join(kept).rstrip()


def _fits(text: str, at_least: int | None, at_most: int | None) -> bool:
    """Whether that can be seen without counting: by the beginning, and by the raw length."""
    enough = at_least is None or len(normalize_spaces(text[: 4 * at_least])) >= at_least
    return enough and (at_most is None or len(text) <= at_most)


def _describe_limits(at_least: int | None, at_most: int | None, unit: LengthUnit) -> str:
    if at_least is None:
        return f"Write at most {at_most} {unit}."
    if at_most is None:
        return f"Write at least {at_least} {unit}."
    return f"Write {at_least} to {at_most} {unit}."


RECENT_QUERIES = 8
"""Messages that are remembered, so that all checks of one reply read it once."""


def is_small_talk(reply: Reply) -> bool:
    """Whether the person only said hello, thanks or goodbye. Unsure means no."""
    return _is_small_talk(reply.query)


@lru_cache(maxsize=RECENT_QUERIES)
def _is_small_talk(query: str) -> bool:
    spoken = split_prose(fold(query))
    if not spoken:
        return False
    talk = load_word_lists()["small_talk"]
    return (
        len(spoken) <= talk["most_words"]
        and _load_small_talk().issuperset(spoken)
        and not set(spoken).isdisjoint(talk["needs_one_of"])
    )


@cache
def _load_small_talk() -> frozenset[str]:
    """All that small talk consists of."""
    return frozenset(load_word_lists()["small_talk"]["words"])


LONG_WITHOUT_LIST = 500
LONGEST_PARAGRAPH = 800

_SHOWN = 2 * AROUND
_LISTS = frozenset({BlockKind.ITEM, BlockKind.TABLE})
"""A table counts as a list: it is easy to scan."""


@register_reply_check
def structure(
    *,
    list_above: int | None = LONG_WITHOUT_LIST,
    longest_paragraph: int | None = LONGEST_PARAGRAPH,
    severity: Severity = Severity.ERROR,
    split: bool = False,
) -> TextCheck:
    """Flag long prose without a list, and long paragraphs. `None` switches one off.

    `split` fixes a long paragraph by breaking it between two sentences.
    """
    require_bool(split, name="split")

    def look(reply: Reply) -> Iterator[Finding]:
        page = read_page(reply.text)
        if list_above is not None and len(page.prose) > list_above:
            listed = any(block.kind in _LISTS for block in page.blocks)
            if not listed and (count := len(normalize_spaces(page.prose))) > list_above:
                yield Finding(
                    rule="text.no_list",
                    severity=severity,
                    issue=f"The reply has {count} characters of prose and no list; "
                    f"above {list_above} it needs one.",
                    correction="Put the main points into a list, one point to a line.",
                )
        if longest_paragraph is not None:
            yield from _find_long_paragraphs(
                reply.text, longest=longest_paragraph, severity=severity
            )

    wants = []
    if list_above is not None:
        wants.append(f"Use a list where you write more than {list_above} characters.")
    if longest_paragraph is not None:
        wants.append(f"Keep every paragraph under {longest_paragraph} characters.")
    fix = (lambda text: split_paragraphs(text, longest=longest_paragraph or 0)) if split else None
    return TextCheck(
        name="structure",
        look=look,
        asks=" ".join(wants),
        fix=fix if longest_paragraph is not None else None,
    )


@register_reply_check
def list_items(
    *,
    at_least: int | None = None,
    at_most: int | None = None,
    severity: Severity = Severity.ERROR,
) -> TextCheck:
    """Flag a reply whose lists have too few points in all, or too many."""

    wanted = _describe_range(at_least, at_most)

    def look(reply: Reply) -> Iterator[Finding]:
        count = len(read_page(reply.text).list_blocks(BlockKind.ITEM))
        too_few = at_least is not None and count < at_least
        if too_few or (at_most is not None and count > at_most):
            yield Finding(
                rule="text.too_few_points" if too_few else "text.too_many_points",
                severity=severity,
                issue=f"The reply lists {count} points; it needs {wanted}.",
                correction=f"List {wanted} points.",
            )

    return TextCheck(name="list_items", look=look, asks=f"List {wanted} points.")


def split_paragraphs(text: str, *, longest: int) -> str:
    """Break lines of prose that are too long between two sentences, where there are two."""
    return "\n".join(_split_line(line, longest) if len(line) > longest else line
                     for line in text.splitlines())  # fmt: skip


def _find_long_paragraphs(text: str, *, longest: int, severity: Severity) -> Iterator[Finding]:
    long = [block for block in read_page(text).blocks if len(block.text) > longest]
    for block in long:
        if block.kind is not BlockKind.PARAGRAPH:
            continue
        if (count := len(normalize_spaces(block.text))) > longest:
            yield Finding(
                rule="text.long_paragraph",
                severity=severity,
                issue=f"A paragraph has {count} characters; at most {longest} are allowed.",
                correction="Break it into shorter paragraphs, or make its points a list.",
                quote=f"{normalize_spaces(block.text[:_SHOWN])}…",
            )


def _split_line(line: str, longest: int) -> str:
    parts = [""]
    for sentence in split_sentences(line):
        if parts[-1] and len(parts[-1]) + len(sentence) + 1 > longest:
            parts.append("")
        parts[-1] = f"{parts[-1]} {sentence}".strip()
    return "\n\n".join(parts)


def _describe_range(at_least: int | None, at_most: int | None) -> str:
    if at_least == at_most:
        return f"exactly {at_least}"
    if at_most is None:
        return f"at least {at_least}"
    return f"at most {at_most}" if at_least is None else f"{at_least} to {at_most}"


@register_reply_check
def avoids(
    *, words: Iterable[str], inflect: bool = True, severity: Severity = Severity.ERROR
) -> TextCheck:
    """Flag words the house style rules out, one finding for each."""
    unwanted = Wordlist(words, inflect=inflect)

    def look(reply: Reply) -> Iterator[Finding]:
        for word, quote in _find_first_uses(unwanted, read_page(reply.text)):
            yield Finding(
                rule="text.unwanted_word",
                severity=severity,
                issue=f"The reply uses {word!r}, which the house style rules out.",
                correction=f"Say it without {word!r}.",
                quote=quote,
            )

    asks = f"Do not use: {', '.join(unwanted.words)}."
    return TextCheck(name="avoids", look=look, asks=asks, early=True)


@register_reply_check
def retired(
    *, terms: Iterable[str] | Mapping[str, str], severity: Severity = Severity.ERROR
) -> TextCheck:
    """Flag terms of what is no longer offered. A mapping names what to say instead."""
    instead = dict(terms) if isinstance(terms, Mapping) else dict.fromkeys(terms, "")
    gone = Wordlist(instead)

    def look(reply: Reply) -> Iterator[Finding]:
        for term, quote in _find_first_uses(gone, read_page(reply.text)):
            new = instead[term]
            yield Finding(
                rule="text.retired_term",
                severity=severity,
                issue=f"The reply mentions {term!r}, which is no longer current.",
                correction=f"Say {new!r} instead." if new else f"Do not mention {term!r}.",
                quote=quote,
            )

    return TextCheck(
        name="retired",
        look=look,
        asks=f"Do not mention what is no longer current: {', '.join(gone.words)}.",
        fix=(lambda text: _replace(text, instead)) if any(instead.values()) else None,
        early=True,
    )


@register_reply_check
def mentions(
    *,
    words: Iterable[str],
    at_least: int = 1,
    at_most: int | None = None,
    inflect: bool = True,
    severity: Severity = Severity.ERROR,
) -> TextCheck:
    """Flag a reply that says one of the words too rarely, or too often."""
    wanted = Wordlist(words, inflect=inflect)

    def look(reply: Reply) -> Iterator[Finding]:
        counts = dict.fromkeys(wanted.words, 0)
        for spotted in wanted.spot(read_page(reply.text).folded):
            counts[spotted.word] += 1
        for word, count in counts.items():
            if count < at_least:
                yield Finding(
                    rule="text.missing_word",
                    severity=severity,
                    issue=f"The reply says {word!r} {count} times; it needs at least {at_least}.",
                    correction=f"Say {word!r} where it fits.",
                )
            elif at_most is not None and count > at_most:
                yield Finding(
                    rule="text.repeated_word",
                    severity=severity,
                    issue=f"The reply says {word!r} {count} times; at most {at_most} are allowed.",
                    correction=f"Say {word!r} less often.",
                )

    often = f" (at least {at_least} times each)" if at_least > 1 else ""
    return TextCheck(name="mentions", look=look, asks=f"Say: {', '.join(wanted.words)}{often}.")


def _find_first_uses(words: Wordlist, page: Page) -> Iterator[tuple[str, str]]:
    """Each word that is used, with the first place where it is."""
    seen: set[str] = set()
    places = Places(page.prose, page.folded)
    for spotted in words.spot(page.folded):
        if spotted.word not in seen:
            seen.add(spotted.word)
            yield spotted.word, places.quote(spotted.start, spotted.end)[1]


def _replace(text: str, instead: Mapping[str, str]) -> str:
    for term, new in instead.items():
        if new:
            text = re.sub(rf"(?<!\w){re.escape(term)}(?!\w)", new, text, flags=re.IGNORECASE)
    return text
