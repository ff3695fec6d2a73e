"""The text about to be sent: checked, and written again with feedback until it is good."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mulligan.checks.file import VERIFIED, make_checks, make_verification, read_table
from mulligan.checks.grounding.verified import Verification, Verified, Verifier
from mulligan.checks.requirements import render_requirements
from mulligan.checks.text.fold import normalize_spaces
from mulligan.core.awaiting import await_value
from mulligan.core.engine import Loop, Round, run_loop
from mulligan.core.errors import ConfigurationError
from mulligan.core.finding import (
    Confidence,
    Correction,
    Finding,
    Severity,
    Standing,
    Verdict,
    reach_verdict,
)
from mulligan.core.interfaces import Check
from mulligan.core.policy import Step, decide
from mulligan.core.quoted import Quoted
from mulligan.core.text import Reply, TextCheck
from mulligan.core.text_event import ReplyChecked, ReplySettled
from mulligan.loops.checking import run_checks_aside

ATTEMPTS = 3
"""The first try and two more: in practice what two rounds of feedback do not mend, ten do not
either, and every round is time a person waits. Settable, as everything here."""
FALLBACK = "I could not write an answer to this that I can stand behind. Please ask again."
LONGEST_QUOTE = 200

_report = logging.getLogger("mulligan")

Write = Callable[[Correction | None], Awaitable[str | Reply]]
"""Writes a reply, told what was wrong with the one before. May bring its own context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRules:
    """What a reply is held to, and how often it may be written."""

    checks: Sequence[Check[Reply]] = ()
    verifier: Verifier | None = None
    """Asked only about replies that the checks let pass."""
    verify: Verification | None = None
    """Have claims verified by the application's judge, where there is one, without a `verifier`."""
    attempts: int = ATTEMPTS
    mend: bool = False
    """Whether a check that can put right by rule what it found may do so first."""
    fallback: str = FALLBACK
    """Sent where no attempt wrote anything at all."""

    def __post_init__(self) -> None:
        if type(self.attempts) is not int or self.attempts < 1:
            raise ConfigurationError(f"attempts is {self.attempts!r}; write a number from 1 on.")
        if not isinstance(self.checks, Sequence):
            # What can be read only once would find nothing in the second try.
            raise ConfigurationError(
                f"checks is a {type(self.checks).__name__}; pass a list or a tuple of checks."
            )
        if not isinstance(self.fallback, str) or not normalize_spaces(self.fallback):
            raise ConfigurationError(
                f"fallback is {self.fallback!r}; write what a person can read."
            )


def load_reply_rules(name: str, *, verifier: Verifier | None = None) -> ReplyRules:
    """The rules of a preset, or of a TOML file, which may set `attempts` and `mend` too."""
    preset: dict[str, Any] = {"preset": name}
    asked = read_table(Path(name)) if name.endswith(".toml") else preset
    mend = asked.get("mend", False)
    if type(mend) is not bool:
        raise ConfigurationError(f"mend is {mend!r}; write true or false.")
    return ReplyRules(
        checks=make_checks(asked),
        verifier=verifier,
        verify=make_verification(asked),
        attempts=asked.get("attempts", ATTEMPTS),
        mend=mend,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One try of a reply, and what was found in it."""

    reply: Reply
    verdict: Verdict
    feedback: str = ""
    """What the next try was told; empty for the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """The reply that goes out, and how it came to be."""

    reply: Reply
    standing: Standing
    confidence: Confidence | None
    findings: tuple[Finding, ...]
    """What is still wrong with it; empty when nothing is."""
    iterations: tuple[Iteration, ...]
    bound_reached: bool
    """Sent although it was rejected: marked, and worth a look by a person."""
    checks_run: tuple[str, ...]
    judge_asked: int = 0
    judge_recalled: int = 0

    @property
    def text(self) -> str:
        """What the person reads."""
        return self.reply.text

    @property
    def metadata(self) -> Mapping[str, object]:
        """What travels with the reply, ready for JSON."""
        return {
            "iteration_count": len(self.iterations),
            "reflection_feedback": "\n\n".join(i.feedback for i in self.iterations if i.feedback),
            "findings": [
                [_encode_finding(each) for each in i.verdict.findings] for i in self.iterations
            ],
            "checks_run": list(self.checks_run),
            "judge": {"asked": self.judge_asked, "recalled": self.judge_recalled},
            "standing": self.standing.value,
            "confidence": self.confidence.value if self.confidence else None,
            "bound_reached": self.bound_reached,
        }


def warn_at_the_bound(event: ReplyChecked | ReplySettled) -> None:
    """What is told where nobody asked for more: that a rejected reply went out."""
    if isinstance(event, ReplySettled) and event.bound_reached:
        _report.warning(
            "A reply is sent although its %d attempts were rejected (%s).",
            event.iterations,
            ", ".join(sorted(set(event.rules))),
        )


async def write_reply(
    write: Write,
    *,
    rules: ReplyRules,
    query: str = "",
    context: tuple[str, ...] = (),
    turn: str = "",
    announce: Callable[[ReplyChecked | ReplySettled], None] = warn_at_the_bound,
) -> Replied:
    """Write a reply, check it, and write it again until it is good or the bound is reached.

    Never raises what the writer raised, and never answers with nothing, also where the writer
    returns something that is no text: at the bound the best reply goes out, marked.
    """
    if not callable(write):
        raise ConfigurationError(
            f"{type(write).__name__} cannot write replies. Pass an async function that takes the "
            "feedback on the reply before, or None, and returns text."
        )
    asked = Reply(text="", query=query, context=context)
    loop = _ReplyLoop(write, rules=rules, asked=asked, turn=turn, announce=announce)
    return await loop.run()


def render_feedback(verdict: Verdict, checks: Iterable[Check[Reply]]) -> Correction:
    """What the writer is told: each issue, the words it is about, how to mend it, the rules."""
    lines = ["Your reply was checked and cannot go out as it is.", "", "What is wrong:"]
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


class _ReplyLoop:
    """The functions of the engine, and what they share."""

    def __init__(
        self,
        write: Write,
        *,
        rules: ReplyRules,
        asked: Reply,
        turn: str,
        announce: Callable[[ReplyChecked | ReplySettled], None],
    ) -> None:
        self._write = write
        self._rules = rules
        self._asked = asked
        self._turn = turn
        self._announce = announce
        self._feedback: list[str] = []
        self._failure: str | None = None
        self._number = 0
        self._asked_judge = 0
        self._recalled = 0

    async def run(self) -> Replied:
        rounds = await run_loop(
            Loop(
                attempt=self._attempt,
                review=self._review,
                decide=self._decide,
                correct=self._correct,
            )
        )
        replied = self._build_result(rounds)
        self._announce(
            ReplySettled(
                turn=self._turn,
                iterations=len(rounds),
                standing=replied.standing,
                bound_reached=replied.bound_reached,
                rules=tuple(finding.rule for finding in replied.findings),
            )
        )
        return replied

    async def _attempt(self, number: int, correction: Correction | None) -> Reply:
        self._number = number
        self._failure = None
        try:
            written: object = await await_value(self._write(correction))
        except Exception as error:  # noqa: BLE001 - whatever a writer raises, a person waits
            return self._record_failure(f"the writer failed with {type(error).__name__}")
        reply = replace(self._asked, text=written) if isinstance(written, str) else written
        if not isinstance(reply, Reply) or not isinstance(reply.text, str):
            return self._record_failure(f"the writer returned {type(written).__name__}, not text")
        return mend_reply(reply, self._rules.checks) if self._rules.mend else reply

    def _record_failure(self, why: str) -> Reply:
        self._failure = why
        _report.warning("Attempt %d of a reply came to nothing: %s.", self._number, why)
        return self._asked

    async def _review(self, reply: Reply) -> Verdict:
        if not normalize_spaces(reply.text):
            verdict = reach_verdict([_build_empty_finding(self._failure)], attempt=self._number)
        else:
            verdict = await self._check_reply(reply)
        self._announce(
            ReplyChecked(
                turn=self._turn,
                number=self._number,
                standing=verdict.standing,
                rules=tuple(finding.rule for finding in verdict.findings),
            )
        )
        return verdict

    async def _check_reply(self, reply: Reply) -> Verdict:
        findings, answered = await run_checks_aside(
            reply, self._rules.checks, reads=(reply.text, reply.query, reply.context)
        )
        verifier, confirmed = self._rules.verifier, False
        rejected = any(finding.severity is Severity.ERROR for finding in findings)
        if verifier is not None and not rejected:
            verified = await self._verify_reply(reply, verifier)
            if verified is None:
                answered = False
            else:
                findings += verifier.list_findings(verified.claims)
                confirmed = verified.confirmed
            self._count(recalled=verified is not None and verified.recalled)
        return reach_verdict(
            findings,
            answered=answered,
            looked=bool(self._rules.checks) or verifier is not None,
            confirmed=confirmed,
            attempt=self._number,
        )

    async def _verify_reply(self, reply: Reply, verifier: Verifier) -> Verified | None:
        try:
            return await verifier.verify(reply)
        except Exception as error:  # noqa: BLE001 - a judge that breaks has not answered
            _report.warning("The judge failed (%s).", type(error).__name__)
            return None

    def _count(self, *, recalled: bool) -> None:
        self._recalled += recalled
        self._asked_judge += not recalled

    def _decide(self, reply: Reply, verdict: Verdict, number: int) -> Step:  # noqa: ARG002
        return decide(verdict, attempt=number, attempts=self._rules.attempts)

    async def _correct(self, reply: Reply, verdict: Verdict) -> Correction | None:  # noqa: ARG002
        feedback = render_feedback(verdict, self._rules.checks)
        self._feedback.append(feedback.text)
        return feedback

    def _build_result(self, rounds: Sequence[Round[Reply, Verdict]]) -> Replied:
        best = choose_best_round(rounds)
        bound_reached = best.verdict.standing is Standing.REJECTED
        reply = best.subject
        if not normalize_spaces(reply.text):
            reply = replace(reply, text=self._rules.fallback)
        return Replied(
            reply=reply,
            standing=best.verdict.standing,
            confidence=Confidence.LOW if bound_reached else best.verdict.confidence,
            findings=best.verdict.findings,
            iterations=tuple(
                Iteration(reply=played.subject, verdict=played.verdict, feedback=told)
                for played, told in zip(rounds, [*self._feedback, ""], strict=True)
            ),
            bound_reached=bound_reached,
            checks_run=self._list_check_names(),
            judge_asked=self._asked_judge,
            judge_recalled=self._recalled,
        )

    def _list_check_names(self) -> tuple[str, ...]:
        names = tuple(_name_check(check) for check in self._rules.checks)
        return names if self._rules.verifier is None else (*names, VERIFIED)


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
                "The check %s cannot mend (%s).", _name_check(check), type(error).__name__
            )
    return reply


def choose_best_round(rounds: Sequence[Round[Reply, Verdict]]) -> Round[Reply, Verdict]:
    """The round with the fewest and least severe findings; of equal ones the last."""

    def rank_round(played: Round[Reply, Verdict]) -> tuple[bool, int, int, int]:
        errors = len(played.verdict.errors)
        warnings = len(played.verdict.findings) - errors
        return (not normalize_spaces(played.subject.text), errors, warnings, -played.number)

    return min(rounds, key=rank_round)


def _build_empty_finding(failure: str | None) -> Finding:
    why = f" ({failure})" if failure else ""
    return Finding(
        rule="reply.empty",
        severity=Severity.ERROR,
        issue=f"There is no reply{why}.",
        correction="Write a reply.",
    )


def _name_check(check: Check[Reply]) -> str:
    return check.name if isinstance(check, TextCheck) else getattr(check, "__name__", "check")


def _shorten_quote(quote: str) -> str:
    # A check of somebody's own may quote a number, and a judge anything at all.
    return Quoted(str(quote), "the reply").as_line(most=LONGEST_QUOTE)


def _encode_finding(finding: Finding) -> dict[str, str]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "issue": finding.issue,
        "quote": finding.quote,
    }
