from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan.insights.cache import CountReader
from mulligan.insights.figures import SeriesStep
from mulligan.insights.filters import ViewFilter
from mulligan.stores.memory import MemoryLog
from mulligan.types.log import HOUR_US, Batch, Rollup, Slot
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


def read(reader: CountReader, days: int, step: SeriesStep = SeriesStep.DAY) -> list[float]:
    parts = reader.list_parts(timedelta(days=days), step=step)
    return [part.add_up(ViewFilter()).calls for part in parts]


def test_every_day_is_there_the_first_as_far_as_it_is_asked_for() -> None:
    log = CountedLog()
    reader = CountReader(log, clock=FixedClock(NOW))
    for hours in (0, 1, 9, 24, 47, 49, 80):
        log.add(NOW - hours * HOUR)

    assert read(reader, 2) == [1, 1, 3]


def test_hours_are_parts_too() -> None:
    log = CountedLog()
    log.add(NOW)
    log.add(NOW - 24 * HOUR, calls=5)

    counted = read(CountReader(log, clock=FixedClock(NOW)), 1, SeriesStep.HOUR)

    assert (len(counted), counted[0], counted[-1], sum(counted)) == (25, 5, 1, 6)


def test_what_is_over_is_read_once_and_what_is_not_every_time() -> None:
    log = CountedLog()
    reader = CountReader(log, clock=FixedClock(NOW))
    read(reader, 30)
    first, log.asked = log.asked, 0

    log.add(NOW)

    assert read(reader, 30)[-1] == 1
    assert (first, log.asked) == (32, 1)


def test_what_was_kept_is_looked_at_again_in_time_the_older_the_later() -> None:
    log, clock = CountedLog(), FixedClock(NOW)
    reader = CountReader(log, clock=clock)
    read(reader, 10)
    log.add(NOW - 4 * HOUR)
    log.add(NOW - 200 * HOUR)
    assert sum(read(reader, 10)) == 0

    clock.move(timedelta(minutes=11))
    assert sum(read(reader, 10)) == 1

    clock.move(timedelta(hours=9))
    assert sum(read(reader, 10)) == 2


def test_slots_are_joined_as_asked_and_what_was_kept_stays_as_it_is() -> None:
    log = CountedLog()
    log.add(NOW, tool="find")
    log.add(NOW - 30 * HOUR, tool="find")
    log.add(NOW, tool="send")
    reader = CountReader(log, clock=FixedClock(NOW))

    joined = [reader.join_slots(48 * HOUR, ViewFilter(tool="find")) for _ in range(3)]

    found = [{slot.tool: counts.calls for slot, counts in each.items()} for each in joined]
    assert found == [{"find": 2}] * 3


def test_a_joined_span_shows_what_happens_now() -> None:
    log = CountedLog()
    reader = CountReader(log, clock=FixedClock(NOW))
    reader.join_slots(720 * HOUR, ViewFilter())
    first, log.asked = log.asked, 0

    log.add(NOW, calls=3)

    [counts] = reader.join_slots(720 * HOUR, ViewFilter()).values()
    assert (counts.calls, first, log.asked) == (3, 32, 1)


def test_what_was_added_up_once_is_added_up_for_each_filter() -> None:
    log = CountedLog()
    log.add(NOW - 30 * HOUR, tool="find")
    log.add(NOW - 30 * HOUR, tool="send", calls=4)
    reader = CountReader(log, clock=FixedClock(NOW))

    [_, part, _] = reader.list_parts(34 * HOUR, step=SeriesStep.DAY)

    asked = [ViewFilter(tool="find"), ViewFilter(), ViewFilter(tool="send"), ViewFilter()]
    assert [part.add_up(each).calls for each in asked] == [1, 5, 4, 5]


def test_a_span_is_halved_at_an_hour() -> None:
    log = CountedLog()
    for hours in (0, 1, 5, 6, 7, 40):
        log.add(NOW - hours * HOUR)
    reader = CountReader(log, clock=FixedClock(NOW))

    earlier, later = reader.add_up_halves(NOW - 20 * HOUR, middle=NOW - 6 * HOUR)

    assert (earlier.calls, later.calls) == (1, 4)


def test_hours_with_something_in_them_are_found_the_newest_first_and_no_more_than_needed() -> None:
    log = CountedLog()
    reader = CountReader(log, clock=FixedClock(NOW))
    for hours in (1, 3, 30, 200):
        log.add(NOW - hours * HOUR, tool="rare")
    for hours in range(24):
        log.add(NOW - hours * HOUR, calls=10)
    asked = ViewFilter(tool="rare")
    top = NOW.replace(minute=0)

    every, few = (reader.list_hours(asked, most=most) for most in (1_000, 11))

    assert every == [top - 1 * HOUR, top - 3 * HOUR, top - 30 * HOUR]
    assert few == [top - 1 * HOUR]
    assert reader.count_calls(timedelta(days=7)) == 243
