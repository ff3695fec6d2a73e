from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan.insights.cache import AnswerCache, PatternReader, join_patterns
from mulligan.insights.filters import ViewFilter, Window
from mulligan.stores.memory import MemoryLog
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Log
from mulligan.types.lesson import Pattern
from mulligan.types.log import PatternQuery, PatternSeen
from mulligan_testing.fakes import FixedClock

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


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


def read(log: Log, clock: FixedClock | None = None) -> PatternReader:
    clock = clock or FixedClock(NOW)
    return PatternReader(log=log, clock=clock, cache=AnswerCache(clock))


def test_spans_are_joined_with_the_most_frequent_first() -> None:
    old, new = NOW - 3 * HOUR, NOW

    joined = join_patterns(
        [seen("full", 5, at=old), seen("gone", 2, at=old)], [seen("gone", 4, at=new, agent="bob")]
    )

    assert [(e.pattern.template, e.pattern.count) for e in joined] == [("gone", 6), ("full", 5)]
    assert (joined[0].first_at, joined[0].last_at, joined[0].agents, joined[0].example) == (
        old, new, ("anna", "bob"), new.isoformat(),
    )  # fmt: skip


def test_hours_that_are_over_are_read_once_and_each_hour_counts_once() -> None:
    log, clock = PatternLog((NOW - 50 * HOUR, seen("full"))), FixedClock(NOW)
    for hours in (0, 1, 2, 3):
        log.hours.append((NOW - hours * HOUR, seen("full")))
    reader = read(log, clock)
    assert [e.pattern.count for e in reader.list_patterns(ViewFilter())] == [5]

    clock.move(timedelta(seconds=5))
    log.hours.append((NOW, seen("full", 3)))

    assert [e.pattern.count for e in reader.list_patterns(ViewFilter())] == [8]
    assert log.long_asked == 1


def test_a_window_and_an_agent_narrow_it() -> None:
    log = PatternLog(
        (NOW, seen("full")), (NOW, seen("gone", agent="bob")), (NOW - 30 * HOUR, seen("old"))
    )
    day = ViewFilter(window=Window.DAY)

    named = [e.pattern.template for e in read(log).list_patterns(day)]
    bobs = [
        e.pattern.template
        for e in read(log).list_patterns(ViewFilter(window=Window.DAY, agent="bob"))
    ]

    assert (named, bobs) == (["full", "gone"], ["gone"])


def test_spans_follow_each_other_and_those_that_are_over_are_read_once() -> None:
    day = timedelta(days=1)
    log, clock = PatternLog(), FixedClock(NOW)
    for name, ago in (("now", 0 * day), ("edge", 3 * day), ("older", 3 * day + HOUR)):
        log.hours.append((NOW - ago, seen(name)))
    reader = read(log, clock)

    first = reader.list_spans(ViewFilter(), ends=(3 * day, 8 * day))
    clock.move(timedelta(seconds=5))
    second = reader.list_spans(ViewFilter(), ends=(3 * day, 8 * day))

    names = [[each.pattern.template for each in span] for span in first]
    assert [sorted(span) for span in names] == [["edge", "now"], ["older"]]
    assert (second, log.long_asked) == (first, 2)
