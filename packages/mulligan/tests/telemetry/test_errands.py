from __future__ import annotations

import threading

from mulligan.telemetry.events import Errands


def test_errands_are_done_in_order_and_one_that_raises_stops_none() -> None:
    errands = Errands("test", most=100)
    done: list[int] = []

    def broken() -> None:
        raise RuntimeError("no")

    errands.add(lambda: done.append(1))
    errands.add(broken)
    errands.add(lambda: done.append(2))
    errands.close()

    assert done == [1, 2]
    assert errands.failures == 1


def test_what_finds_the_queue_full_is_dropped_and_counted_and_nobody_waits() -> None:
    errands = Errands("test", most=2)
    gate = threading.Event()
    begun = threading.Event()

    def wait_at_the_gate() -> None:
        begun.set()
        gate.wait(10)

    errands.add(wait_at_the_gate)
    assert begun.wait(10)
    for _ in range(5):
        errands.add(lambda: None)

    assert errands.dropped == 3
    gate.set()
    errands.close()


def test_after_closing_nothing_more_is_done() -> None:
    errands = Errands("test", most=10)
    done: list[int] = []
    errands.close()

    errands.add(lambda: done.append(1))

    assert (done, errands.dropped) == ([], 1)
