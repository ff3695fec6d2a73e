"""Words that the person put in quotation marks, and that came out changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from mulligan.checks.language.quotations import find_quotes, has_quotes
from mulligan.checks.subject.concern import limit_to_parameters
from mulligan.checks.subject.subject import Parameters, Subject, select_arguments
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check

_NAMED = re.compile(r"\S[^\s./\\_]*+[./\\_]\S++")
"""A file, a link or another name of a thing, which is quoted to say which, and not how."""
_WORD = re.compile(r"\w+")
_APOSTROPHE = re.compile("['\u2019]")

NEAR = 0.6
"""The share of words in common from which a text is meant to be the quoted one."""
LONGEST = 1_000
"""Words from which texts are not compared any more: that takes the square of their number."""
CHANGED = 2
"""Words added, dropped or replaced from which it is more than a slip put right."""


def quotes_kept(parameters: Parameters) -> Check[Subject]:
    """Flag a text that is nearly what the person put in quotation marks, but not quite.

    Text around the quoted words, such as a greeting, is fine; so is a word spelled right.
    """

    @limit_to_parameters(parameters, when=lambda turn: has_quotes(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        quoted = list(find_quotes(subject.turn.message))
        for argument in select_arguments(subject, parameters):
            wanted = find_changed_quote(argument.value, quoted)
            if wanted is not None:
                yield argument.build_finding(
                    "text.quote_changed",
                    issue=f"but the person's own words were {wanted!r}.",
                    correction=f"Give {argument.label} in the person's own words.",
                )

    return check


def find_changed_quote(text: str, quoted: list[str]) -> str | None:
    """The quotation that a text changes; `None` if it has one whole, or is none of them."""
    written = _split_words(text)
    changed: str | None = None
    for quote in quoted:
        words = _split_words(quote)
        if not words or _NAMED.fullmatch(quote.strip()):
            continue
        if f" {' '.join(words)} " in f" {' '.join(written)} ":
            return None
        if max(len(words), len(written)) > LONGEST:
            continue
        match = SequenceMatcher(a=words, b=written, autojunk=False)
        same = sum(block.size for block in match.get_matching_blocks())
        moved = max(len(words), len(written)) - same
        if moved >= CHANGED and same >= NEAR * max(len(words), len(written)):
            changed = quote
    return changed


def _split_words(text: str) -> list[str]:
    return _WORD.findall(_APOSTROPHE.sub("", text.casefold()))
