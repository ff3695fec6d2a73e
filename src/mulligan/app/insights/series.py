"""How calls went hour by hour or day by day, read from the roll-ups alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from mulligan.app.insights.figures import NOBODY, Share, add_up_counts, build_share, name_tool
from mulligan.core.interfaces import Log
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.rollup import Rollup, Slot

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPart:
    """One hour or day of a series: one without calls is there too, so that it can be drawn."""

    at: datetime
    """When it begins."""
    share: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """What became of calls over time, the oldest part first."""

    step: SeriesStep
    tool: str | None
    """`None`: of every tool; so for agents."""
    agent: str | None
    parts: tuple[SeriesPart, ...]


def read_series(
    log: Log,
    *,
    since: datetime,
    until: datetime,
    step: SeriesStep,
    tool: str | None = None,
    agent: str | None = None,
) -> Series:
    """Every hour or day from `since` to `until`, both included; of one tool or agent if named."""
    hours = log.read_rollups(since=_find_beginning(since, step), until=until)
    groups: dict[datetime, list[Rollup]] = {}
    for slot, counts in hours.items():
        if _fits(slot, tool=tool, agent=agent):
            groups.setdefault(_find_beginning(EPOCH + slot.hour * HOUR, step), []).append(counts)
    counted = {at: add_up_counts(groups.get(at, ())) for at in _list_beginnings(since, until, step)}
    parts = [
        SeriesPart(at=at, share=build_share(f"{at:%Y-%m-%d %H:%M}", counts))
        for at, counts in counted.items()
    ]
    return Series(step=step, tool=tool, agent=agent, parts=tuple(parts))


def _fits(slot: Slot, *, tool: str | None, agent: str | None) -> bool:
    return tool in (None, slot.tool, name_tool(slot)) and agent in (None, slot.agent or NOBODY)


def _list_beginnings(since: datetime, until: datetime, step: SeriesStep) -> Iterator[datetime]:
    at = _find_beginning(since, step)
    while at <= until:
        yield at
        at += step.length


def _find_beginning(at: datetime, step: SeriesStep) -> datetime:
    return at - (at - EPOCH) % step.length
