"""Which words a reply uses: unwanted ones, retired ones, ones it must have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from mulligan.checks.kinds import register_reply_check
from mulligan.checks.text.page import Page, read_page
from mulligan.checks.text.word_search import Spotted, Wordlist, cut_excerpt
from mulligan.core.finding import Finding, Severity
from mulligan.core.text import Reply, TextCheck


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
                issue=f"The reply uses {word!r}, which we do not say.",
                correction=f"Say it without {word!r}.",
                quote=quote,
            )

    return TextCheck(name="avoids", look=look, asks=f"Do not use: {', '.join(unwanted.words)}.")


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
        mend=(lambda text: _replace(text, instead)) if any(instead.values()) else None,
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
                    issue=f"The reply says {word!r} {count} times; it must at least {at_least}.",
                    correction=f"Say {word!r} where it fits.",
                )
            elif at_most is not None and count > at_most:
                yield Finding(
                    rule="text.repeated_word",
                    severity=severity,
                    issue=f"The reply says {word!r} {count} times; at most {at_most} are wanted.",
                    correction=f"Say {word!r} less often.",
                )

    often = f" (at least {at_least} times each)" if at_least > 1 else ""
    return TextCheck(name="mentions", look=look, asks=f"Say: {', '.join(wanted.words)}{often}.")


def _find_first_uses(words: Wordlist, page: Page) -> Iterator[tuple[str, str]]:
    """Each word that is used, with the first place where it is."""
    seen: set[str] = set()
    for spotted in words.spot(page.folded):
        if spotted.word not in seen:
            seen.add(spotted.word)
            yield spotted.word, _quote(page, spotted)


def _quote(page: Page, spotted: Spotted) -> str:
    # Folding may change lengths; then the place is only known in the folded text.
    shown = page.prose if len(page.prose) == len(page.folded) else page.folded
    return cut_excerpt(shown, start=spotted.start, end=spotted.end)


def _replace(text: str, instead: Mapping[str, str]) -> str:
    for term, new in instead.items():
        if new:
            text = re.sub(rf"(?<!\w){re.escape(term)}(?!\w)", new, text, flags=re.IGNORECASE)
    return text
