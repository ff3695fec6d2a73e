"""The whole of `mulligan evaluate` but its surface: rules by name or file, a run, a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from mulligan.core.adapter import AgentWriter
from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.private_file import write_private
from mulligan.evaluation.cases import Case, load_golden_cases
from mulligan.evaluation.compare import LIMIT, Comparison, compare
from mulligan.evaluation.page import render_comparison, render_report
from mulligan.evaluation.report import Report
from mulligan.evaluation.run import run_cases, watch_nothing
from mulligan.evaluation.writers import ReplyFunction, ScriptedWriter
from mulligan.loops.replies import ReplyRules, load_reply_rules

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
    chosen = _choose_cases(cases, limit)
    if write is None and cases is not None:
        raise ConfigurationError(
            "Nobody writes the replies of this set. Pass write=…: a function of the case and what "
            "was wrong before, find_agent(agent), or build_replay_writer() for recorded ones."
        )
    return await _run(checks, cases=chosen, write=write or ScriptedWriter(), step=step)


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
    chosen = _choose_cases(cases, limit)
    first, second = [
        await _run(rules, cases=chosen, write=write(), step=step) for rules in (before, after)
    ]
    return compare(first, second, limit=allowed)


def write_page(outcome: Report | Comparison, path: Path) -> None:
    """The HTML page of a run or of a comparison, for its owner alone: it quotes what was asked."""
    page = render_report(outcome) if isinstance(outcome, Report) else render_comparison(outcome)
    write_private(path, page)


async def _run(checks: Rules, *, cases: Sequence[Case], write: AnyWriter, step: Step) -> Report:
    rules = load_reply_rules(checks) if isinstance(checks, str) else checks
    at = datetime.now(UTC)
    results = await run_cases(cases, write=write, rules=rules, step=step)
    unverified = rules.verify is not None and rules.verifier is None
    return Report(
        results=results,
        name=_name_rules(checks),
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


def _name_rules(checks: Rules) -> str:
    if not isinstance(checks, str):
        return ""
    return Path(checks).stem if checks.endswith(".toml") else checks


def _choose_cases(cases: Sequence[Case] | None, limit: int | None) -> Sequence[Case]:
    return (load_golden_cases() if cases is None else cases)[:limit]
