"""The first page: how calls went, whether goals are met, and what needs a person."""

from __future__ import annotations

from datetime import datetime, timedelta

from mulligan.app.insights.figures import Share, build_share
from mulligan.app.insights.goals import Criterion
from mulligan.app.insights.series import SeriesStep
from mulligan.app.insights.views.answers.waiting import OpenItem
from mulligan.app.insights.views.counts import CountedPart, CountReader
from mulligan.app.insights.views.filters import ViewFilter, Window
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.log_query import PatternSeen
from mulligan.core.storage.rollup import Rollup


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowShare:
    """How calls went in one span of time, and in the same span before it."""

    window: Window
    now: Share
    before: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
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
