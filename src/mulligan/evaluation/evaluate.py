"""The whole of `mulligan evaluate` but its surface: rules by name or file, a run, a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from mulligan.checks.grounding.verified import Verifier
from mulligan.evaluation.cases import Case, load_golden_cases
from mulligan.evaluation.compare import LIMIT, Comparison, compare
from mulligan.evaluation.files import write_private
from mulligan.evaluation.page import render_comparison, render_report
from mulligan.evaluation.report import Report
from mulligan.evaluation.run import run_cases, watch_nothing
from mulligan.evaluation.writers import ReplyFunction, ScriptedWriter
from mulligan.loops.replies import ReplyRules, load_reply_rules

Step = Callable[[Case], None]
"""Called before each case: what a progress bar needs."""


async def evaluate(
    checks: str = "marketing",
    *,
    cases: Sequence[Case] | None = None,
    write: ReplyFunction | None = None,
    verifier: Verifier | None = None,
    limit: int | None = None,
    step: Step = watch_nothing,
) -> Report:
    """Run a set through a reply function and the checks of a preset or a TOML file.

    Without anything said: the set and the scripted writer that ship with Mulligan.
    """
    rules = load_reply_rules(checks, verifier=verifier)
    return await _run(rules, name=checks, cases=_choose_cases(cases, limit), write=write, step=step)


async def evaluate_both(
    before: str,
    after: str,
    *,
    cases: Sequence[Case] | None = None,
    write: Callable[[], ReplyFunction] = ScriptedWriter,
    limit: int | None = None,
    allowed: float = LIMIT,
    step: Step = watch_nothing,
) -> Comparison:
    """Run the same cases under two sets of checks, each with a writer of its own, and compare."""
    chosen = _choose_cases(cases, limit)
    reports = [
        await _run(load_reply_rules(name), name=name, cases=chosen, write=write(), step=step)
        for name in (before, after)
    ]
    return compare(reports[0], reports[1], limit=allowed)


def write_page(outcome: Report | Comparison, path: Path) -> None:
    """The HTML page of a run or of a comparison, for its owner alone: it quotes what was asked."""
    page = render_report(outcome) if isinstance(outcome, Report) else render_comparison(outcome)
    write_private(path, page)


async def _run(
    rules: ReplyRules,
    *,
    name: str,
    cases: Sequence[Case],
    write: ReplyFunction | None,
    step: Step,
) -> Report:
    writer = write or ScriptedWriter()
    results = await run_cases(cases, write=writer, rules=rules, step=step)
    return Report(results=results, name=Path(name).stem if name.endswith(".toml") else name)


def _choose_cases(cases: Sequence[Case] | None, limit: int | None) -> Sequence[Case]:
    return (load_golden_cases() if cases is None else cases)[:limit]
