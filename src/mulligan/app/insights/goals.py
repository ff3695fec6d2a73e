"""What the loop of calls was to achieve, and what a store says of each goal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.app.insights.figures import (
    add_up_counts,
    build_share,
)
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.log_query import PatternSeen
from mulligan.core.storage.rollup import Rollup
from mulligan.learning.calibration import Lift, compute_difference

CONTEXT = "calls logged with agent and context"
SUGGESTIONS = "suggestions that were right"
RETRIES = "retried calls that were repaired"
SUCCESS = "failures repaired, more than in the control group"
TREND = "calls that succeed, more in the later half than in the earlier"
PITFALLS = "tools that fail alike, whose pitfalls are told"
GOALS: Mapping[str, float] = {
    CONTEXT: 0.8,
    SUGGESTIONS: 0.7,
    RETRIES: 0.5,
    SUCCESS: 0.15,
    TREND: 0.0,
    PITFALLS: 1.0,
}
LEAST_FAILURES = 3
"""Failures of one pattern, before a tool counts among those that fail alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One thing that was promised of the loop, the goal, and the figure."""

    what: str
    goal: float
    estimate: Estimate
    met: bool | None
    """By the figure, whatever its interval; `None`: nothing was seen yet that could be counted."""
    parts: Mapping[str, Estimate] = field(default_factory=dict)
    """What the figure is made of, where that says more: context that was given, and derived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalEvidence:
    """What a span of time is held against the goals by."""

    earlier: Rollup
    """Of its first half."""
    later: Rollup
    lift: Lift | None
    failing: Collection[str]
    """Tools that failed alike, and not only once or twice."""
    told: Collection[str]
    """Those whose pitfalls are told."""


def judge_goals(seen: GoalEvidence) -> tuple[Criterion, ...]:
    """Hold a span of time against the goals."""
    judged = [_judge_goal(what, estimate) for what, estimate in _list_estimates(seen)]
    counts = add_up_counts((seen.earlier, seen.later))
    parts = {
        "given": estimate_share(counts.with_context, counts.calls),
        "derived": estimate_share(counts.derived, counts.calls),
    }
    return tuple(replace(each, parts=parts) if each.what == CONTEXT else each for each in judged)


def list_failing_tools(patterns: Iterable[PatternSeen]) -> list[str]:
    """Tools that failed alike, and not only once or twice."""
    common = (each.pattern.tool for each in patterns if each.pattern.count >= LEAST_FAILURES)
    return sorted(set(common))


def _list_estimates(seen: GoalEvidence) -> Iterator[tuple[str, Estimate]]:
    counts = add_up_counts((seen.earlier, seen.later))
    yield CONTEXT, estimate_share(counts.with_context + counts.derived, counts.calls)
    yield SUGGESTIONS, estimate_share(counts.suggested_right, counts.suggested)
    yield RETRIES, estimate_share(counts.repaired, counts.retried)
    yield SUCCESS, _estimate_lift(seen.lift)
    yield TREND, _estimate_trend(seen.earlier, seen.later)
    told = sum(tool in seen.told for tool in seen.failing)
    yield PITFALLS, estimate_share(told, len(seen.failing))


def _judge_goal(what: str, estimate: Estimate) -> Criterion:
    goal, figure = GOALS[what], estimate.figure
    # As good as before is no improvement.
    met = None if figure is None else figure > goal if what == TREND else figure >= goal
    return Criterion(what=what, goal=goal, estimate=estimate, met=met)


def _estimate_lift(lift: Lift | None) -> Estimate:
    if lift is None:
        return Estimate(figure=None, n=0)
    n = lift.treated + lift.control
    return Estimate(figure=lift.lift, low=lift.low, high=lift.high, n=n)


def _estimate_trend(earlier: Rollup, later: Rollup) -> Estimate:
    shares = [build_share("", counts) for counts in (later, earlier)]
    if not all(share.calls for share in shares):
        return Estimate(figure=None, n=0)
    new, old = ((each.calls - each.given_up, each.calls) for each in shares)
    difference, low, high = compute_difference(new, old)
    return Estimate(figure=difference, low=low, high=high, n=round(new[1] + old[1]))
