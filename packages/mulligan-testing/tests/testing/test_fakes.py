from __future__ import annotations

import threading
from datetime import timedelta

import pytest

from mulligan.types.errors import StoreUnavailableError
from mulligan.types.log import Batch
from mulligan_testing.fakes import FixedClock, StallingLog
from tests.telemetry.rows import a_row


def test_a_clock_stands_still_until_it_is_moved() -> None:
    clock = FixedClock()
    before = clock()

    clock.move(timedelta(hours=1))

    assert clock() - before == timedelta(hours=1)
    assert clock() == clock()


def test_a_log_fails_and_refuses_as_it_is_told() -> None:
    log, good, bad = StallingLog(), a_row(1), a_row(2)
    log.refuses = {bad.id}

    log.write(Batch(rows=[good]))
    with pytest.raises(ValueError, match="cannot be held"):
        log.write(Batch(rows=[bad]))
    log.failing = True
    with pytest.raises(StoreUnavailableError):
        log.write(Batch(rows=[good]))

    assert log.stored == [good]


def test_a_log_that_stalls_holds_its_writer_until_it_may_go_on() -> None:
    log = StallingLog()
    log.stall()
    writer = threading.Thread(target=log.write, args=[Batch(rows=[a_row()])], daemon=True)

    writer.start()
    log.reached.wait(5)
    stalled = list(log.stored)
    log.go_on()
    writer.join(5)

    assert (stalled, len(log.stored)) == ([], 1)
