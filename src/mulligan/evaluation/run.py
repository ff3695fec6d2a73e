"""A golden set through a reply function and the checks, case by case."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mulligan.core.finding import Correction, Standing
from mulligan.core.replied import Replied
from mulligan.core.text import Written
from mulligan.evaluation.cases import Case
from mulligan.evaluation.writers import ReplyFunction
from mulligan.loops.replies import ReplyRules, write_reply
from mulligan.redaction.scrub import scrub


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What came of one case."""

    case: str
    question: str
    """Like `text` less secrets: it may come from the vault, and goes into pages and JSON."""
    iterations: int
    reflected: bool
    """Whether the first reply was rejected."""
    standing: Standing
    bound_reached: bool
    first_findings: tuple[str, ...]
    """Checks that had something to say of the first reply, by name of the rule."""
    last_findings: tuple[str, ...]
    seconds: float
    tokens: int
    judge_asked: int
    text: str


def watch_nothing(_: object) -> None:
    """For those who watch no progress; a report says what was sent although it was rejected."""


async def run_cases(
    cases: Iterable[Case],
    *,
    write: ReplyFunction,
    rules: ReplyRules,
    step: Callable[[Case], None] = watch_nothing,
    monotonic: Callable[[], float] = time.perf_counter,
) -> tuple[CaseResult, ...]:
    """Every case once, in order; `step` is called before each."""
    results: list[CaseResult] = []
    for case in cases:
        step(case)
        results.append(await _run(case, write=write, rules=rules, monotonic=monotonic))
    return tuple(results)


async def _run(
    case: Case, *, write: ReplyFunction, rules: ReplyRules, monotonic: Callable[[], float]
) -> CaseResult:
    tokens = 0

    async def reply(correction: Correction | None) -> str:
        nonlocal tokens
        written = await write(case, correction)
        if isinstance(written, Written):
            tokens += written.tokens
            return written.text
        return written

    began = monotonic()
    replied = await write_reply(
        reply, rules=rules, query=case.question, context=case.context, announce=watch_nothing
    )
    return _build_result(case, replied, seconds=monotonic() - began, tokens=tokens)


def _build_result(case: Case, replied: Replied, *, seconds: float, tokens: int) -> CaseResult:
    first = replied.iterations[0].verdict
    return CaseResult(
        case=case.id,
        question=scrub(case.question),
        iterations=len(replied.iterations),
        reflected=first.standing is Standing.REJECTED,
        standing=replied.standing,
        bound_reached=replied.bound_reached,
        first_findings=_list_rules(finding.rule for finding in first.findings),
        last_findings=_list_rules(finding.rule for finding in replied.findings),
        seconds=seconds,
        tokens=tokens,
        judge_asked=replied.judge_asked,
        text=scrub(replied.text),
    )


def _list_rules(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))
