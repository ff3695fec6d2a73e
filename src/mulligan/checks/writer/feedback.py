"""What a writer is told of its reply, what can be put right by rule, and which try was the best."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mulligan.checks.requirements import render_requirements
from mulligan.checks.text.fold import is_blank
from mulligan.core.display.quoted import Quoted
from mulligan.core.engine import Round
from mulligan.core.finding import ABOUT_REPLY, Correction, Verdict
from mulligan.core.interfaces import Check
from mulligan.core.text import Reply, TextCheck

LONGEST_QUOTE = 200

_report = logging.getLogger("mulligan")


def render_feedback(verdict: Verdict, checks: Iterable[Check[Reply]]) -> Correction:
    """What the writer is told: each issue, the words it is about, how to mend it, the rules."""
    lines = [ABOUT_REPLY, "", "What is wrong:"]
    for finding in verdict.errors:
        lines.append(f"- {finding.issue}")
        if finding.quote:
            lines.append(f"  Where: {_shorten_quote(finding.quote)}")
        if finding.correction:
            lines.append(f"  Fix: {finding.correction}")
    if requirements := render_requirements(checks):
        lines += ["", "Requirements:", requirements]
    lines += ["", "Write the whole reply again, with these fixes and nothing else changed."]
    return Correction(text="\n".join(lines), findings=verdict.errors)


def mend_reply(reply: Reply, checks: Iterable[Check[Reply]]) -> Reply:
    """The reply with all put right that can be by rule. A mend that helps nothing is dropped."""
    for check in checks:
        if not isinstance(check, TextCheck) or check.mend is None:
            continue
        try:
            if not (found := len(list(check(reply)))):
                continue
            changed = replace(reply, text=check.mend(reply.text))
            if len(list(check(changed))) < found:
                reply = changed
        except Exception as error:  # noqa: BLE001 - its review will say that the check is broken
            _report.warning(
                "The check %s cannot mend (%s).", name_text_check(check), type(error).__name__
            )
    return reply


def choose_best_round(rounds: Sequence[Round[Reply, Verdict]]) -> Round[Reply, Verdict]:
    """The round with the fewest and least severe findings; of equal ones the last."""

    def rank_round(played: Round[Reply, Verdict]) -> tuple[bool, int, int, int]:
        errors = len(played.verdict.errors)
        warnings = len(played.verdict.findings) - errors
        return (is_blank(played.subject.text), errors, warnings, -played.number)

    return min(rounds, key=rank_round)


def _shorten_quote(quote: str) -> str:
    # A check of somebody's own may quote a number, and a judge anything at all.
    return Quoted(str(quote), "the reply").as_line(most=LONGEST_QUOTE)


def name_text_check(check: Check[Reply]) -> str:
    """What a check is called in a reply's metadata."""
    return check.name if isinstance(check, TextCheck) else getattr(check, "__name__", "check")
