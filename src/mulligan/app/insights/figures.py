"""Figures about calls: how often they work, how often they were mended, what fails alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from mulligan.core.finding import FindingCount
from mulligan.core.interfaces import Log
from mulligan.core.log_query import PatternSeen
from mulligan.core.rollup import Rollup, Slot, compute_bucket_floor_us

CONTEXT = "calls logged with agent and context"
SUGGESTIONS = "suggestions that were right"
RETRIES = "retried calls that were repaired"
SUCCESS = "more calls succeed than without"
GOALS: Mapping[str, float] = {CONTEXT: 0.8, SUGGESTIONS: 0.7, RETRIES: 0.5, SUCCESS: 0.15}


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How the calls of one tool or agent went."""

    name: str
    calls: float
    failures: float
    repaired: float
    p50_ms: float
    p95_ms: float

    @property
    def success(self) -> float | None:
        """The share that worked; `None` without calls."""
        return 1 - self.failures / self.calls if self.calls else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One thing that was promised of the loop, the goal, and the figure."""

    what: str
    goal: float
    figure: float | None
    """`None`: nothing was seen yet that could be counted."""
    n: int
    """What the figure rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A span of time in numbers."""

    since: datetime
    until: datetime
    all_calls: Share
    tools: tuple[Share, ...]
    agents: tuple[Share, ...]
    with_context: float | None
    repaired_share: float | None
    """Of the calls that had failed, those that worked on a later try."""
    seconds_to_repair: float | None
    """The median, at most a quarter too low."""
    patterns: tuple[PatternSeen, ...]
    findings: tuple[FindingCount, ...]
    """What reviews found, warnings too, by rule, tool and agent; the most frequent first."""
    criteria: tuple[Criterion, ...]


def read_figures(log: Log, *, since: datetime, until: datetime, patterns: int = 5) -> Figures:
    """Add up what the log knows of a span of time."""
    slots = log.sum_rollups(since=since, until=until)
    counts = _add_up(slots.values())
    return Figures(
        since=since,
        until=until,
        all_calls=_build_share("all", counts),
        tools=_group_shares(
            slots, lambda slot: f"{slot.server}/{slot.tool}" if slot.server else slot.tool
        ),
        agents=_group_shares(slots, lambda slot: slot.agent or "(nobody named)"),
        with_context=_divide(counts.with_context, counts.calls),
        repaired_share=_divide(counts.repaired, counts.retried),
        seconds_to_repair=_compute_percentile(counts.repairs, 0.5) / 1000
        if counts.repairs
        else None,
        patterns=tuple(log.list_patterns(since=since, until=until, limit=patterns)),
        findings=tuple(log.list_finding_counts(since=since, until=until)),
        criteria=tuple(_list_criteria(counts)),
    )


def _list_criteria(counts: Rollup) -> Iterator[Criterion]:
    suggested_right = _divide(counts.suggested_right, counts.suggested)
    measured = {
        CONTEXT: (_divide(counts.with_context, counts.calls), counts.calls),
        SUGGESTIONS: (suggested_right, counts.suggested),
        RETRIES: (_divide(counts.repaired, counts.retried), counts.retried),
        SUCCESS: (_compute_gain(counts), counts.calls),
    }
    for what, (figure, n) in measured.items():
        yield Criterion(what=what, goal=GOALS[what], figure=figure, n=round(n))


def _divide(some: float, of: float) -> float | None:
    # What was tried in the hour before may have worked in this one.
    return min(1.0, some / of) if of else None


def _group_shares(
    slots: Mapping[Slot, Rollup], name_of: Callable[[Slot], str]
) -> tuple[Share, ...]:
    groups: dict[str, list[Rollup]] = {}
    for slot, counts in slots.items():
        groups.setdefault(name_of(slot), []).append(counts)
    shares = [_build_share(name, _add_up(group)) for name, group in groups.items()]
    return tuple(sorted(shares, key=lambda share: -share.calls))


def _add_up(counts: Iterable[Rollup]) -> Rollup:
    total = Rollup()
    for each in counts:
        total.add(each)
    return total


def _build_share(name: str, counts: Rollup) -> Share:
    return Share(
        name=name,
        calls=counts.calls,
        failures=counts.failures,
        repaired=counts.repaired,
        p50_ms=_compute_percentile(counts.latency, 0.5),
        p95_ms=_compute_percentile(counts.latency, 0.95),
    )


def _compute_percentile(latency: Mapping[int, float], share: float) -> float:
    wanted = sum(latency.values()) * share
    seen = 0.0
    for bucket, calls in sorted(latency.items()):
        seen += calls
        if seen >= wanted:
            return compute_bucket_floor_us(bucket) / 1000
    return 0.0


def _compute_gain(counts: Rollup) -> float | None:
    """How many more calls succeeded, against those that did so on their first try."""
    without = counts.calls - counts.failures - counts.repaired
    return counts.repaired / without if without > 0 else None


WINDOWS = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
"""The spans that are asked for most."""
