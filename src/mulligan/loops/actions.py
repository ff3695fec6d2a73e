"""What tool calls did to the world: reviewed after the calls, before the answer is shown."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mulligan.core.action import UndoResult
from mulligan.core.call import Execution
from mulligan.core.finding import Correction, Finding, Verdict, reach_verdict
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

_report = logging.getLogger("mulligan")

ASK = "If you cannot know what is right, ask the person rather than guess."


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """One attempt as a check sees it."""

    turn: Turn
    executions: tuple[Execution, ...]
    """Every call that was made, in order, with raw values."""
    reply: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """One action of a rejected attempt, and what undoing it came to."""

    action: str
    tool: str
    what: str
    """The call in a few words, for the agent and for a person."""
    result: UndoResult | None
    """`None`: it cannot be undone at all."""
    why: str = ""


def review_attempt(
    attempted: Attempted, *, checks: Sequence[Check[Attempted]], attempt: int
) -> Verdict:
    """Run every check. One that breaks has given no answer, and no answer is never a pass."""
    findings: list[Finding] = []
    answered = True
    for check in checks:
        try:
            findings.extend(check(attempted))
        except Exception as error:  # noqa: BLE001 - a user's check may raise anything
            _report.warning(
                "A check failed (%s), so this attempt is not reviewed.", type(error).__name__
            )
            answered = False
    return reach_verdict(findings, answered=answered, attempt=attempt)


def render_correction(verdict: Verdict, taken_back: Iterable[TakenBack]) -> Correction:
    """Tell the agent what was wrong and what is true now; nothing is called restored unproven."""
    acted = list(taken_back)
    restored = [a for a in acted if a.result is UndoResult.RESTORED]
    standing = [a for a in acted if a.result is not UndoResult.RESTORED]
    lines = ["What you did was checked, and it was not what was asked for:", ""]
    for finding in verdict.errors:
        lines.append(f"- {finding.issue}")
        if finding.correction:
            lines.append(f"  Fix: {finding.correction}")
    if restored:
        lines += ["", "Taken back, and read back to be sure:"]
        lines += [f"- {a.what}" for a in restored]
    if standing:
        lines += ["", "Not taken back. It stands as it is now; do not do it again:"]
        lines += [f"- {a.what} ({_because(a)})" for a in standing]
    lines += ["", f"Try again with the fixes above. {ASK}"]
    return Correction(
        text="\n".join(lines),
        findings=verdict.errors,
        restored=tuple(a.action for a in restored),
        standing_actions=tuple(a.action for a in standing),
    )


def render_question(verdict: Verdict, taken_back: Iterable[TakenBack]) -> str:
    """What the person reads when the last attempt was rejected too."""
    lines = ["I could not do this reliably, so please check or tell me more:", ""]
    lines += [f"- {finding.issue}" for finding in verdict.errors]
    standing = [a for a in taken_back if a.result is not UndoResult.RESTORED]
    if standing:
        lines += ["", "Still in effect:"]
        lines += [f"- {a.what} ({_because(a)})" for a in standing]
    else:
        lines += ["", "Nothing of it is in effect: everything was taken back and read back."]
    return "\n".join(lines)


def _because(acted: TakenBack) -> str:
    match acted.result:
        case None:
            return "it cannot be undone"
        case UndoResult.CONFLICT:
            return "someone changed it since, and their version was left alone"
        case UndoResult.PARTIAL:
            return "only a part of it could be undone"
        case UndoResult.UNKNOWN:
            return "whether it was undone could not be read back"
        case _:
            return "undoing it failed"
