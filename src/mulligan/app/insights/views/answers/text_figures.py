"""Replies, drafts and runs: how often they were written again, by which check, and day by day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.app.insights.insights import Insights
from mulligan.app.insights.text_figures import (
    TextSum,
    build_reply_share,
    describe_health,
    name_agent,
)
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.core.call import OWN
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.log_query import LogQuery
from mulligan.core.storage.rating import RATED, Rating, read_rating
from mulligan.core.storage.text_rollup import TextCounts, TextKind, TextMeasure, TextSlot
from mulligan.learning.calibration import compute_difference

MOST_THUMBS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class RatePoint:
    """The replies of one day or hour."""

    at: datetime
    n: int
    reflected: Estimate
    """The share whose first try was rejected."""
    marked: bool
    """It differs from all before by more than chance would make it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRate:
    """How often one check spoke up."""

    rule: str
    replies: int
    share: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class TextsView:
    """How texts went."""

    asked: ViewFilter
    replies: int
    reflected: Estimate
    bound_reached: Estimate
    """Sent although they were rejected to the end."""
    iterations: float | None
    """The mean."""
    health: str
    """One sentence on where that lies; empty where there are no replies."""
    trend: tuple[RatePoint, ...]
    checks: tuple[CheckRate, ...]
    drafts: int
    accepted: Estimate
    """Drafts that were good enough in the end."""
    score: float | None
    """The mean of those that were judged, of 10."""
    scores: Mapping[str, int]
    """Drafts by their score, rounded down."""
    runs: int
    """Of tasks."""
    run_rejected: Estimate
    """Runs whose output a check rejected, or that failed."""
    run_noted: Estimate
    """Runs with notes from earlier ones."""
    run_score: float | None
    """The mean of those that have one, of 1."""
    rated: int
    """Thumbs of people, for replies, drafts and runs."""
    rated_up: Estimate
    thumbs: tuple[Rating, ...]
    """The newest of them."""


def read_texts(insights: Insights, asked: ViewFilter) -> TextsView:
    """What the counts have of replies, drafts and runs in a span of time."""
    now = insights.clock()
    counts = insights.store.log.read_texts(since=now - asked.window.length, until=now)
    fitting = {slot: n for slot, n in counts.items() if _fits(slot, asked)}
    total = TextSum(fitting.items())
    reply, draft, task, thumb = TextKind.REPLY, TextKind.DRAFT, TextKind.TASK, TextKind.THUMB
    n, up = total.count(reply, TextMeasure.SETTLED), total.count(thumb, TextMeasure.UP)
    rated = up + total.count(thumb, TextMeasure.DOWN)
    marks = total.list_names(draft, TextMeasure.MARK)
    return TextsView(
        asked=asked,
        replies=round(n),
        reflected=total.estimate(reply, TextMeasure.REFLECTED),
        bound_reached=total.estimate(reply, TextMeasure.BOUND),
        iterations=total.compute_average(reply, TextMeasure.TRIES, over=TextMeasure.SETTLED),
        health=describe_health(build_reply_share("all", total)),
        trend=build_rates(fitting, asked),
        checks=tuple(
            CheckRate(rule=rule, replies=round(count), share=estimate_share(min(count, n), n))
            for rule, count in total.list_names(reply, TextMeasure.RULE).items()
        ),
        drafts=round(total.count(draft, TextMeasure.SETTLED)),
        accepted=total.estimate(draft, TextMeasure.ACCEPTED),
        score=total.compute_average(draft, TextMeasure.SCORE, over=TextMeasure.JUDGED),
        scores={mark: round(marks[mark]) for mark in sorted(marks, key=int)},
        runs=round(total.count(task, TextMeasure.SETTLED)),
        run_rejected=total.estimate(task, TextMeasure.BOUND),
        run_noted=total.estimate(task, TextMeasure.NOTED),
        run_score=total.compute_average(task, TextMeasure.SCORE, over=TextMeasure.JUDGED),
        rated=round(rated),
        rated_up=estimate_share(up, rated),
        thumbs=_list_thumbs(insights, asked),
    )


def build_rates(counts: TextCounts, asked: ViewFilter) -> tuple[RatePoint, ...]:
    """The share of replies that were written again by day or hour, the oldest first."""
    groups: dict[datetime, list[tuple[TextSlot, float]]] = {}
    for slot, n in counts.items():
        at = datetime.fromtimestamp(slot.hour * 3600, UTC)
        begins = at if asked.window.value == "24h" else at.replace(hour=0)
        groups.setdefault(begins, []).append((slot, n))
    points: list[RatePoint] = []
    before = (0.0, 0.0)
    for at, group in sorted(groups.items()):
        some = TextSum(group)
        n = some.count(TextKind.REPLY, TextMeasure.SETTLED)
        if not n:
            continue
        again = min(n, some.count(TextKind.REPLY, TextMeasure.REFLECTED))
        points.append(
            RatePoint(
                at=at,
                n=round(n),
                reflected=estimate_share(again, n),
                marked=is_beyond_chance((again, n), before),
            )
        )
        before = (before[0] + again, before[1] + n)
    return tuple(points)


def is_beyond_chance(some: tuple[float, float], before: tuple[float, float]) -> bool:
    """Whether two shares, each so many of so many, differ by more than their interval."""
    if not some[1] or not before[1]:
        return False
    _, low, high = compute_difference(some, before)
    return low > 0 or high < 0


def _fits(slot: TextSlot, asked: ViewFilter) -> bool:
    """Whether it was asked for. Who rates is no agent: only the tenant narrows thumbs down."""
    whose = asked.tenant in (None, slot.tenant)
    return whose and (slot.kind == TextKind.THUMB or asked.agent in (None, name_agent(slot)))


def _list_thumbs(insights: Insights, asked: ViewFilter) -> tuple[Rating, ...]:
    since = insights.clock() - asked.window.length
    query = LogQuery(server=OWN, tool=RATED, tenant=asked.tenant, since=since, limit=MOST_THUMBS)
    return tuple(map(read_rating, insights.store.log.list_rows(query)))
