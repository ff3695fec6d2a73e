"""Counts, patterns and answers that pages share: read once, and again when they grow old."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from mulligan.insights.cache import (
    MOST_ANSWERS,
    AnswerCache,
    CountReader,
    PatternReader,
    ThoroughLook,
    join_patterns,
)
from mulligan.insights.figures import SeriesStep
from mulligan.insights.filters import ViewFilter
from mulligan.stores.memory import MemoryLog
from mulligan.types.errors import StoreUnavailableError
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Health, Log
from mulligan.types.lesson import Pattern
from mulligan.types.log import HOUR_US, Batch, PatternQuery, PatternSeen, Rollup, Slot
from mulligan_testing.fakes import FixedClock

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)

HOUR = timedelta(hours=1)


class CountedLog(MemoryLog):
    """Counts how often it is asked."""

    asked = 0

    def sum_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        self.asked += 1
        return super().sum_rollups(since=since, until=until)

    def add(self, at: datetime, calls: int = 1, tool: str = "find") -> None:
        hour = int(at.timestamp() * 1_000_000) // HOUR_US
        self.write(Batch(rows=[], rollups={Slot(hour, "", "", tool, ""): Rollup(calls=calls)}))


def read_parts(reader: CountReader, days: int, step: SeriesStep = SeriesStep.DAY) -> list[float]:
    parts = reader.list_parts(timedelta(days=days), step=step)
    return [part.add_up(ViewFilter()).calls for part in parts]


def test_what_is_over_is_read_once_and_what_is_not_every_time() -> None:
    log = CountedLog()
    reader = CountReader(log, clock=FixedClock(NOW))
    read_parts(reader, 30)
    first, log.asked = log.asked, 0

    log.add(NOW)

    assert read_parts(reader, 30)[-1] == 1
    assert (first, log.asked) == (32, 1)


def test_what_was_kept_is_looked_at_again_in_time_the_older_the_later() -> None:
    log, clock = CountedLog(), FixedClock(NOW)
    reader = CountReader(log, clock=clock)
    read_parts(reader, 10)
    log.add(NOW - 4 * HOUR)
    log.add(NOW - 200 * HOUR)
    assert sum(read_parts(reader, 10)) == 0

    clock.move(timedelta(minutes=11))
    assert sum(read_parts(reader, 10)) == 1

    clock.move(timedelta(hours=9))
    assert sum(read_parts(reader, 10)) == 2


def seen(name: str, count: int = 1, *, at: datetime = NOW, agent: str = "anna") -> PatternSeen:
    pattern = Pattern(
        fingerprint=f"1:{name}", tool="find", error_class=ErrorClass.RULE, template=name,
        count=count,
    )  # fmt: skip
    return PatternSeen(
        pattern=pattern, first_at=at, last_at=at, agents=(agent,), example=at.isoformat()
    )


class PatternLog(MemoryLog):
    """Has patterns by the hour, and counts how often it is asked for hours that are over."""

    def __init__(self, *hours: tuple[datetime, PatternSeen]) -> None:
        super().__init__()
        self.hours = list(hours)
        self.long_asked = 0

    def list_patterns(self, query: PatternQuery) -> list[PatternSeen]:
        self.long_asked += query.until < NOW - HOUR
        since = query.since.replace(minute=0)
        return join_patterns(
            [s for at, s in self.hours if since <= at.replace(minute=0) <= query.until]
        )


def read_patterns(log: Log, clock: FixedClock | None = None) -> PatternReader:
    clock = clock or FixedClock(NOW)
    return PatternReader(log=log, clock=clock, cache=AnswerCache(clock))


def test_hours_that_are_over_are_read_once_and_each_hour_counts_once() -> None:
    log, clock = PatternLog((NOW - 50 * HOUR, seen("full"))), FixedClock(NOW)
    for hours in (0, 1, 2, 3):
        log.hours.append((NOW - hours * HOUR, seen("full")))
    reader = read_patterns(log, clock)
    assert [e.pattern.count for e in reader.list_patterns(ViewFilter())] == [5]

    clock.move(timedelta(seconds=5))
    log.hours.append((NOW, seen("full", 3)))

    assert [e.pattern.count for e in reader.list_patterns(ViewFilter())] == [8]
    assert log.long_asked == 1


def test_what_is_kept_has_an_end() -> None:
    cache = AnswerCache(FixedClock())

    for number in range(MOST_ANSWERS * 3):
        cache.keep(number, lambda: "x")

    assert len(cache._kept) <= MOST_ANSWERS


@pytest.mark.parametrize("change", [AnswerCache.forget, AnswerCache.forget_short])
def test_what_was_read_before_a_change_is_shown_to_nobody_after_it(
    change: Callable[[AnswerCache], None],
) -> None:
    cache = AnswerCache(FixedClock())

    def read_slowly() -> str:
        change(cache)
        return "before"

    asked = cache.keep("open", read_slowly)
    later = cache.keep("open", lambda: "after")

    assert (asked, later) == ("before", "after")


PATIENCE = 30.0


def count_rows(rows: int) -> Health:
    return Health(
        url="", kind="", version="", schemas={}, rows=rows, open_actions=0, size_bytes=0
    )  # fmt: skip


def test_a_page_never_waits_for_what_takes_long() -> None:
    may_end = threading.Event()

    def read() -> Health:
        may_end.wait(PATIENCE)
        return count_rows(5)

    look = ThoroughLook(read, clock=FixedClock())

    first = look.read_latest(patience=0.01)
    may_end.set()
    later = look.read_latest(patience=None)

    assert first is None
    assert later is not None
    assert later.rows == 5


def test_who_comes_while_one_looks_does_not_look_too() -> None:
    may_end, looks = threading.Event(), []

    def read() -> Health:
        looks.append(1)
        may_end.wait(PATIENCE)
        return count_rows(5)

    look = ThoroughLook(read, clock=FixedClock())

    for _ in range(5):
        look.read_latest(patience=0.001)
    may_end.set()
    look.read_latest(patience=None)

    assert len(looks) == 1


def test_a_store_that_cannot_be_read_is_a_problem_and_no_end() -> None:
    def read() -> Health:
        raise StoreUnavailableError("The store is gone.")

    found = ThoroughLook(read, clock=FixedClock()).read_latest(patience=None)

    assert found is not None
    assert (found.rows, found.problems) == (None, ("The store is gone.",))
