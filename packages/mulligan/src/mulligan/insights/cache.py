"""Answers and counts that many pages ask for, kept for as long as they may be a little old.

A page asks for the same thirty days every few seconds. Of a busy store that is a hundred thousand
roll-ups, of which all but those of the last hours are what they were.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from mulligan.insights.figures import EPOCH, HOUR, SeriesStep, add_up_counts
from mulligan.insights.filters import ViewFilter
from mulligan.types.errors import MulliganError
from mulligan.types.interfaces import Clock, Health, Log
from mulligan.types.log import PatternQuery, PatternSeen, Rollup, Slot

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
        """Something was changed."""
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
        """All that was asked for together; read-only."""
        wanted = (asked.tool, asked.agent, asked.tenant)
        total = self._sums.get(wanted)
        if total is None:
            total = add_up_counts(counts for slot, counts in self.slots.items() if asked.fits(slot))
            if len(self._sums) < MOST_SUMS:
                self._sums[wanted] = total
        return total


class CountedPart(NamedTuple):
    """The counts of an hour or a day: of what is over, and of what may still change."""

    at: datetime
    """When it begins."""
    hours: list[CountedHours]

    def add_up(self, asked: ViewFilter) -> Rollup:
        """All that was asked for together; read-only."""
        if len(self.hours) == 1:
            return self.hours[0].add_up(asked)
        return add_up_counts(each.add_up(asked) for each in self.hours)


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
        return [
            CountedPart(_begin(start - start % hours), self._read_hours(start, end))
            for start, end in _split(first, last, hours=hours)
        ]

    def join_slots(self, length: timedelta, asked: ViewFilter) -> dict[Slot, Rollup]:
        """The counts of a span up to now by what was called by whom, as far as asked for."""
        now = self._clock()
        first, last, over = _find_hour(now - length), _find_hour(now), self._find_over()
        with self._lock:
            kept = self._joined.get((first, over))
        if kept is None or kept[0] <= now - COUNTS_LIFE:
            days = [each.slots for each in self._list_days(first, over)]
            kept = (now, _join(days, ViewFilter()))
            with self._lock:
                _keep(self._joined, (first, over), kept, most=MOST_SUMS)
        still = [each.slots for each in self._read_hours(over + 1, last)]
        return _join([kept[1], *still], asked)

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
        for start, end in _split(first, last, hours=24):
            yield from self._read_hours(start, end)

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


def _join(sums: Iterable[SlotCounts], asked: ViewFilter) -> dict[Slot, Rollup]:
    """All of them together, each slot anew: what was kept stays as it is."""
    total: dict[Slot, Rollup] = {}
    for each in sums:
        for slot, counts in each.items():
            if asked.fits(slot):
                total.setdefault(slot, Rollup()).add(counts)
    return total


def _split(first: int, last: int, *, hours: int) -> Iterator[tuple[int, int]]:
    """The first and the last hour of each part; the first part and the last may be cut."""
    while first <= last:
        end = min(first - first % hours + hours - 1, last)
        yield first, end
        first = end + 1


def _find_hour(at: datetime) -> int:
    return (at - EPOCH) // HOUR


def _begin(hour: int) -> datetime:
    return EPOCH + hour * HOUR


MOST_PATTERNS = 100_000
"""Of all tools together."""

PatternSpan = list[PatternSeen]
"""What failed in some hours, the most frequent first."""
PatternKey = tuple[str, str]
"""A tool, and a fingerprint of what it said."""


class PatternReader(Struct, frozen=True, kw_only=True):
    """Reads patterns of a span up to now."""

    log: Log
    clock: Clock
    cache: AnswerCache

    def list_patterns(self, asked: ViewFilter) -> PatternSpan:
        """What was asked for, the most frequent first."""
        found = self._read_until_now(self._find_hour(asked.window.length), asked)
        return [each for each in found if asked.agent in (None, *each.agents)]

    def list_spans(self, asked: ViewFilter, *, ends: Sequence[timedelta]) -> list[PatternSpan]:
        """Those of now until the first of `ends` ago, from there to the second, and so on."""
        begins = [self._find_hour(ago) for ago in ends]
        return [
            self._read_until_now(begins[0], asked),
            *(
                self._read_over(since, until - HOUR, asked)
                for until, since in itertools.pairwise(begins)
            ),
        ]

    def _read_until_now(self, since: datetime, asked: ViewFilter) -> PatternSpan:
        begins = self._find_hour((OPEN_HOURS - 1) * HOUR)
        return self.cache.keep(
            ("patterns that may change", since, begins, asked.tenant, asked.tool_name),
            lambda: join_patterns(
                self._read_over(since, begins - HOUR, asked),
                self._read(begins, self.clock(), asked),
            ),
        )

    def _read_over(self, since: datetime, until: datetime, asked: ViewFilter) -> PatternSpan:
        return self.cache.keep(
            ("patterns", since, until, asked.tenant, asked.tool_name),
            lambda: self._read(since, until, asked),
            life=COUNTS_LIFE,
        )

    def _find_hour(self, ago: timedelta) -> datetime:
        return (self.clock() - ago).replace(minute=0, second=0, microsecond=0)

    def _read(self, since: datetime, until: datetime, asked: ViewFilter) -> PatternSpan:
        query = PatternQuery(since=since, until=until, tenant=asked.tenant, limit=MOST_PATTERNS)
        return self.log.list_patterns(replace(query, tool=asked.tool_name))


def find_pattern_key(seen: PatternSeen) -> PatternKey:
    """What makes two patterns one."""
    return seen.pattern.tool, seen.pattern.fingerprint


def join_patterns(*parts: Iterable[PatternSeen]) -> PatternSpan:
    """Those of several spans together, the most frequent first."""
    found: dict[PatternKey, PatternSpan] = {}
    for each in itertools.chain(*parts):
        found.setdefault(find_pattern_key(each), []).append(each)
    joined = [_add_up(group) for group in found.values()]
    return sorted(joined, key=lambda each: (-each.pattern.count, *find_pattern_key(each)))


def _add_up(group: PatternSpan) -> PatternSeen:
    if len(group) == 1:
        return group[0]
    newest = max(group, key=lambda each: each.example)
    return replace(
        newest,
        pattern=replace(newest.pattern, count=sum(each.pattern.count for each in group)),
        first_at=min(each.first_at for each in group),
        last_at=max(each.last_at for each in group),
        agents=tuple(sorted({agent for each in group for agent in each.agents})),
    )


LOOK_PATIENCE = 0.2
"""Seconds that a page waits for a look: enough where there is little to look at."""
LOOK_LIFE = timedelta(seconds=10)
"""How old a look may be."""
LOOK_REST = 60
"""A look that took long is believed for so many times as long: it is a burden on the store."""


class Looked(Struct, frozen=True, kw_only=True):
    """What a look came to."""

    at: datetime
    took: timedelta
    rows: int | None
    problems: tuple[str, ...]


class ThoroughLook:
    """Reads a store from end to end, one reader at a time. Safe to use from any thread."""

    def __init__(self, read: Callable[[], Health], *, clock: Clock) -> None:
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._under_way: threading.Event | None = None
        self._last: Looked | None = None

    def read_latest(self, *, patience: float | None = LOOK_PATIENCE) -> Looked | None:
        """The last look, a new one where that is old and quick enough; `None`: there is none yet.

        `patience`: how many seconds to wait for it; `None`: until it is done.
        """
        last = self._last
        if last is not None and self._clock() < last.at + max(LOOK_LIFE, last.took * LOOK_REST):
            return last
        done, began = self._start()
        if patience is None:
            done.wait()
        elif began and (last is None or last.took.total_seconds() < patience):
            # Only the request that started it waits; the others do not.
            done.wait(patience)
        return self._last

    def _start(self) -> tuple[threading.Event, bool]:
        """When the look is done, and whether it was begun just now."""
        with self._lock:
            if self._under_way is not None:
                return self._under_way, False
            done = self._under_way = threading.Event()
        # A daemon thread: stopping the server does not wait for it.
        threading.Thread(target=self._look, args=(done,), name="look", daemon=True).start()
        return done, True

    def _look(self, done: threading.Event) -> None:
        at, began = self._clock(), time.monotonic()
        try:
            try:
                health = self._read()
                rows, problems = health.rows, health.problems
            except MulliganError as error:
                rows, problems = None, (str(error),)
            took = timedelta(seconds=time.monotonic() - began)
            self._last = Looked(at=at, took=took, rows=rows, problems=problems)
        finally:
            with self._lock:
                self._under_way = None
            done.set()
