"""How calls went in a span of time, whether that gets better, and which goals are met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from msgspec import Struct, field

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
from mulligan.stores.opening import strip_credentials
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
    """The share of calls with a given agent and context."""
    derived_context: Estimate
    """The share of calls whose agent and context Mulligan derived from their turn."""
    recovered: Estimate
    """Of the calls that failed in turns, on these days: those after which one of the same tool
    worked, whoever repaired it and however. Later tries of a call are no calls of their own."""
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
    endings = ask.store.failures.count_episodes(since=since.date())
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
SUCCESS = "failures repaired, above the control group"
TREND = "growth of the success rate from the first half to the second"
PITFALLS = "tools with recurring failures whose pitfalls were exported"
GOALS: Mapping[str, float] = {
    CONTEXT: 0.8,
    SUGGESTIONS: 0.7,
    RETRIES: 0.5,
    SUCCESS: 0.15,
    TREND: 0.0,
    PITFALLS: 1.0,
}
LEAST_SEEN = 20
"""What a goal is judged by, at least."""
LEAST_FAILURES = 3
"""Failures of one pattern, before a tool counts among those that fail alike."""


class Criterion(Struct, frozen=True, kw_only=True):
    """One thing that was promised of the loop, the goal, and the figure."""

    what: str
    goal: float
    estimate: Estimate
    met: bool | None
    """`None`: too little was seen to say."""
    parts: Mapping[str, Estimate] = field(default_factory=dict)
    """What the figure is made of, where that says more: context that was given, and derived."""
    enough: bool = True
    """`False`: it rests on so little that the figure would be an accident."""


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
        length = window + (now - window - EPOCH) % step.length
        parts = _list_parts(self._ask, asked, length=length, step=step)
        return Series(step=step, tool=tool, agent=agent, parts=parts)

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
        endings = ask.store.failures.count_episodes(since=since.date())
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
    goal, figure, met = GOALS[what], estimate.figure, None
    # Tools are counted, not drawn; as good as before is no improvement.
    enough = figure is not None and (estimate.n >= LEAST_SEEN or what == PITFALLS)
    if figure is not None and enough:
        met = compare_goal(what, estimate, goal=goal)
    return Criterion(what=what, goal=goal, estimate=estimate, met=met, parts=parts, enough=enough)


def compare_goal(what: str, estimate: Estimate, *, goal: float) -> bool | None:
    """Whether a figure is on one side of its goal with all of its interval; else `None`."""
    if what == PITFALLS:
        return estimate.figure == goal
    if estimate.low is not None and estimate.low > goal:
        return True
    return False if estimate.high is not None and estimate.high < goal else None


def _estimate_lift(lift: Lift | None) -> Estimate:
    if lift is None:
        return Estimate(figure=None, n=0)
    n = lift.treated + lift.control
    return Estimate(figure=lift.lift, low=lift.low, high=lift.high, n=n)


def _estimate_trend(earlier: Rollup, later: Rollup) -> Estimate:
    return estimate_difference(build_share("", later), build_share("", earlier))


def estimate_difference(one: Share, other: Share) -> Estimate:
    """By how much more of the calls worked, of one lot than of another."""
    if not (one.calls and other.calls):
        return Estimate(figure=None, n=0)
    new, old = ((each.calls - each.given_up, each.calls) for each in (one, other))
    difference, low, high = compute_difference(new, old)
    return Estimate(figure=difference, low=low, high=high, n=round(new[1] + old[1]))


class WindowShare(Struct, frozen=True, kw_only=True):
    """How calls went in one span of time, and in the same span before it."""

    window: Window
    now: Share
    before: Share
    change: Estimate
    """Of the share that worked, against before; with zero in its interval it may be chance."""


class Overview(Struct, frozen=True, kw_only=True):
    """The overview page."""

    asked: ViewFilter
    at: datetime
    store: str
    """Its URL, as a command for another process takes it."""
    windows: tuple[WindowShare, ...]
    trend: tuple[SeriesPart, ...]
    """The days that are asked for, or the hours of one."""
    goals: tuple[Criterion, ...]
    """Of the last thirty days and every call, whatever is asked for."""
    open_actions: int
    all_open: bool
    """`False`: there are more than were counted."""
    waiting: tuple[OpenItem, ...]
    """The oldest of them."""
    patterns: tuple[PatternSeen, ...]
    """The most frequent failures."""


def read_overview(ask: StoreReader, asked: ViewRequest) -> Overview:
    """How calls went, and what needs attention."""
    whose, waiting = asked.filter, ask.list_open(asked.filter)
    listed, url = OpenList(ask, people=asked.decides), strip_credentials(ask.settings.store)
    return Overview(
        asked=whose,
        at=ask.clock(),
        # What is in memory, or cannot be named, no other process can open.
        store=url if "://" in url else "sqlite:///app.db",
        windows=tuple(_compare_window(ask, whose, window) for window in Window),
        trend=read_trend(ask, whose),
        goals=ask.cache.keep(
            "goals", lambda: Progress(ask).read_goals(Window.MONTH.length), life=LONG
        ),
        open_actions=len(waiting),
        all_open=ask.has_all_open(),
        waiting=tuple(build_item(listed, action) for action in waiting[:FEW]),
        patterns=tuple(ask.patterns_seen.list_patterns(whose)[:FEW]),
    )


def read_trend(ask: StoreReader, asked: ViewFilter) -> tuple[SeriesPart, ...]:
    """A part for each hour or day, those without calls too."""
    return _list_parts(ask, asked, length=asked.window.length, step=asked.window.step)


def _list_parts(
    ask: StoreReader, asked: ViewFilter, *, length: timedelta, step: SeriesStep
) -> tuple[SeriesPart, ...]:
    return tuple(
        SeriesPart(at=part.at, share=build_share(f"{part.at:%Y-%m-%d %H:%M}", part.add_up(asked)))
        for part in ask.counts.list_parts(length, step=step)
    )


def _compare_window(ask: StoreReader, asked: ViewFilter, window: Window) -> WindowShare:
    """A span that is asked for most, beside the one before it."""

    def read(until: datetime) -> Share:
        days = ask.counts.list_parts(window.length, step=SeriesStep.DAY, until=until)
        return build_share(window.value, add_up_counts(day.add_up(asked) for day in days))

    until = ask.clock()
    now, before = read(until), read(until - window.length - HOUR)
    return WindowShare(
        window=window, now=now, before=before, change=estimate_difference(now, before)
    )
