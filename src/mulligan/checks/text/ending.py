"""How a reply ends."""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.checks.kinds import register_reply_check
from mulligan.checks.text.fold import fold, normalize_spaces
from mulligan.core.finding import Finding, Severity
from mulligan.core.text import Reply, TextCheck


@register_reply_check
def ends_with(*, phrase: str, severity: Severity = Severity.ERROR, add: bool = False) -> TextCheck:
    """Flag a reply that does not end with a phrase. `add` mends it by adding the phrase."""
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
        mend=(lambda text: f"{text.rstrip()}\n\n{phrase}") if add else None,
    )
