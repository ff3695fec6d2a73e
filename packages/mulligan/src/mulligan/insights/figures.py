"""Figures about calls, in all and hour by hour, with how far the true ones may be from them.

A call is counted once, however often it was tried, in the hour of its first try.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from mulligan.learning.calibration import SURE, compute_wilson
from mulligan.types.action import Opening
from mulligan.types.finding import FindingCount
from mulligan.types.interfaces import KnownTool
from mulligan.types.log import Rollup, Slot, TextSlot, compute_bucket_floor_us


class Estimate(Struct, frozen=True, kw_only=True):
    """A figure that was counted, and how far the true one may be from it."""

    figure: float | None
    """`None`: nothing was seen yet that could be counted."""
    low: float | None = None
    """The true one lies between `low` and `high` with a probability of about 95 %."""
    high: float | None = None
    n: int
    """What it rests on."""


def estimate_share(some: float, of: float) -> Estimate:
    """A share with its interval; none where there is nothing to have a share of."""
    if of <= 0:
        return Estimate(figure=None, n=0)
    low, high = compute_wilson(min(some, of), of)
    return Estimate(figure=min(1.0, some / of), low=low, high=high, n=round(of))


K = TypeVar("K")
UNNAMED = "(unnamed)"
MEDIAN = 0.5


class Share(Struct, frozen=True, kw_only=True):
    """How the calls of one tool or agent went."""

    name: str
    calls: float
    failed: float
    """Calls whose first try failed."""
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


def name_tool(call: Slot | Opening | KnownTool | FindingCount) -> str:
    """A tool as surfaces show it, with its server where it has one."""
    return f"{call.server}/{call.tool}" if call.server else call.tool


def add_up_counts(counts: Iterable[Rollup]) -> Rollup:
    """All of them together."""
    total = Rollup()
    for each in counts:
        total.add(each)
    return total


def name_agent(call: Slot | TextSlot | Opening | FindingCount) -> str:
    """An agent as surfaces show it."""
    return call.agent or UNNAMED


def add_up_by(slots: Mapping[Slot, Rollup], name_of: Callable[[Slot], K]) -> dict[K, Rollup]:
    """Those together that have one name."""
    total: dict[K, Rollup] = {}
    for slot, counts in slots.items():
        total.setdefault(name_of(slot), Rollup()).add(counts)
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


HOUR = timedelta(hours=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class SeriesStep(StrEnum):
    """How long each part of a series is."""

    HOUR = "hour"
    DAY = "day"
    """Of UTC."""

    @property
    def length(self) -> timedelta:
        """As a duration."""
        return HOUR if self is SeriesStep.HOUR else 24 * HOUR


class SeriesPart(Struct, frozen=True, kw_only=True):
    """One hour or day of a series: one without calls is there too, so that it can be drawn."""

    at: datetime
    """When it begins."""
    share: Share


class Series(Struct, frozen=True, kw_only=True):
    """Results of calls over time, oldest part first."""

    step: SeriesStep
    tool: str | None
    """`None`: of every tool; so for agents."""
    agent: str | None
    parts: tuple[SeriesPart, ...]
