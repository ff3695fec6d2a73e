"""How calls went in a span of time, whether that gets better, and which goals are met."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.insights.cache import CountedPart, CountReader
from mulligan.insights.figures import (
    EPOCH,
    HOUR,
    NOBODY,
    Estimate,
    Series,
    SeriesStep,
    Share,
    add_up_counts,
    build_share,
    estimate_share,
    name_tool,
    read_series,
)
from mulligan.insights.filters import ViewFilter, Window
from mulligan.insights.lessons import RECENT, LessonList
from mulligan.insights.open_actions import OpenItem
from mulligan.insights.texts import TextFigures, read_text_figures
from mulligan.learning.calibration import Lift, compute_difference, measure_lift
from mulligan.types.finding import FindingCount
from mulligan.types.interfaces import Clock, Store
from mulligan.types.log import PatternQuery, PatternSeen, Rollup, Slot


class Figures(Struct, frozen=True, kw_only=True):
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


def _group_shares(
    slots: Mapping[Slot, Rollup], name_of: Callable[[Slot], str]
) -> tuple[Share, ...]:
    groups: dict[str, list[Rollup]] = {}
    for slot, counts in slots.items():
        groups.setdefault(name_of(slot), []).append(counts)
    shares = [build_share(name, add_up_counts(group)) for name, group in groups.items()]
    return tuple(sorted(shares, key=lambda share: -share.calls))


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


class Criterion(Struct, frozen=True, kw_only=True):
    """One thing that was promised of the loop, the goal, and the figure."""

    what: str
    goal: float
    estimate: Estimate
    met: bool | None
    """By the figure, whatever its interval; `None`: nothing was seen yet that could be counted."""
    parts: Mapping[str, Estimate] = field(default_factory=dict)
    """What the figure is made of, where that says more: context that was given, and derived."""


class GoalEvidence(Struct, frozen=True, kw_only=True):
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


MOST_PATTERNS = 100_000


class Progress:
    """Questions about a span of time up to now."""

    def __init__(self, store: Store, *, clock: Clock, lessons: LessonList) -> None:
        self._store = store
        self._clock = clock
        self._lessons = lessons

    def read_series(
        self,
        window: timedelta,
        *,
        step: SeriesStep,
        tool: str | None = None,
        agent: str | None = None,
    ) -> Series:
        """How calls went by the hour or the day, of all tools and agents or of those named."""
        now = self._clock()
        return read_series(
            self._store.log, since=now - window, until=now, step=step, tool=tool, agent=agent
        )

    def read_goals(self, window: timedelta) -> tuple[Criterion, ...]:
        """What calls were to come to, each goal with its figure."""
        now = self._clock()
        since = now - window
        middle = find_middle(since, now)
        log = self._store.log
        earlier = log.sum_rollups(since=since, until=middle - HOUR)
        later = log.sum_rollups(since=middle, until=now)
        patterns = log.list_patterns(PatternQuery(since=since, until=now, limit=MOST_PATTERNS))
        halves = (add_up_counts(earlier.values()), add_up_counts(later.values()))
        return self.judge_goals(window, halves=halves, patterns=patterns)

    def judge_goals(
        self,
        window: timedelta,
        *,
        halves: tuple[Rollup, Rollup],
        patterns: Sequence[PatternSeen],
    ) -> tuple[Criterion, ...]:
        """The same for who has read already how calls went in both halves, and what failed."""
        since = self._clock() - window
        failing = list_failing_tools(patterns)
        endings = self._store.casebook.count_episodes(since=since.date())
        return judge_goals(
            GoalEvidence(
                earlier=halves[0],
                later=halves[1],
                lift=measure_lift(endings),
                failing=failing,
                told=self._lessons.list_told_tools(
                    failing, seen=patterns if window == RECENT else None
                ),
            )
        )


def find_middle(since: datetime, until: datetime) -> datetime:
    """The hour at which the later half of a span begins."""
    half = since + (until - since) / 2
    return half + (EPOCH - half) % HOUR


class WindowShare(Struct, frozen=True, kw_only=True):
    """How calls went in one span of time, and in the same span before it."""

    window: Window
    now: Share
    before: Share


class TrendPoint(Struct, frozen=True, kw_only=True):
    """One hour or day as it is drawn."""

    at: datetime
    calls: float
    failed: float
    """Calls whose first try was no success."""
    repaired: float
    succeeded: float | None
    """`None`: there were no calls."""
    low: float | None
    high: float | None
    p50_ms: float
    p95_ms: float


class Overview(Struct, frozen=True, kw_only=True):
    """What somebody wants to know who looks in."""

    asked: ViewFilter
    at: datetime
    windows: tuple[WindowShare, ...]
    trend: tuple[TrendPoint, ...]
    """Thirty days, or the hours of one."""
    goals: tuple[Criterion, ...]
    """Of the last thirty days and every call, whatever is asked for."""
    open_actions: int
    waiting: tuple[OpenItem, ...]
    """The oldest of them."""
    patterns: tuple[PatternSeen, ...]
    """The most frequent failures."""


def build_trend_point(at: datetime, counts: Rollup) -> TrendPoint:
    """What some calls came to, as a point."""
    share = build_share("", counts)
    return TrendPoint(
        at=at,
        calls=share.calls,
        failed=share.failed,
        repaired=share.repaired,
        succeeded=share.succeeded.figure,
        low=share.succeeded.low,
        high=share.succeeded.high,
        p50_ms=share.p50_ms,
        p95_ms=share.p95_ms,
    )


def build_trend(parts: list[CountedPart], asked: ViewFilter) -> tuple[TrendPoint, ...]:
    """A point for each part, those without calls too."""
    return tuple(build_trend_point(part.at, part.add_up(asked)) for part in parts)


def read_windows(
    counts: CountReader, asked: ViewFilter, *, now: datetime
) -> tuple[WindowShare, ...]:
    """Every span that is asked for most, beside the one before it."""
    return tuple(
        WindowShare(
            window=window,
            now=_read_share(counts, asked, window=window, until=now),
            before=_read_share(
                counts, asked, window=window, until=now - window.length - timedelta(hours=1)
            ),
        )
        for window in Window
    )


def _read_share(
    counts: CountReader, asked: ViewFilter, *, window: Window, until: datetime
) -> Share:
    total = Rollup()
    for part in counts.list_parts(window.length, step=SeriesStep.DAY, until=until):
        total.add(part.add_up(asked))
    return build_share(window.value, total)
