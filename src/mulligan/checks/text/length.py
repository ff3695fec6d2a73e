"""How long a reply is: too short to say anything, or too long to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum

from mulligan.checks.kinds import register_reply_check
from mulligan.checks.text.blocks import BlockKind
from mulligan.checks.text.fold import normalize_spaces
from mulligan.checks.text.page import read_page
from mulligan.checks.text.sentences import split_sentences, split_words
from mulligan.core.errors import ConfigurationError
from mulligan.core.finding import Finding, Severity
from mulligan.core.runtime.enums import require_bool
from mulligan.core.text import Reply, TextCheck


class LengthUnit(StrEnum):
    """What a length is counted in."""

    CHARACTERS = "characters"
    """As a reader sees them: any gap is one, what has no width is none."""
    WORDS = "words"
    SENTENCES = "sentences"
    PARAGRAPHS = "paragraphs"


_COUNT: dict[LengthUnit, Callable[[str], int]] = {
    LengthUnit.CHARACTERS: lambda text: len(normalize_spaces(text)),
    LengthUnit.WORDS: lambda text: len(split_words(read_page(text).prose)),
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
    """Flag a reply that is shorter or longer. `cut` mends a long one at the end of a sentence."""
    unit = LengthUnit(unit)
    if at_least is None and at_most is None:
        raise ConfigurationError("length needs at_least, at_most, or both: length(at_most=2500).")
    if require_bool(cut, name="cut") and (at_most is None or unit is not LengthUnit.CHARACTERS):
        raise ConfigurationError("cut needs at_most in characters: length(at_most=2500, cut=True).")

    def look(reply: Reply) -> Iterator[Finding]:
        if unit is LengthUnit.CHARACTERS and _fits(reply.text, at_least, at_most):
            return
        count = _COUNT[unit](reply.text)
        if at_least is not None and count < at_least:
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
                issue=f"The reply has {count} {unit}; at most {at_most} are wanted.",
                correction=f"Shorten it by {count - at_most} {unit} or more: keep what answers "
                "the question, drop the rest.",
            )

    return TextCheck(
        name="length",
        look=look,
        asks=_describe_limits(at_least, at_most, unit),
        mend=(lambda text: cut_text(text, at_most=at_most)) if cut and at_most else None,
    )


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
