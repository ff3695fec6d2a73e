"""Figures about calls: how often they work, how often they were mended, what fails alike.

A call is counted once, however often it was tried, in the hour of its first try.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import timedelta

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.rollup import Rollup, Slot, compute_bucket_floor_us
from mulligan.learning.calibration import SURE

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
