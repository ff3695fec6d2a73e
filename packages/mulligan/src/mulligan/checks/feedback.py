"""What checks ask of a writer, what it is told of its reply, and which try was the best."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from mulligan.types.display import Quoted
from mulligan.types.engine import Round
from mulligan.types.finding import ABOUT_REPLY, Correction, Finding, Verdict
from mulligan.types.interfaces import Check
from mulligan.types.reply import Reply, TextCheck
from mulligan_dates.text import is_blank

LookAt = Callable[[Reply], Iterable[Finding]]


def asks(sentence: str, *, name: str = "") -> Callable[[LookAt], TextCheck]:
    """Say what a check of one's own asks for: `@asks("Write in British English.")`."""

    def with_its_requirement(look: LookAt) -> TextCheck:
        called = name or getattr(look, "__name__", "check")
        return TextCheck(name=called, look=look, asks=sentence)

    return with_its_requirement


def render_requirements(checks: Iterable[LookAt]) -> str:
    """A list of what the checks ask for. One that cannot say is left out."""
    wanted = [check.asks for check in checks if isinstance(check, TextCheck) and check.asks]
    return "\n".join(f"- {sentence}" for sentence in dict.fromkeys(wanted))


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
