"""Whether a reply says what the person might want to know next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mulligan.checks.kinds import register_reply_check
from mulligan.checks.text.blocks import BlockKind
from mulligan.checks.text.fold import fold
from mulligan.checks.text.lists import load_word_lists
from mulligan.checks.text.page import Block, read_page
from mulligan.checks.text.word_search import Wordlist
from mulligan.core.finding import Finding, Severity
from mulligan.core.text import Reply, TextCheck

FEWEST = 3

_QUESTION_MARKS = re.compile("[?？؟⸮]+")  # noqa: RUF001 - of several scripts
_ASKED_IN = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.QUOTE, BlockKind.HEADING})


@register_reply_check
def follow_ups(
    *,
    headings: Iterable[str] | None = None,
    at_least: int = FEWEST,
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
