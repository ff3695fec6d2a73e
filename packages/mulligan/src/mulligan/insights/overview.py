"""How calls went in a span of time, whether that gets better, and which goals are met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.insights.cache import LONG
from mulligan.insights.figures import (
    EPOCH,
    HOUR,
    Estimate,
    Series,
    SeriesPart,
    SeriesStep,
    Share,
    add_up_by,
    add_up_counts,
    build_share,
    estimate_share,
    name_agent,
    name_tool,
)
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.lessons import LessonList
from mulligan.insights.open_actions import OpenItem, OpenList, build_item
from mulligan.insights.reader import StoreReader
from mulligan.insights.texts import TextFigures, read_text_figures
from mulligan.learning.calibration import Lift, compute_difference, measure_lift
from mulligan.types.finding import FindingCount
from mulligan.types.log import PatternQuery, PatternSeen, Rollup, Slot

FEW = 5
"""Of what there may be many, in a summary."""


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


def read_figures(ask: StoreReader, window: timedelta) -> Figures:
    """Add up what a store knows of a span of time up to now."""
    log, until = ask.store.log, ask.clock()
    since = until - window
    slots = log.sum_rollups(since=since, until=until)
    counts = add_up_counts(slots.values())
    endings = ask.store.casebook.count_episodes(since=since.date())
    calls = {slot: n for slot, n in endings.items() if not slot.later}
    return Figures(
        since=since,
        until=until,
        all_calls=build_share("all", counts),
        tools=_list_shares(slots, name_tool),
        agents=_list_shares(slots, name_agent),
        with_context=estimate_share(counts.with_context, counts.calls),
        derived_context=estimate_share(counts.derived, counts.calls),
        recovered=estimate_share(
            sum(n for slot, n in calls.items() if slot.repaired), sum(calls.values())
        ),
        lift=measure_lift(endings),
        patterns=tuple(log.list_patterns(PatternQuery(since=since, until=until, limit=FEW))),
        findings=tuple(log.list_finding_counts(since=since, until=until)),
        texts=read_text_figures(log, since=since, until=until),
    )


def _list_shares(slots: Mapping[Slot, Rollup], name_of: Callable[[Slot], str]) -> tuple[Share, ...]:
    shares = [build_share(name, counts) for name, counts in add_up_by(slots, name_of).items()]
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


class Progress:
    """Questions about a span of time up to now."""

    def __init__(self, ask: StoreReader) -> None:
        self._ask = ask

    def read_series(
        self,
        window: timedelta,
        *,
        step: SeriesStep,
        tool: str | None = None,
        agent: str | None = None,
    ) -> Series:
        """How calls went by the hour or the day, of all tools and agents or of those named."""
        asked, now = ViewFilter(tool=tool, agent=agent), self._ask.clock()
        at = _find_beginning(now - window, step)
        hours = self._ask.store.log.read_rollups(since=at, until=now)
        counted = add_up_by(
            {slot: counts for slot, counts in hours.items() if asked.fits(slot)},
            lambda slot: _find_beginning(EPOCH + slot.hour * HOUR, step),
        )
        parts = []
        while at <= now:
            share = build_share(f"{at:%Y-%m-%d %H:%M}", counted.get(at, Rollup()))
            parts.append(SeriesPart(at=at, share=share))
            at += step.length
        return Series(step=step, tool=tool, agent=agent, parts=tuple(parts))

    def read_goals(self, window: timedelta) -> tuple[Criterion, ...]:
        """What calls were to come to, each goal with its figure."""
        ask, now = self._ask, self._ask.clock()
        since, half = now - window, now - window / 2
        earlier, later = ask.counts.add_up_halves(since, middle=half + (EPOCH - half) % HOUR)
        counts = add_up_counts((earlier, later))
        (patterns,) = ask.patterns_seen.list_spans(ViewFilter(), ends=[window])
        alike = (each.pattern.tool for each in patterns if each.pattern.count >= LEAST_FAILURES)
        failing = sorted(set(alike))
        told = LessonList(ask).list_told_tools(failing)
        endings = ask.store.casebook.count_episodes(since=since.date())
        estimates = {
            CONTEXT: estimate_share(counts.with_context + counts.derived, counts.calls),
            SUGGESTIONS: estimate_share(counts.suggested_right, counts.suggested),
            RETRIES: estimate_share(counts.repaired, counts.retried),
            SUCCESS: _estimate_lift(measure_lift(endings)),
            TREND: _estimate_trend(earlier, later),
            PITFALLS: estimate_share(len(told), len(failing)),
        }
        context = {
            "given": estimate_share(counts.with_context, counts.calls),
            "derived": estimate_share(counts.derived, counts.calls),
        }
        return tuple(
            _judge(what, estimate, parts=context if what == CONTEXT else {})
            for what, estimate in estimates.items()
        )


def _judge(what: str, estimate: Estimate, *, parts: Mapping[str, Estimate]) -> Criterion:
    goal, figure = GOALS[what], estimate.figure
    # As good as before is no improvement.
    met = None if figure is None else figure > goal if what == TREND else figure >= goal
    return Criterion(what=what, goal=goal, estimate=estimate, met=met, parts=parts)


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


def _find_beginning(at: datetime, step: SeriesStep) -> datetime:
    return at - (at - EPOCH) % step.length


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


def read_overview(ask: StoreReader, asked: ViewRequest) -> Overview:
    """How calls went, and what needs a person."""
    whose, listed, waiting = asked.filter, OpenList(ask), ask.list_open(asked.filter)
    day = whose.window is Window.DAY
    return Overview(
        asked=whose,
        at=ask.clock(),
        windows=tuple(_compare_window(ask, whose, window) for window in Window),
        trend=read_trend(ask, whose if day else replace(whose, window=Window.MONTH)),
        goals=ask.cache.keep(
            "goals", lambda: Progress(ask).read_goals(Window.MONTH.length), life=LONG
        ),
        open_actions=len(waiting),
        waiting=tuple(build_item(listed, action) for action in waiting[:FEW]),
        patterns=tuple(ask.patterns_seen.list_patterns(whose)[:FEW]),
    )


def read_trend(ask: StoreReader, asked: ViewFilter) -> tuple[TrendPoint, ...]:
    """A point for each hour or day, those without calls too."""
    parts = ask.counts.list_parts(asked.window.length, step=asked.window.step)
    return tuple(_build_point(part.at, build_share("", part.add_up(asked))) for part in parts)


def _build_point(at: datetime, share: Share) -> TrendPoint:
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


def _compare_window(ask: StoreReader, asked: ViewFilter, window: Window) -> WindowShare:
    """A span that is asked for most, beside the one before it."""

    def read(until: datetime) -> Share:
        days = ask.counts.list_parts(window.length, step=SeriesStep.DAY, until=until)
        return build_share(window.value, add_up_counts(day.add_up(asked) for day in days))

    now = ask.clock()
    return WindowShare(window=window, now=read(now), before=read(now - window.length - HOUR))
