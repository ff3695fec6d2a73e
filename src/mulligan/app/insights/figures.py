"""Figures about calls: how often they work, how often they were mended, what fails alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from mulligan.core.call import OWN, Call, ErrorClass, Failure, LogRow, Outcome
from mulligan.core.finding import FindingCount
from mulligan.core.instants import from_us
from mulligan.core.interfaces import Log
from mulligan.core.lesson import Alike, ErrorRule, Pattern
from mulligan.core.log import LogQuery
from mulligan.core.rollup import Rollup, Slot, bucket_floor_us
from mulligan.learning.fingerprint import pattern_of
from mulligan.learning.wording import likely_class

MOST_FAILURES = 20_000
"""Failures that are looked through for patterns, the newest first."""

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
class PatternSeen:
    """Failures that are one and the same, and when and to whom they happened."""

    pattern: Pattern
    first_at: datetime
    last_at: datetime
    agents: tuple[str, ...]
    example: str
    """Id of the newest call."""
    like: Alike | None = None
    """Where nobody can say what kind of error it is: the known pattern it is most like."""


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
    """The median."""
    patterns: tuple[PatternSeen, ...]
    findings: tuple[FindingCount, ...]
    """What reviews found, warnings too, by rule, tool and agent; the most frequent first."""
    criteria: tuple[Criterion, ...]


def read_figures(
    log: Log,
    *,
    since: datetime,
    until: datetime,
    rules: Sequence[ErrorRule] = (),
    patterns: int = 5,
) -> Figures:
    """Add up what the log knows of a span of time."""
    slots = log.rollups(since=since, until=until)
    total = _share("all", slots.values())
    with_context = sum(each.with_context for each in slots.values())
    failures = _failures(log, since=since, until=until)
    later = _later_tries(log, since=since, until=until)
    repaired = [row for row in later if row.outcome == Outcome.SUCCESS]
    context_share = with_context / total.calls if total.calls else None
    retried = {row.parent for row in later}
    fixed_share = len({row.parent for row in repaired}) / len(retried) if retried else None
    tried = _suggestions_tried(failures, later)
    measured = {
        CONTEXT: (context_share, round(total.calls)),
        SUGGESTIONS: (sum(tried) / len(tried) if tried else None, len(tried)),
        RETRIES: (fixed_share, len(retried)),
        SUCCESS: (_gained(total), round(total.calls)),
    }
    return Figures(
        since=since,
        until=until,
        all_calls=total,
        tools=_by(slots, lambda slot: f"{slot.server}/{slot.tool}" if slot.server else slot.tool),
        agents=_by(slots, lambda slot: slot.agent or "(nobody named)"),
        with_context=context_share,
        repaired_share=fixed_share,
        seconds_to_repair=_median([_seconds_to_repair(row) for row in repaired]),
        patterns=tuple(_grouped(failures, rules)[:patterns]),
        findings=tuple(log.findings(since=since, until=until)),
        criteria=tuple(
            Criterion(what=what, goal=GOALS[what], figure=figure, n=n)
            for what, (figure, n) in measured.items()
        ),
    )


def find_patterns(
    log: Log, *, since: datetime, until: datetime, rules: Sequence[ErrorRule] = ()
) -> list[PatternSeen]:
    """Failures grouped by what they say, the most frequent first; the user's rules come first.

    What the log keeps is enough: the call's own values were masked before it was written.
    """
    return _grouped(_failures(log, since=since, until=until), rules)


def _grouped(failures: Iterable[LogRow], rules: Sequence[ErrorRule]) -> list[PatternSeen]:
    groups: dict[str, list[tuple[Pattern, LogRow]]] = {}
    for row in failures:
        call = Call(id=row.id, tool=row.tool, server=row.server)
        error_class = ErrorClass(row.error_class or ErrorClass.UNKNOWN)
        pattern = pattern_of(
            call,
            error=row.error_message or "",
            error_class=error_class,
            error_type=row.error_type or "",
            rules=rules,
        )
        groups.setdefault(pattern.fingerprint, []).append((pattern, row))
    return sorted(map(_seen, groups.values()), key=lambda seen: -seen.pattern.count)


def understood(pattern: Pattern) -> Pattern:
    """A pattern with the class that its words give it, where the log knew only a type."""
    failure = Failure(error_class=pattern.error_class)
    return replace(pattern, error_class=likely_class(failure, pattern.template))


def _seen(group: list[tuple[Pattern, LogRow]]) -> PatternSeen:
    pattern, newest = group[0]
    rows = [row for _, row in group]
    return PatternSeen(
        pattern=Pattern(
            fingerprint=pattern.fingerprint,
            tool=pattern.tool,
            error_class=pattern.error_class,
            template=pattern.template,
            count=len(group),
        ),
        first_at=_at(rows[-1]),
        last_at=_at(newest),
        agents=tuple(sorted({row.agent for row in rows if row.agent})),
        example=newest.id,
    )


def _failures(log: Log, *, since: datetime, until: datetime) -> list[LogRow]:
    wanted = (Outcome.FAILURE, Outcome.UNKNOWN)
    found = [
        row
        for outcome in wanted
        for row in log.rows(
            LogQuery(outcome=outcome, since=since, until=until, limit=MOST_FAILURES)
        )
    ]
    calls = (row for row in found if row.server != OWN)
    return sorted(calls, key=lambda row: row.id, reverse=True)


def _later_tries(log: Log, *, since: datetime, until: datetime) -> list[LogRow]:
    rows = log.rows(LogQuery(since=since, until=until, later_tries=True, limit=MOST_FAILURES))
    return [row for row in rows if row.parent]


def _suggestions_tried(failures: Iterable[LogRow], later: Iterable[LogRow]) -> list[bool]:
    """Whether each suggestion that was tried worked, in the end.

    A later try is linked to the failure it comes after. One with other arguments than that failure
    was made as a suggestion said: by itself, or by an agent that was told. What the log shows of
    equal arguments is equal.
    """
    given = {row.id: row.parameters for row in failures}
    tried: dict[tuple[str | None, str], bool] = {}
    for row in later:
        if given.get(row.parent or "", row.parameters) != row.parameters:
            worked = row.outcome == Outcome.SUCCESS
            key = row.parent, row.parameters
            tried[key] = tried.get(key, False) or worked
    return list(tried.values())


def _by(slots: Mapping[Slot, Rollup], name_of: Callable[[Slot], str]) -> tuple[Share, ...]:
    groups: dict[str, list[Rollup]] = {}
    for slot, counts in slots.items():
        groups.setdefault(name_of(slot), []).append(counts)
    shares = [_share(name, group) for name, group in groups.items()]
    return tuple(sorted(shares, key=lambda share: -share.calls))


def _share(name: str, counts: Iterable[Rollup]) -> Share:
    held = list(counts)
    latency: dict[int, float] = {}
    for each in held:
        for bucket, calls in each.latency.items():
            latency[bucket] = latency.get(bucket, 0) + calls
    return Share(
        name=name,
        calls=sum(each.calls for each in held),
        failures=sum(each.failures for each in held),
        repaired=sum(each.repaired for each in held),
        p50_ms=_percentile(latency, 0.5),
        p95_ms=_percentile(latency, 0.95),
    )


def _percentile(latency: Mapping[int, float], share: float) -> float:
    wanted = sum(latency.values()) * share
    seen = 0.0
    for bucket, calls in sorted(latency.items()):
        seen += calls
        if seen >= wanted:
            return bucket_floor_us(bucket) / 1000
    return 0.0


def _gained(total: Share) -> float | None:
    """How many more calls succeeded, against those that did so on their first try."""
    if not total.calls:
        return None
    repaired = total.repaired / total.calls
    without = 1 - total.failures / total.calls - repaired
    return repaired / without if without else None


def _seconds_to_repair(row: LogRow) -> float:
    """From the start of the first try to the end of the one that worked."""
    began_ms = int((row.parent or row.id)[:12], 16)
    return max(0.0, (row.at_us + row.duration_us) / 1e6 - began_ms / 1e3)


def _median(values: list[float]) -> float | None:
    return sorted(values)[len(values) // 2] if values else None


def _at(row: LogRow) -> datetime:
    return from_us(row.at_us)


WINDOWS = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
"""The spans that are asked for most."""
