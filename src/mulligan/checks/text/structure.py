"""Whether a reply can be taken in at a glance: lists where it is long, no wall of text."""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.checks.kinds import register_reply_check
from mulligan.checks.text.blocks import BlockKind
from mulligan.checks.text.fold import normalize_spaces
from mulligan.checks.text.page import read_page
from mulligan.checks.text.sentences import split_sentences
from mulligan.checks.text.word_search import AROUND
from mulligan.core.finding import Finding, Severity
from mulligan.core.runtime.enums import require_bool
from mulligan.core.text import Reply, TextCheck

LONG_WITHOUT_LIST = 500
LONGEST_PARAGRAPH = 800

_SHOWN = 2 * AROUND
_LISTS = frozenset({BlockKind.ITEM, BlockKind.TABLE})
"""A table is a list, too: what is asked for is something to go through by eye."""


@register_reply_check
def structure(
    *,
    list_above: int | None = LONG_WITHOUT_LIST,
    longest_paragraph: int | None = LONGEST_PARAGRAPH,
    severity: Severity = Severity.ERROR,
    split: bool = False,
) -> TextCheck:
    """Flag long prose without a list, and paragraphs nobody reads. `None` switches one off.

    `split` mends a long paragraph by breaking it between two sentences.
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
    mend = (lambda text: split_paragraphs(text, longest=longest_paragraph or 0)) if split else None
    return TextCheck(
        name="structure",
        look=look,
        asks=" ".join(wants),
        mend=mend if longest_paragraph is not None else None,
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
                issue=f"The reply lists {count} points; wanted are {wanted}.",
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
                issue=f"A paragraph has {count} characters; at most {longest} are wanted.",
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
