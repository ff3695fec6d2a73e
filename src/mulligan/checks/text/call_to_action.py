"""Whether a reply that speaks of prices says what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mulligan.checks.kinds import register_reply_check
from mulligan.checks.text.blocks import BlockKind
from mulligan.checks.text.lists import load_word_lists
from mulligan.checks.text.page import read_page
from mulligan.checks.text.word_search import Wordlist
from mulligan.core.finding import Finding, Severity
from mulligan.core.text import Reply, TextCheck

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
    """Flag a reply that discusses prices without a next step. `add` mends it with a sentence.

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
        if priced or prices.has_any(page.folded):
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
        mend=(lambda text: f"{text.rstrip()}\n\n{add}") if add else None,
    )
