from __future__ import annotations

import threading
import time

import pytest
from msgspec.structs import replace

from mulligan.telemetry.writer import CROWDED, LogWriter, RowQueue, WriterLimits
from mulligan.types.call import OWN, LogRow, Outcome
from mulligan.types.events import RowsDropped
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import FindingRow
from mulligan.types.lesson import Pattern
from mulligan_testing.fakes import FixedClock
from tests.telemetry.rows import a_row
from tests.telemetry.stalling import StallingLog

pytestmark = pytest.mark.promise(9)

QUICK = WriterLimits(rows=100, batch=16, interval=0.02, flush=0.3, first_pause=0.01)


def a_writer(log: StallingLog, **changes: object) -> LogWriter:
    return LogWriter(log, clock=FixedClock(), limits=changes.pop("limits", QUICK), **changes)


def until(condition, *, seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def test_rows_reach_the_store_without_being_asked_for() -> None:
    log = StallingLog()
    writer = a_writer(log)
    rows = [a_row(n) for n in range(40)]

    for row in rows:
        writer.emit(row)

    assert until(lambda: len(log.stored) == 40)
    assert sorted(log.stored) == sorted(rows)
    writer.close()


def test_failures_are_written_with_what_they_are_cases_of() -> None:
    def recognize(row: LogRow) -> Pattern:
        if row.error_message == "odd":
            raise ValueError("nobody knows")
        return Pattern(
            fingerprint=row.tool, tool=row.tool, error_class=ErrorClass.RULE, template="", count=1
        )

    log = StallingLog()
    writer = a_writer(log, recognize=recognize)
    failed = a_row(1, outcome=Outcome.FAILURE)
    odd = a_row(2, outcome=Outcome.UNKNOWN, error_message="odd")
    step = a_row(4, outcome=Outcome.FAILURE, server=OWN)

    for row in (a_row(0), failed, odd, a_row(3, outcome=Outcome.CANCELLED), step):
        writer.emit(row)
    writer.flush()

    assert [name for batch in log.batches for name in batch.patterns] == [failed.id]
    assert sum(len(batch.rows) for batch in log.batches) == 5
    writer.close()


@pytest.mark.full
def test_a_stalled_store_holds_nobody_up_and_every_row_is_accounted_for() -> None:
    log = StallingLog()
    writer = a_writer(log)
    log.stall()
    writer.emit(a_row(0))
    log.reached.wait(60)

    started = time.perf_counter()
    for n in range(1, 2000):
        outcome = Outcome.FAILURE if n % 50 == 0 else Outcome.SUCCESS
        writer.emit(a_row(n, outcome=outcome))
    took = time.perf_counter() - started
    log.go_on()
    writer.close()

    tally = writer.tally()
    lost = log.list_losses()
    assert took < 30
    assert tally.waiting == 0
    assert tally.emitted == 2000 == tally.stored + tally.dropped
    assert tally.stored == len(log.stored)
    assert tally.dropped == sum(loss.successes + loss.failures for loss in lost) > 0
    assert sum(loss.failures for loss in lost) == 0
    assert sum(row.outcome == Outcome.FAILURE for row in log.stored) == 39


def test_rows_from_many_threads_add_up_exactly_under_overload() -> None:
    log = StallingLog()
    writer = a_writer(log)
    log.stall()
    threads = [
        threading.Thread(target=lambda: [writer.emit(a_row(n)) for n in range(500)])
        for _ in range(8)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.go_on()
    writer.close()

    tally = writer.tally()
    assert tally.emitted == 4000 == tally.stored + tally.dropped
    assert len({row.id for row in log.stored}) == tally.stored


def test_a_store_that_is_away_for_a_while_loses_nothing() -> None:
    log = StallingLog()
    writer = a_writer(log)
    log.failing = True
    for n in range(20):
        writer.emit(a_row(n))
    assert log.reached.wait(60)

    log.failing = False

    assert until(lambda: len(log.stored) == 20)
    writer.close()
    assert writer.tally().dropped == 0


def test_a_store_that_never_comes_back_is_given_up_at_close_and_counted() -> None:
    log = StallingLog()
    dropped: list[RowsDropped] = []
    writer = a_writer(log, on_drop=dropped.append)
    log.failing = True
    for n in range(5):
        writer.emit(a_row(n))

    writer.close()

    tally = writer.tally()
    assert tally.emitted == 5 == tally.stored + tally.dropped + tally.waiting
    assert tally.stored == 0
    assert [(d.reason, d.count) for d in dropped] == [("shutdown", 5)]


def test_one_row_that_cannot_be_held_does_not_take_its_batch_with_it() -> None:
    log = StallingLog()
    writer = a_writer(log)
    rows = [a_row(n) for n in range(10)]
    log.refuses = {rows[4].id}

    for row in rows:
        writer.emit(row)
    writer.close()

    assert len(log.stored) == 9
    assert [(loss.reason, loss.successes) for loss in log.list_losses()] == [("refused", 1)]
    assert writer.tally().dropped == 1


def test_a_closed_writer_counts_what_it_is_given() -> None:
    log = StallingLog()
    writer = a_writer(log)
    writer.close()

    writer.emit(a_row(1))

    assert writer.tally().dropped == 1
    assert log.stored == []


def test_a_store_that_hangs_does_not_hang_the_end() -> None:
    log = StallingLog()
    writer = a_writer(log)
    log.stall()
    for n in range(40):
        writer.emit(a_row(n))
    assert log.reached.wait(60)

    started = time.monotonic()
    writer.close()
    took = time.monotonic() - started

    tally = writer.tally()
    assert took < 30
    assert tally.emitted == 40 == tally.stored + tally.dropped + tally.waiting
    log.go_on()


def test_an_outage_is_reported_once_and_so_is_its_end(caplog) -> None:
    log = StallingLog()
    writer = a_writer(log)
    log.failing = True
    writer.emit(a_row(1))
    assert not writer.flush(timeout=0.3)
    log.failing = False
    writer.emit(a_row(2))
    assert writer.flush()
    writer.close()

    said = [record for record in caplog.records if record.module == "writer"]
    assert [record.message.split(";")[0] for record in said] == [
        "The log cannot be written",
        "The log is being written again.",
    ]


def test_flushing_a_closed_writer_answers_at_once() -> None:
    writer = a_writer(StallingLog())
    writer.close()
    writer.emit(a_row(1))
    started = time.monotonic()

    writer.flush(timeout=60)

    assert time.monotonic() - started < 30


def emit_fifty(writer: LogWriter) -> None:
    for n in range(50):
        writer.emit(a_row(n))


def test_rows_emitted_while_it_closes_are_all_accounted_for() -> None:
    for _ in range(30):
        log = StallingLog()
        writer = a_writer(log, limits=replace(QUICK, flush=5.0))
        threads = [threading.Thread(target=emit_fifty, args=(writer,)) for _ in range(4)]
        for thread in threads:
            thread.start()

        writer.close()
        for thread in threads:
            thread.join()

        tally = writer.tally()
        assert (tally.emitted, tally.waiting) == (200, 0)
        assert tally.stored + tally.dropped == 200
        assert len(log.stored) == tally.stored


def a_finding(number: int) -> FindingRow:
    return FindingRow(
        id=f"f{number}", at_us=0, tenant="", agent="planner", server="", tool="move",
        rule="process.sloppy", severity="warning",
    )  # fmt: skip


def findings_in(log: StallingLog) -> list[str]:
    return [finding.id for batch in log.batches for finding in batch.findings]


def test_findings_reach_the_store_also_without_any_row() -> None:
    log = StallingLog()
    writer = a_writer(log)

    writer.note([a_finding(1), a_finding(2)])
    flushed = writer.flush(timeout=60)

    assert flushed
    assert findings_in(log) == ["f1", "f2"]
    writer.close()


def test_findings_wait_for_a_store_that_is_away() -> None:
    log = StallingLog()
    writer = a_writer(log)
    log.failing = True
    writer.note([a_finding(1)])
    log.reached.wait(60)
    while_away = writer.flush(timeout=0.01)

    log.failing = False
    writer.note([a_finding(2)])
    flushed = writer.flush(timeout=60)

    assert (while_away, flushed) == (False, True)
    assert findings_in(log) == ["f1", "f2"]
    writer.close()


def test_a_row_that_cannot_be_held_takes_no_finding_with_it() -> None:
    log = StallingLog()
    writer = a_writer(log)
    bad = a_row(1)
    log.refuses.add(bad.id)

    log.stall()
    writer.emit(a_row(0))
    log.reached.wait(60)
    writer.emit(bad)
    writer.note([a_finding(1)])
    log.go_on()
    writer.flush(timeout=60)

    assert findings_in(log) == ["f1"]
    assert (writer.tally().stored, writer.tally().dropped) == (1, 1)
    writer.close()


def test_a_call_that_fails_the_same_way_again_is_one_case_of_its_pattern() -> None:
    def recognize(row: LogRow) -> Pattern:
        said = row.error_message or ""
        return Pattern(fingerprint=said, tool="t", error_class=ErrorClass.RULE, template=said)

    log = StallingLog()
    writer = a_writer(log, recognize=recognize)
    first = a_row(1, outcome=Outcome.FAILURE)
    later = {"outcome": Outcome.FAILURE, "parent": first.id}
    again = a_row(2, try_number=2, **later)
    other = a_row(3, try_number=3, error_message="another", **later)
    fresh = a_row(4, outcome=Outcome.FAILURE)

    for row in (first, again, other, fresh):
        writer.emit(row)
        writer.flush()

    counted = {name for batch in log.batches for name in batch.patterns}
    assert counted == {first.id, other.id, fresh.id}
    writer.close()


def a_queue(rows: int = 3, size: int = 1 << 20) -> RowQueue:
    return RowQueue(most_rows=rows, most_bytes=size)


def test_rows_come_out_failures_first_and_each_kind_in_order() -> None:
    queue = a_queue(10)
    rows = [a_row(1), a_row(2, outcome=Outcome.FAILURE), a_row(3)]

    for row in rows:
        queue.put(row)

    assert queue.take(10) == [rows[1], rows[0], rows[2]]
    assert len(queue) == 0


def test_failures_push_successes_out_but_never_the_other_way_round() -> None:
    queue = a_queue(3)
    failures = [a_row(n, outcome=Outcome.FAILURE) for n in range(3)]

    for row in [a_row(10), a_row(11), *failures, a_row(12)]:
        queue.put(row)

    assert queue.take(10) == failures
    assert queue.take_shed() == (3, 0)


def test_with_nothing_but_failures_the_oldest_goes() -> None:
    queue = a_queue(2)
    failures = [a_row(n, outcome=Outcome.FAILURE) for n in range(3)]

    for row in failures:
        queue.put(row)

    assert queue.take(10) == failures[1:]
    assert queue.take_shed() == (0, 1)


def test_bytes_are_a_bound_of_their_own() -> None:
    queue = a_queue(rows=1000, size=10_000)

    for n in range(20):
        queue.put(a_row(n, parameters="x" * 2000))

    assert 1 <= len(queue) <= 4
    assert queue.emitted == len(queue) + queue.shed


def test_a_row_larger_than_everything_is_refused_and_counted() -> None:
    queue = a_queue(rows=10, size=1000)

    queue.put(a_row(1, parameters="x" * 5000))

    assert len(queue) == 0
    assert queue.take_shed() == (1, 0)


def test_who_puts_is_told_that_it_is_crowded_by_rows_or_by_bytes() -> None:
    by_rows, by_bytes = a_queue(rows=8), a_queue(rows=1000, size=8 * 1400)

    assert [by_rows.put(a_row(n)) for n in range(10)] == [1, 2, 3, 4, 5, 6, *[CROWDED] * 4]
    assert CROWDED not in [by_bytes.put(a_row(n, parameters="x" * 800)) for n in range(5)]
    assert CROWDED in [by_bytes.put(a_row(n, parameters="x" * 800)) for n in range(3)]
