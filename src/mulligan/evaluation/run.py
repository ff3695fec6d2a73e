"""A golden set through a writer and the reply loop itself, several cases at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from mulligan.checks.text.fold import is_blank
from mulligan.core.adapter import AgentWriter
from mulligan.core.finding import Correction, Severity, Standing, Verdict
from mulligan.core.text import Replied, Reply, Written
from mulligan.core.waiting.awaiting import call_function
from mulligan.evaluation.cases import Case
from mulligan.evaluation.report import UNSEEN, CaseResult
from mulligan.evaluation.writers import ReplyFunction
from mulligan.loops.replies import ReplyRules, write_reply
from mulligan.redaction.scrub import scrub

AT_ONCE = 8
"""Cases under way at a time: a live model answers about so many before it limits its rate."""


def watch_nothing(_: object) -> None:
    """For those who watch no progress; a report says what was sent although it was rejected."""


async def run_cases(
    cases: Sequence[Case],
    *,
    write: ReplyFunction | AgentWriter,
    rules: ReplyRules,
    step: Callable[[Case], None] = watch_nothing,
    at_once: int = AT_ONCE,
    monotonic: Callable[[], float] = time.perf_counter,
) -> tuple[CaseResult, ...]:
    """Every case once, the results in their order; `step` is called after each."""
    room = asyncio.Semaphore(at_once)

    async def run(case: Case) -> CaseResult:
        async with room:
            result = await _run(case, write=write, rules=rules, monotonic=monotonic)
        step(case)
        return result

    return tuple(await asyncio.gather(*map(run, cases)))


async def _run(
    case: Case,
    *,
    write: ReplyFunction | AgentWriter,
    rules: ReplyRules,
    monotonic: Callable[[], float],
) -> CaseResult:
    async def reply(correction: Correction | None) -> str | Reply | Written:
        written: str | Reply | Written = await call_function(write, case, correction)  # type: ignore[arg-type]
        return written

    began = monotonic()
    replied = await write_reply(
        # What writes in production is told the same here: by the loop itself.
        write if isinstance(write, AgentWriter) else reply,
        rules=rules,
        query=case.question,
        context=case.context,
        announce=watch_nothing,
        monotonic=monotonic,
    )
    return _build_result(case, replied, seconds=monotonic() - began)


def _build_result(case: Case, replied: Replied, *, seconds: float) -> CaseResult:
    first = replied.iterations[0]
    written = [not is_blank(iteration.reply.text) for iteration in replied.iterations]
    judged = written[0] and first.verdict.standing not in UNSEEN
    return CaseResult(
        case=case.id,
        question=scrub(case.question),
        iterations=len(replied.iterations),
        reflected=judged and first.verdict.standing is Standing.REJECTED,
        standing=replied.standing,
        bound_reached=replied.bound_reached,
        first_findings=_list_rules(first.verdict, Severity.ERROR),
        first_warnings=_list_rules(first.verdict, Severity.WARNING),
        last_findings=tuple(dict.fromkeys(finding.rule for finding in replied.findings)),
        seconds=seconds,
        tokens=replied.tokens,
        judge_asked=replied.judge_asked,
        first_text=scrub(first.reply.text),
        text=scrub(replied.text),
        limit=replied.limit,
        silent=not any(written),
        judged=judged,
    )


def _list_rules(verdict: Verdict, severity: Severity) -> tuple[str, ...]:
    found = (finding.rule for finding in verdict.findings if finding.severity is severity)
    return tuple(dict.fromkeys(found))
