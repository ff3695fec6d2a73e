"""Short ways to look at a text with a check."""

from __future__ import annotations

from mulligan.types.finding import Finding
from mulligan.types.reply import Reply, TextCheck


def findings(check: TextCheck, text: str, *, query: str = "", context: str = "") -> list[Finding]:
    passages = (context,) if context else ()
    return list(check(Reply(text=text, query=query, context=passages)))


def rules(check: TextCheck, text: str, *, query: str = "", context: str = "") -> list[str]:
    return [each.rule for each in findings(check, text, query=query, context=context)]
