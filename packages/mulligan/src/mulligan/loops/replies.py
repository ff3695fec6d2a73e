"""Checks a reply before it is sent, and has it rewritten with feedback until it passes."""

from __future__ import annotations

import logging
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.checks.content import bind_rubrics
from mulligan.checks.feedback import (
    choose_best_round,
    fix_reply,
    list_skipped,
    name_text_check,
    render_feedback,
)
from mulligan.checks.file import VERIFIED, make_checks, make_verification, read_table
from mulligan.checks.grounding import Verification, Verified, Verifier
from mulligan.loops.briefs import ReplyBrief
from mulligan.loops.checking import run_text_checks
from mulligan.loops.streaming import Stream, collect_text
from mulligan.process.user_functions import (
    call_aside,
    iterate_answer,
    takes_arguments,
    watch_steps,
)
from mulligan.redaction.redactor import hide_in_findings, hide_secrets
from mulligan.types.adapter import AgentWriter
from mulligan.types.display import Spend, is_long
from mulligan.types.engine import Loop, Round, run_loop
from mulligan.types.errors import ConfigurationError, OutsideTurnError
from mulligan.types.events import ReplyChecked, ReplySettled
from mulligan.types.finding import (
    Confidence,
    Correction,
    Finding,
    Severity,
    Source,
    Standing,
    Verdict,
    reach_verdict,
)
from mulligan.types.interfaces import Check
from mulligan.types.limits import Budget, Meter, require_budget
from mulligan.types.policy import Step, decide
from mulligan.types.reply import (
    Iteration,
    OnFail,
    Replied,
    Reply,
    TextCheck,
    Written,
    list_passages,
    read_plain,
)
from mulligan.types.values import require_bool
from mulligan_dates.text import is_blank, is_number

ATTEMPTS = 3
"""The first try and two more. In practice, what two rounds of feedback do not fix, ten do not fix
either, and a person waits for every round."""
FALLBACK = "I could not write an answer to this that I can stand behind. Please ask again."

_report = logging.getLogger("mulligan")

Write = Callable[[Correction | None], str | Reply | Written | Awaitable[str | Reply | Written]]
"""Writes a reply, given feedback on the one before; sync or async, also piece by piece as a
generator. A `Reply` may bring its own context, and `Written` reports its usage."""


Rounds = Sequence[Round[Reply, Verdict]]
Checks = Sequence[Check[Reply]]
T = TypeVar("T")


class ReplyRules(Struct, frozen=True, kw_only=True):
    """The checks of a reply, and how often it may be written."""

    checks: Sequence[Check[Reply]] = ()
    verifier: Verifier | None = None
    """Asked only about replies that pass the checks."""
    verify: Verification | None = None
    """Without a `verifier`, have claims verified by the application's judge, where there is one."""
    attempts: int = ATTEMPTS
    budget: Budget = field(default_factory=Budget)
    """The limit of all tries and checks together: when it is used up, the best reply is sent."""
    fix: bool = False
    """Whether checks may fix what they find by rule before the writer is asked again."""
    fallback: str = FALLBACK
    """Sent where no attempt wrote anything."""

    def __post_init__(self) -> None:
        if type(self.attempts) is not int or self.attempts < 1:
            raise ConfigurationError(
                f"attempts is {self.attempts!r}; write a number of at least 1."
            )
        given: object = self.checks
        if not isinstance(given, Sequence) or isinstance(given, str):
            # An iterator would be exhausted after the first try.
            raise ConfigurationError(
                f"checks is a {type(given).__name__}; pass a list or a tuple of checks."
            )
        for check in self.checks:
            usable = callable(check) and not isinstance(check, type) and takes_arguments(check, 1)
            if not isinstance(check, TextCheck) and not usable:
                raise ConfigurationError(
                    f"checks has {check!r}, which is no function of a reply. Call what makes a "
                    "check, as in length(at_most=500); presets are named in m.reply(rules=…)."
                )
        if not isinstance(self.fallback, str) or is_blank(self.fallback):
            raise ConfigurationError(f"fallback is {self.fallback!r}; write a text for the person.")
        if not isinstance(self.verify, Verification | None):
            raise ConfigurationError(f"verify is {self.verify!r}; write Verification(), or None.")
        require_bool(self.fix, name="fix")
        require_budget(self.budget)


def load_reply_rules(name: str, *, verifier: Verifier | None = None) -> ReplyRules:
    """The rules of a preset, or of a TOML file, which may set `attempts` and `fix` too."""
    preset: dict[str, Any] = {"preset": name}
    asked = read_table(Path(name)) if name.endswith(".toml") else preset
    return ReplyRules(
        checks=make_checks(asked),
        verifier=verifier,
        verify=make_verification(asked),
        attempts=asked.get("attempts", ATTEMPTS),
        budget=_read_budget(asked.get("seconds")),
        fix=asked.get("fix", False),
        fallback=asked.get("fallback", FALLBACK),
    )


def read_reply_rules(rules: str | ReplyRules | Iterable[Check[Reply]]) -> ReplyRules:
    """The rules that a name, a file or a list of checks stands for."""
    if isinstance(rules, str):
        return load_reply_rules(rules)
    if isinstance(rules, ReplyRules):
        return rules
    if isinstance(rules, Mapping) or not isinstance(rules, Iterable):
        raise ConfigurationError(
            f"{type(rules).__name__} is no set of rules. Name a preset or a TOML file, or pass a "
            "list of checks, or ReplyRules(…)."
        )
    return ReplyRules(checks=tuple(rules))


def _read_budget(seconds: object) -> Budget:
    if seconds is None:
        return Budget()
    if not is_number(seconds):
        raise ConfigurationError(f"seconds is {seconds!r}; write a number above 0.")
    return Budget(time=timedelta(seconds=seconds))


def warn_at_the_bound(event: ReplyChecked | ReplySettled) -> None:
    """The default report: warns when a rejected reply was sent, or kept back."""
    if isinstance(event, ReplySettled) and (event.bound_reached or event.withheld):
        told = (
            "A reply is not sent: its %d" if event.withheld else "A reply is sent although its %d"
        )
        _report.warning(
            f"{told} attempts were rejected (%s).",
            event.iterations,
            ", ".join(sorted(set(event.rules))),
        )


async def write_reply(
    write: Write | AgentWriter,
    *,
    rules: ReplyRules,
    query: str = "",
    context: str | Iterable[str] = (),
    turn: str = "",
    announce: Callable[[ReplyChecked | ReplySettled], None] = warn_at_the_bound,
    monotonic: Callable[[], float] = time.monotonic,
    stream: Stream | None = None,
) -> Replied:
    """Write a reply, check it, and rewrite it until it passes or a limit is reached.

    Never raises the writer's errors, always returns an answer, and never exceeds the budget, even
    where a writer or a check hangs. At a limit the best reply is sent, marked.
    """
    if isinstance(write, type) or not (callable(write) or isinstance(write, AgentWriter)):
        kind = write.__name__ if isinstance(write, type) else type(write).__name__
        raise ConfigurationError(
            f"{kind} cannot write replies. Pass a function that takes the feedback "
            "on the reply before, or None, and returns text; agents and models by m.reply."
        )
    passages = list_passages(context)
    if not isinstance(query, str) or not all(isinstance(each, str) for each in passages):
        raise ConfigurationError("query and context are texts; pass context as one or a list.")
    meter = Meter(rules.budget, monotonic=monotonic)
    loop = _ReplyLoop(
        write,
        rules=bind_checks(rules, spend=meter.spend),
        asked=Reply(text="", query=query, context=passages),
        turn=turn,
        announce=announce,
        meter=meter,
        stream=stream,
    )
    return await loop.run()


def bind_checks(
    rules: ReplyRules,
    *,
    open_judge: Callable[[object], object] = lambda judge: judge,
    spend: Spend | None = None,
) -> ReplyRules:
    """The same rules, whose rubrics have their judge opened, and say what they take."""
    checks = bind_rubrics(rules.checks, open_judge=open_judge, spend=spend)
    return rules if checks is rules.checks else replace(rules, checks=checks)


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
        stream: Stream | None = None,
    ) -> None:
        self._write = write
        self._stream = stream
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
        self._unverified: set[int] = set()
        """Tries that the rules rejected, so that the judge was not asked about them."""
        self._policies: dict[int, set[OnFail]] = {}
        """By try, the policies of the checks that it failed, or that gave no answer."""

    async def run(self) -> Replied:
        rounds = await run_loop(
            Loop(
                attempt=self._attempt,
                review=self._review,
                decide=self._decide,
                correct=self._correct,
            )
        )
        played, best = await self._choose_best(rounds)
        replied = self._build_result(played, best, await self._list_skipped(best.subject))
        if self._stream is not None:
            self._stream.show(replied.text)
        self._announce(
            ReplySettled(
                turn=self._turn,
                iterations=len(rounds),
                standing=replied.standing,
                bound_reached=replied.bound_reached,
                rules=tuple(finding.rule for finding in replied.findings),
                withheld=replied.withheld,
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
            # Our own message, which says how to fix it.
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
        return await self._call_bounded(self._fix, reply, otherwise=reply)

    async def _call_writer(self, correction: Correction | None) -> object:
        write = self._write
        if isinstance(write, AgentWriter):
            return await self._collect(iterate_answer(self._call_agent, write, correction))
        return await self._collect(iterate_answer(write, correction))

    async def _call_agent(self, agent: AgentWriter, correction: Correction | None) -> str:
        brief = ReplyBrief(
            asked=self._asked,
            checks=self._rules.checks,
            meter=self._meter,
            last=self._last,
            correction=correction,
        )
        return await watch_steps(agent.write(brief), name=agent.name or "The writer")

    async def _collect(self, pieces: AsyncIterator[object]) -> object:
        """What is written, shown on the way where every check can decide there."""
        checks = self._rules.checks
        decisive = [each for each in checks if _read_policy(each) is not OnFail.SEND]
        early = [
            each
            for each in decisive
            if isinstance(each, TextCheck) and each.early and not self._may_fix(each)
        ]

        async def look(text: str) -> bool:
            begun = replace(self._asked, text=text)
            checked = await run_text_checks(begun, early, meter=self._meter)
            return all(said and not _has_error(found) for _, found, said in checked)

        releases = self._rules.verifier is None and len(early) == len(decisive)
        return await collect_text(pieces, self._stream, look=look, releases=releases)

    def _fix(self, reply: Reply, checks: Checks) -> Reply:
        """Fix by rule what may be fixed."""
        wanted = [each for each in checks if isinstance(each, TextCheck) and self._may_fix(each)]
        return fix_reply(reply, wanted) if wanted else reply

    def _may_fix(self, check: TextCheck) -> bool:
        return check.fix is not None and (self._rules.fix or check.on_fail is OnFail.REPAIR)

    async def _list_skipped(self, reply: Reply) -> tuple[str, ...]:
        late: tuple[str, ...] = ("There was no time to say what the checks skip.",)
        said = await self._call_bounded(list_skipped, reply, otherwise=late)
        return tuple(map(hide_secrets, said))

    async def _call_bounded(
        self, function: Callable[[Reply, Checks], T], reply: Reply, *, otherwise: T
    ) -> T:
        """What a function of ours says of a reply and the checks; of a long one on a thread."""
        if not is_long(reply.text, reply.context):
            return function(reply, self._rules.checks)
        try:
            said: T = await self._meter.wait_for(call_aside(function, reply, self._rules.checks))
        except TimeoutError:
            return otherwise
        return said

    def _record_failure(self, why: str) -> Reply:
        self._failure = why
        _report.warning("Attempt %d of a reply failed: %s.", self._number, why)
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
        findings, answered = await self._run_checks(reply)
        verifier, confirmed = self._rules.verifier, False
        if verifier is None and self._verified_by.withholds:
            _report.warning("Claims are to be verified, and there is no judge that could.")
            self._note_policy(self._number, self._verified_by, (), answered=False)
            answered = False
        elif verifier is not None and _has_error(findings):
            self._unverified.add(self._number)
        elif verifier is not None:
            verified = await self._verify_reply(reply, verifier)
            claims = [] if verified is None else [*verifier.list_findings(verified.claims)]
            self._note_policy(
                self._number, self._verified_by, claims, answered=verified is not None
            )
            findings += claims
            answered = answered and verified is not None
            confirmed = verified is not None and verified.confirmed
        return reach_verdict(
            findings,
            answered=answered,
            looked=bool(self._rules.checks) or verifier is not None,
            confirmed=confirmed,
            attempt=self._number,
        )

    async def _run_checks(self, reply: Reply) -> tuple[list[Finding], bool]:
        findings: list[Finding] = []
        answered = True
        checked = await run_text_checks(reply, self._rules.checks, meter=self._meter)
        for check, found, said in checked:
            self._note_policy(self._number, _read_policy(check), found, answered=said)
            findings += found
            answered = answered and said
        return findings, answered

    @property
    def _verified_by(self) -> OnFail:
        return OnFail.RETRY if self._rules.verify is None else self._rules.verify.on_fail

    def _note_policy(
        self, number: int, policy: OnFail, found: Sequence[Finding], *, answered: bool
    ) -> None:
        """Note what a check wants done: with an error in a reply, or with what it never saw."""
        if _has_error(found) or (policy.withholds and not answered):
            self._policies.setdefault(number, set()).add(policy)

    def _is_withheld(self, number: int) -> bool:
        return any(policy.withholds for policy in self._policies.get(number, ()))

    async def _choose_best(self, rounds: Rounds) -> tuple[Rounds, Round[Reply, Verdict]]:
        """The rounds, and the best of those that were looked at alike.

        A try that the rules rejected is verified where it would win: else it would count fewer
        errors only because the judge was not asked.
        """
        while (best := self._rank(rounds)).number in self._unverified:
            verifier, verified = self._rules.verifier, None
            if verifier is not None and not self._meter.used_up:
                verified = await self._verify_reply(best.subject, verifier)
            answered = verifier is not None and verified is not None
            if not (answered or self._verified_by.withholds):
                return rounds, self._rank(rounds, by=(Source.CHECK,))
            self._unverified.discard(best.number)
            found = verifier.list_findings(verified.claims) if verifier and verified else ()
            claims = hide_in_findings(tuple(found))
            self._note_policy(best.number, self._verified_by, claims, answered=answered)
            verdict = replace(best.verdict, findings=(*best.verdict.findings, *claims))
            seen = replace(best, verdict=verdict)
            rounds = [seen if each.number == best.number else each for each in rounds]
        return rounds, best

    def _rank(
        self, rounds: Rounds, *, by: Collection[Source] = tuple(Source)
    ) -> Round[Reply, Verdict]:
        withheld = [each.number for each in rounds if self._is_withheld(each.number)]
        return choose_best_round(rounds, by=by, withheld=withheld)

    async def _verify_reply(self, reply: Reply, verifier: Verifier) -> Verified | None:
        try:
            asking = verifier.verify(reply, spend=self._meter.spend)
            verified = await self._meter.wait_for(asking)
        except Exception as error:  # noqa: BLE001 - a judge that fails has not answered
            _report.warning("The judge failed (%s).", type(error).__name__)
            verified = None
        recalled = verified is not None and verified.recalled
        self._recalled += recalled
        self._asked_judge += not recalled
        return verified

    def _decide(self, reply: Reply, verdict: Verdict, number: int) -> Step:  # noqa: ARG002
        # Out of time or money, this was the last try; so it is where it is to be sent, marked.
        content = self._policies.get(number) == {OnFail.SEND}
        most = number if self._meter.used_up or content else self._rules.attempts
        return decide(verdict, attempt=number, attempts=most)

    async def _correct(self, reply: Reply, verdict: Verdict) -> Correction | None:  # noqa: ARG002
        feedback = render_feedback(verdict, self._rules.checks)
        self._feedback.append(feedback.text)
        return feedback

    def _build_result(
        self, rounds: Rounds, best: Round[Reply, Verdict], skipped: tuple[str, ...]
    ) -> Replied:
        withheld = self._choose_withheld(best)
        rejected = best.verdict.standing is Standing.REJECTED
        bound_reached = rejected and withheld is None
        unsure = bool(skipped) and best.verdict.standing is Standing.ACCEPTED
        reply = best.subject
        if is_blank(reply.text) or withheld is not None:
            reply = replace(reply, text=self._rules.fallback)
        names = map(name_text_check, self._rules.checks)
        return Replied(
            reply=reply,
            standing=best.verdict.standing,
            confidence=Confidence.LOW if rejected or unsure else best.verdict.confidence,
            findings=best.verdict.findings,
            iterations=tuple(
                Iteration(reply=played.subject, verdict=played.verdict, feedback=told)
                for played, told in zip(rounds, [*self._feedback, ""], strict=True)
            ),
            bound_reached=bound_reached,
            withheld=withheld,
            kept_back=best.subject if withheld is not None else None,
            checks_run=(*names, *(() if self._rules.verifier is None else (VERIFIED,))),
            not_looked_at=skipped,
            judge_asked=self._asked_judge,
            judge_recalled=self._recalled,
            limit="" if best.verdict.standing is Standing.ACCEPTED else self._meter.spent,
            tokens=self._meter.tokens,
            money=self._meter.money,
            seconds=self._meter.seconds,
        )

    def _choose_withheld(self, best: Round[Reply, Verdict]) -> OnFail | None:
        """Why the best try is not sent; a person comes before a fallback."""
        if is_blank(best.subject.text) or not self._is_withheld(best.number):
            return None
        held = OnFail.HOLD in self._policies[best.number]
        return OnFail.HOLD if held else OnFail.FALLBACK


def _has_error(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _read_policy(check: object) -> OnFail:
    return check.on_fail if isinstance(check, TextCheck) else OnFail.RETRY


def _name_failure(error: Exception) -> str:
    """The class of an error; of work that ended itself, the exception it raised."""
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
