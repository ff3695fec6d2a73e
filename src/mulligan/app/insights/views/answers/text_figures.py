"""Replies and drafts: how often they had to be written again, by which check, and day by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.app.insights.insights import Insights
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.rows import parse_parameters
from mulligan.app.step_log import REPLY_SETTLED
from mulligan.core.call import OWN, LogRow
from mulligan.core.instants import from_us
from mulligan.core.log_query import LogQuery
from mulligan.core.rating import RATED, Rating, read_rating
from mulligan.learning.lessons.calibration.intervals import compute_difference

MOST = 20_000
RESPONDED = "draft.responded"
MOST_THUMBS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class RatePoint:
    """The replies of one day or hour."""

    at: datetime
    n: int
    reflected: Estimate
    """The share that was written again."""
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
    trend: tuple[RatePoint, ...]
    checks: tuple[CheckRate, ...]
    drafts: int
    accepted: Estimate
    """Drafts that were good enough in the end."""
    score: float | None
    """The mean of those that were judged, of 10."""
    scores: Mapping[str, int]
    """Drafts by their score, rounded down."""
    rated: int
    """Thumbs of people, for replies, drafts and runs."""
    rated_up: Estimate
    thumbs: tuple[Rating, ...]
    """The newest of them."""


def read_texts(insights: Insights, asked: ViewFilter) -> TextsView:
    """What the log has of replies and drafts in a span of time."""
    replies = [
        parse_parameters(row.parameters) for row in _list_rows(insights, asked, REPLY_SETTLED)
    ]
    drafts = [parse_parameters(row.parameters) for row in _list_rows(insights, asked, RESPONDED)]
    # Who rates is no agent: only the time and the tenant narrow that down.
    thumbs = list(map(read_rating, _list_rows(insights, replace(asked, agent=None), RATED)))
    n = len(replies)
    rules: Counter[str] = Counter()
    for row in _list_rows(insights, asked, "reply.checked"):
        rules.update({str(rule) for rule in parse_parameters(row.parameters).get("rules") or ()})
    judged = [float(d["score"]) for d in drafts if isinstance(d.get("score"), int | float)]
    rounded = Counter(str(int(score)) for score in judged)
    return TextsView(
        asked=asked,
        replies=n,
        reflected=estimate_share(sum(map(_is_reflected, replies)), n),
        bound_reached=estimate_share(sum(bool(r.get("bound_reached")) for r in replies), n),
        iterations=sum(_count_iterations(r) for r in replies) / n if n else None,
        trend=build_rates(_list_rows(insights, asked, REPLY_SETTLED), asked),
        checks=tuple(
            CheckRate(rule=rule, replies=count, share=estimate_share(min(count, n), n))
            for rule, count in rules.most_common()
        ),
        drafts=len(drafts),
        accepted=estimate_share(sum(bool(d.get("accepted")) for d in drafts), len(drafts)),
        score=sum(judged) / len(judged) if judged else None,
        rated=len(thumbs),
        rated_up=estimate_share(sum(each.up for each in thumbs), len(thumbs)),
        thumbs=tuple(thumbs[:MOST_THUMBS]),
        scores=dict(sorted(rounded.items(), key=lambda each: int(each[0]))),
    )


def build_rates(rows: Iterable[LogRow], asked: ViewFilter) -> tuple[RatePoint, ...]:
    """The share of replies that were written again by day or hour, the oldest first."""
    groups: dict[datetime, list[bool]] = {}
    for row in rows:
        at = from_us(row.at_us).replace(minute=0, second=0, microsecond=0)
        begins = at if asked.window.value == "24h" else at.replace(hour=0)
        groups.setdefault(begins, []).append(_is_reflected(parse_parameters(row.parameters)))
    points: list[RatePoint] = []
    before: list[bool] = []
    for at, some in sorted(groups.items()):
        points.append(
            RatePoint(
                at=at,
                n=len(some),
                reflected=estimate_share(sum(some), len(some)),
                marked=is_beyond_chance(some, before),
            )
        )
        before += some
    return tuple(points)


def is_beyond_chance(some: Sequence[bool], before: Sequence[bool]) -> bool:
    """Whether two shares differ by more than their interval."""
    if not some or not before:
        return False
    _, low, high = compute_difference((sum(some), len(some)), (sum(before), len(before)))
    return low > 0 or high < 0


def _list_rows(insights: Insights, asked: ViewFilter, step: str) -> list[LogRow]:
    since = insights.clock() - asked.window.length
    query = LogQuery(
        server=OWN, tool=step, tenant=asked.tenant, agent=asked.agent, since=since, limit=MOST
    )
    return insights.store.log.list_rows(query)


def _count_iterations(reply: Mapping[str, Any]) -> int:
    said = reply.get("iterations")
    return said if isinstance(said, int) else 1


def _is_reflected(reply: Mapping[str, Any]) -> bool:
    return _count_iterations(reply) > 1
