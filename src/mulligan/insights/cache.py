"""Answers and counts that many pages ask for, kept for as long as they may be a little old.

A page asks for the same thirty days every few seconds. Of a busy store that is a hundred thousand
roll-ups, of which all but those of the last hours are what they were.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar, cast

from mulligan.insights.figures import EPOCH, HOUR, SeriesStep, add_up_counts
from mulligan.insights.filters import ViewFilter
from mulligan.types.interfaces import Clock, Log
from mulligan.types.log import Rollup, Slot

A = TypeVar("A")

SHORT = timedelta(seconds=2)
LONG = timedelta(minutes=1)
"""For what is about a month, and takes longer to find out."""
MOST_ANSWERS = 64


class _Kept(NamedTuple):
    at: datetime
    life: timedelta
    answer: object


class AnswerCache:
    """Answers by name. Safe to use from any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[object, _Kept] = {}
        self._changes = self._news = 0
        """How often all was forgotten, and how often what has a short life."""

    def keep(self, name: object, read: Callable[[], A], *, life: timedelta = SHORT) -> A:
        """The answer that is kept under a name, or what `read` says now."""
        now = self._clock()
        with self._lock:
            kept, known = self._kept.get(name), self._count_changes(life)
        if kept is not None and kept.at > now - life:
            return cast("A", kept.answer)
        found = read()
        with self._lock:
            if known != self._count_changes(life):
                # It may be from before the change, which others must not be shown.
                return found
            if len(self._kept) >= MOST_ANSWERS:
                self._kept.clear()
            self._kept[name] = _Kept(now, life, found)
        return found

    def forget(self) -> None:
        """Somebody has changed something."""
        with self._lock:
            self._changes += 1
            self._kept.clear()

    def forget_short(self) -> None:
        """There is news: what is kept for seconds only was read before."""
        with self._lock:
            self._news += 1
            self._kept = {name: each for name, each in self._kept.items() if each.life > SHORT}

    def _count_changes(self, life: timedelta) -> tuple[int, int]:
        """Changes that an answer with such a life must not be from before."""
        return self._changes, self._news if life <= SHORT else 0


OPEN_HOURS = 2
"""How long a part of the past may still change: a later try counts in the hour of the first."""
COUNTS_LIFE = timedelta(minutes=10)
"""How long a part is believed that has just ended; a repair that took hours shows after that."""
AGEING = 24
"""One that ended long ago is believed for this part of its age: what it counts hardly changes."""
MOST_PARTS = 512
MOST_SUMS = 64

SlotCounts = Mapping[Slot, Rollup]
K = TypeVar("K")
V = TypeVar("V")


class CountedHours:
    """Counts of some hours, and what they come to for each filter that was asked."""

    __slots__ = ("_sums", "slots")

    def __init__(self, slots: SlotCounts) -> None:
        self.slots = slots
        self._sums: dict[tuple[str | None, ...], Rollup] = {}

    def add_up(self, asked: ViewFilter) -> Rollup:
        """All that was asked for together; nobody may change it."""
        wanted = (asked.tool, asked.agent, asked.tenant)
        total = self._sums.get(wanted)
        if total is None:
            total = add_up_counts(counts for slot, counts in self.slots.items() if asked.fits(slot))
            if len(self._sums) < MOST_SUMS:
                self._sums[wanted] = total
        return total


class CountedPart:
    """The counts of an hour or a day: of what is over, and of what may still change."""

    __slots__ = ("_hours", "at")

    def __init__(self, at: datetime, hours: tuple[CountedHours, ...]) -> None:
        self.at = at
        """When it begins."""
        self._hours = hours

    def add_up(self, asked: ViewFilter) -> Rollup:
        """All that was asked for together; nobody may change it."""
        if len(self._hours) == 1:
            return self._hours[0].add_up(asked)
        return add_up_counts(each.add_up(asked) for each in self._hours)


class CountReader:
    """Reads roll-ups part by part, and keeps those of parts that are over."""

    def __init__(self, log: Log, *, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int], tuple[datetime, CountedHours]] = OrderedDict()
        self._joined: OrderedDict[tuple[int, int], tuple[datetime, SlotCounts]] = OrderedDict()

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
            parts.append(CountedPart(begins, tuple(self._read_hours(start, end))))
            start = end + 1
        return parts

    def join_slots(self, length: timedelta, asked: ViewFilter) -> dict[Slot, Rollup]:
        """The counts of a span up to now by what was called by whom, as far as asked for."""
        now = self._clock()
        first, last, over = _find_hour(now - length), _find_hour(now), self._find_over()
        with self._lock:
            kept = self._joined.get((first, over))
        if kept is None or kept[0] <= now - COUNTS_LIFE:
            kept = (now, _join([each.slots for each in self._list_days(first, over)]))
            with self._lock:
                _keep(self._joined, (first, over), kept, most=MOST_SUMS)
        still = [each.slots for each in self._read_hours(over + 1, last)]
        return _join([_pick(slots, asked) for slots in (kept[1], *still)])

    def count_calls(self, length: timedelta) -> float:
        """How many calls there were in a span up to now, of every tool and agent."""
        days = self.list_parts(length, step=SeriesStep.DAY)
        return sum(day.add_up(ViewFilter()).calls for day in days)

    def list_hours(self, asked: ViewFilter, *, most: float) -> list[datetime]:
        """The hours in which there is something asked for, the newest first.

        As many as have `most` calls together, of whomever: whoever looks for rows of one agent
        meets with those of all others.
        """
        found: list[datetime] = []
        for day in reversed(self.list_parts(asked.window.length, step=SeriesStep.DAY)):
            if not day.add_up(asked).calls:
                continue
            ends = min(day.at + 23 * HOUR, self._clock())
            hours = self.list_parts(ends - day.at, step=SeriesStep.HOUR, until=ends)
            for hour in reversed([each for each in hours if each.add_up(asked).calls]):
                found.append(hour.at)
                most -= hour.add_up(ViewFilter()).calls
                if most <= 0:
                    return found
        return found

    def add_up_halves(self, since: datetime, *, middle: datetime) -> tuple[Rollup, Rollup]:
        """What all calls came to from `since` to `middle`, and from there to now."""
        ends = (_find_hour(since), _find_hour(middle), _find_hour(self._clock()) + 1)
        earlier, later = (
            add_up_counts(each.add_up(ViewFilter()) for each in self._list_days(start, end - 1))
            for start, end in itertools.pairwise(ends)
        )
        return earlier, later

    def _list_days(self, first: int, last: int) -> Iterator[CountedHours]:
        """By the day, as `list_parts` reads them: what it has kept is not read again."""
        start = first
        while start <= last:
            end = min(start - start % 24 + 23, last)
            yield from self._read_hours(start, end)
            start = end + 1

    def _read_hours(self, start: int, end: int) -> list[CountedHours]:
        """The sum of some hours; what may still change apart from what is over."""
        now, over = self._clock(), self._find_over()
        if start <= over < end:
            return [*self._read_hours(start, over), *self._read_hours(over + 1, end)]
        with self._lock:
            kept = self._kept.get((start, end))
        if kept is not None and kept[0] > now - max(COUNTS_LIFE, (kept[0] - _begin(end)) / AGEING):
            return [kept[1]]
        counted = CountedHours(self._log.sum_rollups(since=_begin(start), until=_begin(end)))
        if end <= over:
            with self._lock:
                _keep(self._kept, (start, end), (now, counted), most=MOST_PARTS)
        return [counted]

    def _find_over(self) -> int:
        """The last hour that is over."""
        return _find_hour(self._clock()) - OPEN_HOURS


def _keep(kept: OrderedDict[K, V], name: K, value: V, *, most: int) -> None:
    kept[name] = value
    kept.move_to_end(name)
    while len(kept) > most:
        kept.popitem(last=False)


def _pick(slots: SlotCounts, asked: ViewFilter) -> SlotCounts:
    return {slot: counts for slot, counts in slots.items() if asked.fits(slot)}


def _join(sums: Iterable[SlotCounts]) -> dict[Slot, Rollup]:
    """All of them together, each slot anew: what was kept stays as it is."""
    total: dict[Slot, Rollup] = {}
    for each in sums:
        for slot, counts in each.items():
            total.setdefault(slot, Rollup()).add(counts)
    return total


def _find_hour(at: datetime) -> int:
    return (at - EPOCH) // HOUR


def _begin(hour: int) -> datetime:
    return EPOCH + hour * HOUR
