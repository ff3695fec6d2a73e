"""The whole of `mulligan evaluate` but its surface: rules by name or file, a run, a report.

Cases go through a writer and the reply loop itself, several at a time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from mulligan.evaluation.cases import Case, load_golden_cases
from mulligan.evaluation.page import render_comparison, render_report
from mulligan.evaluation.report import LIMIT, UNSEEN, CaseResult, Comparison, Report, compare
from mulligan.evaluation.writers import ReplyFunction, ScriptedWriter
from mulligan.loops.replies import ReplyRules, load_reply_rules, write_reply
from mulligan.process.event_loop import call_function
from mulligan.redaction.scrub import scrub
from mulligan.types.adapter import AgentWriter
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Correction, Severity, Standing, Verdict
from mulligan.types.private_file import write_private
from mulligan.types.reply import Replied, Reply, Written
from mulligan_dates.text import is_blank

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
            result = await _run_case(case, write=write, rules=rules, monotonic=monotonic)
        step(case)
        return result

    return tuple(await asyncio.gather(*map(run, cases)))


async def _run_case(
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


Step = Callable[[Case], None]
"""Called after each case: what a progress bar needs."""

Rules = str | ReplyRules
"""A preset, a TOML file, or rules as production has them: `m.load_rules(…)`."""

AnyWriter = ReplyFunction | AgentWriter

UNVERIFIED = "Claims were not verified by a judge: the rules ask for one, and none was named."


async def evaluate(
    checks: Rules = "marketing",
    *,
    cases: Sequence[Case] | None = None,
    write: AnyWriter | None = None,
    limit: int | None = None,
    step: Step = watch_nothing,
) -> Report:
    """Run a set through a writer and the reply loop, as production does.

    Without anything said: the set and the scripted writer that ship with Mulligan. A set of one's
    own needs a writer of its own; `find_agent` makes one of an agent or a model.
    """
    chosen = (load_golden_cases() if cases is None else cases)[:limit]
    if write is None and cases is not None:
        raise ConfigurationError(
            "Nobody writes the replies of this set. Pass write=…: a function of the case and what "
            "was wrong before, find_agent(agent), or build_replay_writer() for recorded ones."
        )
    return await _run_rules(checks, cases=chosen, write=write or ScriptedWriter(), step=step)


async def evaluate_both(
    before: Rules,
    after: Rules,
    *,
    cases: Sequence[Case] | None = None,
    write: Callable[[], AnyWriter] = ScriptedWriter,
    limit: int | None = None,
    allowed: float = LIMIT,
    step: Step = watch_nothing,
) -> Comparison:
    """Run the same cases under two sets of checks, each with a writer of its own, and compare."""
    chosen = (load_golden_cases() if cases is None else cases)[:limit]
    first, second = [
        await _run_rules(rules, cases=chosen, write=write(), step=step) for rules in (before, after)
    ]
    return compare(first, second, limit=allowed)


def write_page(outcome: Report | Comparison, path: Path) -> None:
    """The HTML page of a run or of a comparison, for its owner alone: it quotes what was asked."""
    page = render_report(outcome) if isinstance(outcome, Report) else render_comparison(outcome)
    write_private(path, page)


async def _run_rules(
    checks: Rules, *, cases: Sequence[Case], write: AnyWriter, step: Step
) -> Report:
    rules = load_reply_rules(checks) if isinstance(checks, str) else checks
    at = datetime.now(UTC)
    results = await run_cases(cases, write=write, rules=rules, step=step)
    unverified = rules.verify is not None and rules.verifier is None
    return Report(
        results=results,
        name=Path(checks).name.removesuffix(".toml") if isinstance(checks, str) else "",
        writer=name_writer(write),
        at=at,
        notes=(UNVERIFIED,) if unverified else (),
    )


def name_writer(write: AnyWriter) -> str:
    """What a report calls whoever wrote."""
    if isinstance(write, AgentWriter):
        return write.name
    if isinstance(write, ScriptedWriter):
        return "a script with typical mistakes"
    return str(getattr(write, "__name__", type(write).__name__))
