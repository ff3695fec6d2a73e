"""The text about to be sent: checked, and written again with feedback until it is good."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.checks.feedback import choose_best_round, mend_reply, name_text_check, render_feedback
from mulligan.checks.file import VERIFIED, make_checks, make_verification, read_table
from mulligan.checks.grounding import Verification, Verified, Verifier
from mulligan.loops.briefs import ReplyBrief, Tools
from mulligan.loops.checking import run_text_checks
from mulligan.process.event_loop import call_aside, call_function, watch_steps
from mulligan.redaction.redactor import hide_in_findings
from mulligan.types.adapter import AgentWriter
from mulligan.types.display import is_long
from mulligan.types.engine import Loop, Round, run_loop
from mulligan.types.errors import ConfigurationError, OutsideTurnError
from mulligan.types.events import ReplyChecked, ReplySettled
from mulligan.types.finding import (
    Confidence,
    Correction,
    Finding,
    Severity,
    Standing,
    Verdict,
    reach_verdict,
)
from mulligan.types.interfaces import Check
from mulligan.types.limits import Budget, Meter
from mulligan.types.policy import Step, decide
from mulligan.types.reply import Iteration, Replied, Reply, Written, read_plain
from mulligan_dates.text import is_blank, is_number

ATTEMPTS = 3
"""The first try and two more: in practice what two rounds of feedback do not mend, ten do not
either, and every round is time a person waits. Settable, as everything here."""
FALLBACK = "I could not write an answer to this that I can stand behind. Please ask again."

_report = logging.getLogger("mulligan")

Write = Callable[[Correction | None], str | Reply | Written | Awaitable[str | Reply | Written]]
"""Writes a reply, told what was wrong with the one before; sync or async. A `Reply` may bring its
own context, and `Written` says what it took."""


class ReplyRules(Struct, frozen=True, kw_only=True):
    """What a reply is held to, and how often it may be written."""

    checks: Sequence[Check[Reply]] = ()
    verifier: Verifier | None = None
    """Asked only about replies that the checks let pass."""
    verify: Verification | None = None
    """Have claims verified by the application's judge, where there is one, without a `verifier`."""
    attempts: int = ATTEMPTS
    budget: Budget = field(default_factory=Budget)
    """What all tries and their checks may take together: by then the best reply goes out."""
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
        if not isinstance(self.fallback, str) or is_blank(self.fallback):
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
        budget=_read_budget(asked.get("seconds")),
        mend=mend,
    )


def _read_budget(seconds: object) -> Budget:
    if seconds is None:
        return Budget()
    if not is_number(seconds):
        raise ConfigurationError(f"seconds is {seconds!r}; write a number above 0.")
    return Budget(time=timedelta(seconds=seconds))


def warn_at_the_bound(event: ReplyChecked | ReplySettled) -> None:
    """What is told where nobody asked for more: that a rejected reply went out."""
    if isinstance(event, ReplySettled) and event.bound_reached:
        _report.warning(
            "A reply is sent although its %d attempts were rejected (%s).",
            event.iterations,
            ", ".join(sorted(set(event.rules))),
        )


async def write_reply(
    write: Write | AgentWriter,
    *,
    rules: ReplyRules,
    query: str = "",
    context: str | tuple[str, ...] = (),
    turn: str = "",
    announce: Callable[[ReplyChecked | ReplySettled], None] = warn_at_the_bound,
    monotonic: Callable[[], float] = time.monotonic,
) -> Replied:
    """Write a reply, check it, and write it again until it is good or a bound is reached.

    Never raises what the writer raised, never answers with nothing, and never later than the
    budget says, also where a writer or a check hangs: at a bound the best reply goes out, marked.
    """
    if not callable(write) and not isinstance(write, AgentWriter):
        raise ConfigurationError(
            f"{type(write).__name__} cannot write replies. Pass a function that takes the feedback "
            "on the reply before, or None, and returns text; agents and models by m.reply."
        )
    passages = (context,) if isinstance(context, str) else tuple(context)
    loop = _ReplyLoop(
        write,
        rules=rules,
        asked=Reply(text="", query=query, context=passages),
        turn=turn,
        announce=announce,
        meter=Meter(rules.budget, monotonic=monotonic),
    )
    return await loop.run()


class _ReplyLoop:
    """The functions of the engine, and what they share."""

    def __init__(
        self,
        write: Write | AgentWriter,
        *,
        rules: ReplyRules,
        asked: Reply,
        turn: str,
        announce: Callable[[ReplyChecked | ReplySettled], None],
        meter: Meter,
    ) -> None:
        self._write = write
        self._meter = meter
        self._last = ""
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
            written: object = await self._meter.wait_for(self._call_writer(correction))
        except TimeoutError:
            return self._record_failure("the writer took too long")
        except OutsideTurnError as error:
            # Our own words, which tell how to mend it.
            return self._record_failure(str(error).rstrip("."))
        except Exception as error:  # noqa: BLE001 - whatever a writer raises, a person waits
            return self._record_failure(f"the writer failed with {_name_failure(error)}")
        if isinstance(written, Written):
            self._meter.spend(tokens=written.tokens, money=written.money)
            written = written.text
        reply = replace(self._asked, text=written) if isinstance(written, str) else written
        if not isinstance(reply, Reply) or not isinstance(reply.text, str):
            return self._record_failure(f"the writer returned {type(written).__name__}, not text")
        if type(reply.text) is not str:
            reply = replace(reply, text=read_plain(reply.text))
        self._last = reply.text
        return await self._mend(reply) if self._rules.mend else reply

    async def _call_writer(self, correction: Correction | None) -> object:
        if not isinstance(self._write, AgentWriter):
            return await call_function(self._write, correction)
        brief = ReplyBrief(
            asked=self._asked,
            checks=self._rules.checks,
            meter=self._meter,
            tools=Tools(),
            last=self._last,
            correction=correction,
        )
        return await watch_steps(self._write.write(brief), name=self._write.name or "The writer")

    async def _mend(self, reply: Reply) -> Reply:
        if not is_long(reply.text, reply.context):
            return mend_reply(reply, self._rules.checks)
        mending = call_aside(mend_reply, reply, self._rules.checks)
        try:
            mended: Reply = await self._meter.wait_for(mending)
        except TimeoutError:
            return reply
        return mended

    def _record_failure(self, why: str) -> Reply:
        self._failure = why
        _report.warning("Attempt %d of a reply came to nothing: %s.", self._number, why)
        return self._asked

    async def _review(self, reply: Reply) -> Verdict:
        if is_blank(reply.text):
            verdict = reach_verdict([_build_empty_finding(self._failure)], attempt=self._number)
        else:
            verdict = await self._check_reply(reply)
        verdict = replace(verdict, findings=hide_in_findings(verdict.findings))
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
        findings, answered = await run_text_checks(reply, self._rules.checks, meter=self._meter)
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
            return await self._meter.wait_for(verifier.verify(reply))
        except Exception as error:  # noqa: BLE001 - a judge that breaks has not answered
            _report.warning("The judge failed (%s).", type(error).__name__)
            return None

    def _count(self, *, recalled: bool) -> None:
        self._recalled += recalled
        self._asked_judge += not recalled

    def _decide(self, reply: Reply, verdict: Verdict, number: int) -> Step:  # noqa: ARG002
        # Out of time or of money, this was the last try, whatever number it had.
        most = number if self._meter.used_up else self._rules.attempts
        return decide(verdict, attempt=number, attempts=most)

    async def _correct(self, reply: Reply, verdict: Verdict) -> Correction | None:  # noqa: ARG002
        feedback = render_feedback(verdict, self._rules.checks)
        self._feedback.append(feedback.text)
        return feedback

    def _build_result(self, rounds: Sequence[Round[Reply, Verdict]]) -> Replied:
        best = choose_best_round(rounds)
        bound_reached = best.verdict.standing is Standing.REJECTED
        reply = best.subject
        if is_blank(reply.text):
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
            limit="" if best.verdict.standing is Standing.ACCEPTED else self._meter.spent,
            tokens=self._meter.tokens,
            money=self._meter.money,
        )

    def _list_check_names(self) -> tuple[str, ...]:
        names = tuple(name_text_check(check) for check in self._rules.checks)
        return names if self._rules.verifier is None else (*names, VERIFIED)


def _name_failure(error: Exception) -> str:
    """The class of an error; of work that ended itself, what it raised."""
    kind = type(error).__name__
    return str(error) or kind if type(error) is ConnectionAbortedError else kind


def _build_empty_finding(failure: str | None) -> Finding:
    why = f" ({failure})" if failure else ""
    return Finding(
        rule="reply.empty",
        severity=Severity.ERROR,
        issue=f"There is no reply{why}.",
        correction="Write a reply.",
    )
