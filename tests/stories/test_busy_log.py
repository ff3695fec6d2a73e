"""A program that calls faster than its log is written, and a store that hangs meanwhile."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from mulligan.types.log import Batch
from tests.telemetry.rows import a_row
from tests.telemetry.stalling import StallingLog
from tests.telemetry.test_writer import QUICK, a_writer

pytestmark = pytest.mark.promise(9)


class SlowLog(StallingLog):
    """As a disk that others use as well."""

    def write(self, batch: Batch) -> None:
        time.sleep(0.02)
        super().write(batch)


def test_who_calls_faster_than_the_log_is_written_goes_at_its_pace_and_loses_nothing() -> None:
    log = SlowLog()
    writer = a_writer(log, limits=replace(QUICK, backlog=64, flush=5.0))

    for n in range(2000):
        writer.emit(a_row(n))
    writer.close()

    assert (len(log.stored), writer.tally().dropped) == (2000, 0)


def test_nobody_waits_for_a_store_that_hangs() -> None:
    log = StallingLog()
    writer = a_writer(log, limits=replace(QUICK, give_way=30.0, patience=0.01))
    log.stall()
    writer.emit(a_row(0))
    assert log.reached.wait(60)
    time.sleep(0.02)

    for n in range(200):
        writer.emit(a_row(n))

    assert writer.tally().dropped > 0
    log.go_on()
    writer.close()


class CountingLog(StallingLog):
    """Counts how often it is asked to write."""

    asked = 0

    def write(self, batch: Batch) -> None:
        self.asked += 1
        super().write(batch)


def test_a_store_that_is_away_is_not_asked_the_more_the_more_is_called() -> None:
    log = CountingLog()
    log.failing = True
    writer = a_writer(log, limits=replace(QUICK, first_pause=5.0))
    writer.emit(a_row(0))
    assert log.reached.wait(60)

    for n in range(1, 5_000):
        writer.emit(a_row(n))
    time.sleep(0.2)

    # Once for the first row, and once for a batch that was worth waking for.
    assert log.asked <= 3
    log.failing = False
    writer.close()


def test_what_was_shed_before_is_among_what_is_lost_at_the_end(caplog) -> None:
    log = StallingLog()
    writer = a_writer(log, limits=replace(QUICK, patience=0.01))
    log.stall()
    writer.emit(a_row(0))
    assert log.reached.wait(60)
    time.sleep(0.02)
    for n in range(1, 500):
        writer.emit(a_row(n))

    writer.close()
    dropped = writer.tally().dropped
    log.go_on()

    assert dropped == 499
    assert "lost 499 rows" in caplog.text
