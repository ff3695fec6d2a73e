"""Figures about calls: how often they work, how often they were mended, what fails alike.

A call is counted once, however often it was tried, in the hour of its first try.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.app.insights.text_figures import TextFigures, read_text_figures
from mulligan.core.finding import FindingCount
from mulligan.core.interfaces import Store
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.log_query import PatternQuery, PatternSeen
from mulligan.core.storage.rollup import Rollup, Slot, compute_bucket_floor_us
from mulligan.learning.calibration import SURE, Lift, measure_lift

NOBODY = "(nobody named)"
MEDIAN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How the calls of one tool or agent went."""

    name: str
    calls: float
    failed: float
    """Calls whose first try was no success."""
    repaired: float
    """Of these, those that worked on a later try."""
    given_up: float
    """The others: no try of them worked."""
    tries: float
    succeeded: Estimate
    """The share of all calls that worked, at once or after a repair."""
    repaired_share: Estimate
    """Of the calls that had failed."""
    seconds_to_repair: Estimate
    """The median, at most a quarter too low."""
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A span of time in numbers."""

    since: datetime
    until: datetime
    all_calls: Share
    tools: tuple[Share, ...]
    agents: tuple[Share, ...]
    with_context: Estimate
    """Of all calls: those of which somebody said which agent made them, and what for."""
    derived_context: Estimate
    """Those of which nobody did, and Mulligan told it from their turn."""
    recovered: Estimate
    """Of the calls that failed in turns, on these days: those after which one of the same tool
    worked, whoever mended it and however. Later tries of a call are no calls of their own."""
    lift: Lift | None
    """How much more often a failure was repaired where memory had its say; `None` while nothing
    was left alone to compare with."""
    patterns: tuple[PatternSeen, ...]
    findings: tuple[FindingCount, ...]
    """What reviews found, warnings too, by rule, tool and agent; the most frequent first."""
    texts: TextFigures
    """Replies and drafts, which are no calls."""


def read_figures(store: Store, *, since: datetime, until: datetime, patterns: int = 5) -> Figures:
    """Add up what a store knows of a span of time."""
    log = store.log
    slots = log.sum_rollups(since=since, until=until)
    counts = add_up_counts(slots.values())
    endings = store.casebook.count_episodes(since=since.date())
    calls = {slot: n for slot, n in endings.items() if not slot.later}
    return Figures(
        since=since,
        until=until,
        all_calls=build_share("all", counts),
        tools=_group_shares(slots, name_tool),
        agents=_group_shares(slots, lambda slot: slot.agent or NOBODY),
        with_context=estimate_share(counts.with_context, counts.calls),
        derived_context=estimate_share(counts.derived, counts.calls),
        recovered=estimate_share(
            sum(n for slot, n in calls.items() if slot.repaired), sum(calls.values())
        ),
        lift=measure_lift(endings),
        patterns=tuple(log.list_patterns(PatternQuery(since=since, until=until, limit=patterns))),
        findings=tuple(log.list_finding_counts(since=since, until=until)),
        texts=read_text_figures(store, since=since, until=until),
    )


def name_tool(slot: Slot) -> str:
    """A tool as surfaces show it, with its server where it has one."""
    return f"{slot.server}/{slot.tool}" if slot.server else slot.tool


def add_up_counts(counts: Iterable[Rollup]) -> Rollup:
    """All of them together."""
    total = Rollup()
    for each in counts:
        total.add(each)
    return total


def build_share(name: str, counts: Rollup) -> Share:
    """What some calls came to."""
    failed = counts.failures
    # What was counted before a row was lost may be more than what is left to count it of.
    repaired = min(counts.repaired, failed)
    return Share(
        name=name,
        calls=counts.calls,
        failed=failed,
        repaired=repaired,
        given_up=failed - repaired,
        tries=counts.tries,
        succeeded=estimate_share(counts.calls - failed + repaired, counts.calls),
        repaired_share=estimate_share(repaired, failed),
        seconds_to_repair=estimate_median(counts.repairs),
        p50_ms=_compute_percentile(counts.latency, MEDIAN),
        p95_ms=_compute_percentile(counts.latency, 0.95),
    )


def estimate_median(times: Mapping[int, float]) -> Estimate:
    """The median of durations by bucket, in seconds, between the ranks that hold it."""
    n = sum(times.values())
    if not n:
        return Estimate(figure=None, n=0)
    # How many of n lie below the true median is a matter of chance, as heads of n coins are.
    off = SURE / 2 / math.sqrt(n)
    ranks = (MEDIAN, max(0.0, MEDIAN - off), min(1.0, MEDIAN + off))
    middle, low, high = (_compute_percentile(times, rank) / 1000 for rank in ranks)
    return Estimate(figure=middle, low=low, high=high, n=round(n))


def _group_shares(
    slots: Mapping[Slot, Rollup], name_of: Callable[[Slot], str]
) -> tuple[Share, ...]:
    groups: dict[str, list[Rollup]] = {}
    for slot, counts in slots.items():
        groups.setdefault(name_of(slot), []).append(counts)
    shares = [build_share(name, add_up_counts(group)) for name, group in groups.items()]
    return tuple(sorted(shares, key=lambda share: -share.calls))


def _compute_percentile(latency: Mapping[int, float], share: float) -> float:
    wanted = sum(latency.values()) * share
    seen = 0.0
    for bucket, calls in sorted(latency.items()):
        seen += calls
        if seen >= wanted:
            return compute_bucket_floor_us(bucket) / 1000
    return 0.0


WINDOWS = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
"""The spans that are asked for most."""
