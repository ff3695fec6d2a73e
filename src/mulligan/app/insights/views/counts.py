"""Counts by hour or day that are read once: what is long over does not change any more.

A page asks for the same thirty days every few seconds. Of a busy store that is a hundred thousand
roll-ups, of which all but those of the last hours are what they were.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from mulligan.app.insights.figures import add_up_counts
from mulligan.app.insights.series import EPOCH, HOUR, SeriesStep
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.core.interfaces import Clock, Log
from mulligan.core.rollup import Rollup, Slot

OPEN_HOURS = 2
"""How long a part of the past may still change: a later try counts in the hour of the first."""
LIFE = timedelta(minutes=10)
"""How long a part is believed; a repair that took hours shows after that."""
MOST_PARTS = 512


class CountedPart(NamedTuple):
    """The counts of an hour or a day."""

    at: datetime
    """When it begins."""
    slots: Mapping[Slot, Rollup]

    def add_up(self, asked: ViewFilter) -> Rollup:
        """All that was asked for together."""
        return add_up_counts(counts for slot, counts in self.slots.items() if asked.fits(slot))


class CountReader:
    """Reads roll-ups part by part, and keeps those of parts that are over."""

    def __init__(self, log: Log, *, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._parts: OrderedDict[tuple[int, int], tuple[datetime, Mapping[Slot, Rollup]]] = (
            OrderedDict()
        )

    def list_parts(
        self, length: timedelta, *, step: SeriesStep, until: datetime | None = None
    ) -> list[CountedPart]:
        """Every hour or day of a span up to `until`, else to now; the first may be cut."""
        until = until or self._clock()
        first, last = _find_hour(until - length), _find_hour(until)
        hours = round(step.length / HOUR)
        parts = []
        start = first
        while start <= last:
            end = min(start - start % hours + hours - 1, last)
            begins = EPOCH + (start - start % hours) * HOUR
            parts.append(CountedPart(begins, self._read_part(start, end)))
            start = end + 1
        return parts

    def _read_part(self, start: int, end: int) -> Mapping[Slot, Rollup]:
        """The sum of some hours; what may still change apart from what is over."""
        now = self._clock()
        over = _find_hour(now) - OPEN_HOURS
        if start <= over < end:
            return _join([self._read_part(start, over), self._read_part(over + 1, end)])
        with self._lock:
            kept = self._parts.get((start, end))
        if kept is not None and kept[0] > now - LIFE:
            return kept[1]
        counted = self._log.sum_rollups(since=EPOCH + start * HOUR, until=EPOCH + end * HOUR)
        if end <= over:
            self._keep((start, end), now, counted)
        return counted

    def _keep(self, hours: tuple[int, int], now: datetime, counted: Mapping[Slot, Rollup]) -> None:
        with self._lock:
            self._parts[hours] = (now, counted)
            self._parts.move_to_end(hours)
            while len(self._parts) > MOST_PARTS:
                self._parts.popitem(last=False)


def join_parts(parts: Iterable[CountedPart], asked: ViewFilter) -> dict[Slot, Rollup]:
    """The counts of all parts together, as far as they are asked for."""
    return {
        slot: counts
        for slot, counts in _join([part.slots for part in parts]).items()
        if asked.fits(slot)
    }


def _join(sums: Iterable[Mapping[Slot, Rollup]]) -> dict[Slot, Rollup]:
    total: dict[Slot, Rollup] = {}
    for each in sums:
        for slot, counts in each.items():
            total.setdefault(slot, Rollup()).add(counts)
    return total


def _find_hour(at: datetime) -> int:
    return (at - EPOCH) // HOUR
