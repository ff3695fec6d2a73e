"""What the loop of calls was to achieve, and what a store says of each goal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.app.insights.figures import (
    add_up_counts,
    build_share,
)
from mulligan.core.interfaces import Store
from mulligan.core.log_query import PatternQuery
from mulligan.core.rollup import Rollup
from mulligan.learning.lessons.calibration.calibrate import measure_lift
from mulligan.learning.lessons.calibration.intervals import compute_difference

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


def read_goals(
    store: Store, *, since: datetime, until: datetime, told: Collection[str]
) -> tuple[Criterion, ...]:
    """Hold a span of time against the goals; `told` are the tools that have pitfalls."""
    return tuple(
        _judge_goal(what, estimate)
        for what, estimate in _list_estimates(store, since=since, until=until, told=told)
    )


def list_failing_tools(store: Store, *, since: datetime, until: datetime) -> list[str]:
    """Tools that failed alike, and not only once or twice."""
    seen = store.log.list_patterns(PatternQuery(since=since, until=until, limit=100_000))
    common = (each.pattern.tool for each in seen if each.pattern.count >= LEAST_FAILURES)
    return sorted(set(common))


def _list_estimates(
    store: Store, *, since: datetime, until: datetime, told: Collection[str]
) -> Iterator[tuple[str, Estimate]]:
    hours = store.log.read_rollups(since=since, until=until)
    counts = add_up_counts(hours.values())
    yield CONTEXT, estimate_share(counts.with_context, counts.calls)
    yield SUGGESTIONS, estimate_share(counts.suggested_right, counts.suggested)
    yield RETRIES, estimate_share(counts.repaired, counts.retried)
    yield SUCCESS, _estimate_lift(store, since)
    middle = (since + (until - since) / 2).timestamp() // 3600
    earlier = add_up_counts(each for slot, each in hours.items() if slot.hour < middle)
    later = add_up_counts(each for slot, each in hours.items() if slot.hour >= middle)
    yield TREND, _estimate_trend(earlier, later)
    failing = list_failing_tools(store, since=since, until=until)
    yield PITFALLS, estimate_share(sum(tool in told for tool in failing), len(failing))


def _judge_goal(what: str, estimate: Estimate) -> Criterion:
    goal, figure = GOALS[what], estimate.figure
    # As good as before is no improvement.
    met = None if figure is None else figure > goal if what == TREND else figure >= goal
    return Criterion(what=what, goal=goal, estimate=estimate, met=met)


def _estimate_lift(store: Store, since: datetime) -> Estimate:
    lift = measure_lift(store.casebook.count_episodes(since=since.date()))
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
