"""What checks ask of a writer, what it is told about its reply, and which try was the best."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec.structs import replace

from mulligan.types.display import Quoted
from mulligan.types.engine import Round
from mulligan.types.finding import ABOUT_REPLY, Correction, Finding, Severity, Source, Verdict
from mulligan.types.interfaces import Check
from mulligan.types.reply import Reply, TextCheck
from mulligan_dates.text import is_blank

LookAt = Callable[[Reply], Iterable[Finding]]


def asks(sentence: str, *, name: str = "") -> Callable[[LookAt], TextCheck]:
    """Declare what your own check asks for: `@asks("Write in British English.")`."""

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
    """What the writer is told: each issue, the words it is about, how to fix it, the rules."""
    lines = [ABOUT_REPLY, "", "What is wrong:"]
    for finding in verdict.errors:
        lines.append(f"- {finding.issue}")
        if finding.quote:
            # A user's check may quote a number, and a judge anything at all.
            quote = Quoted(str(finding.quote), "the reply").as_line(most=LONGEST_QUOTE)
            lines.append(f"  Where: {quote}")
        if finding.correction:
            lines.append(f"  Fix: {finding.correction}")
    if requirements := render_requirements(checks):
        lines += ["", "Requirements:", requirements]
    lines += ["", "Write the whole reply again, with these fixes and nothing else changed."]
    return Correction(text="\n".join(lines), findings=verdict.errors)


def fix_reply(reply: Reply, checks: Iterable[Check[Reply]]) -> Reply:
    """The reply with every fix that a rule can make. A fix that changes nothing is dropped."""
    for check in checks:
        if not isinstance(check, TextCheck) or check.fix is None:
            continue
        try:
            if not (found := len(list(check(reply)))):
                continue
            changed = replace(reply, text=check.fix(reply.text))
            if len(list(check(changed))) < found:
                reply = changed
        except Exception as error:  # noqa: BLE001 - its review will say that the check is broken
            _report.warning(
                "The fix of the check %s failed (%s).", name_text_check(check), type(error).__name__
            )
    return reply


def list_skipped(reply: Reply, checks: Iterable[Check[Reply]]) -> tuple[str, ...]:
    """What the checks could not look at, a sentence each."""
    said: list[str] = []
    for check in checks:
        if not isinstance(check, TextCheck) or check.skips is None:
            continue
        try:
            if check.unless is None or not check.unless(reply):
                said += check.skips(reply)
        except Exception as error:  # noqa: BLE001 - a user's check may raise anything
            why = f"The check {name_text_check(check)} cannot say what it skips"
            said.append(f"{why} ({type(error).__name__}).")
    return tuple(dict.fromkeys(said))


def choose_best_round(
    rounds: Sequence[Round[Reply, Verdict]],
    *,
    by: Collection[Source] = tuple(Source),
    withheld: Collection[int] = (),
) -> Round[Reply, Verdict]:
    """The round with the fewest and least severe findings of these; of equal ones the last.

    One that is `withheld`, by its number, comes after all that may be sent.
    """

    def rank_round(played: Round[Reply, Verdict]) -> tuple[bool, bool, int, int, int]:
        found = [finding for finding in played.verdict.findings if finding.source in by]
        errors = sum(finding.severity is Severity.ERROR for finding in found)
        warnings = len(found) - errors
        blank, kept_back = is_blank(played.subject.text), played.number in withheld
        return (blank, kept_back, errors, warnings, -played.number)

    return min(rounds, key=rank_round)


def name_text_check(check: Check[Reply]) -> str:
    """What a check is called in a reply's metadata."""
    return check.name if isinstance(check, TextCheck) else getattr(check, "__name__", "check")
