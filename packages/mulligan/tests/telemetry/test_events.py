"""Events and errands: in order, and a subscriber that fails or hangs hurts nobody else."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

from mulligan.telemetry.events import Events
from mulligan.types.events import Happened, RowsDropped


def an_event(count: int) -> RowsDropped:
    return RowsDropped(reason="overflow", count=count, at=datetime(2026, 11, 15, tzinfo=UTC))


def test_every_subscriber_gets_every_event_in_order() -> None:
    events = Events()
    first: list[Happened] = []
    second: list[Happened] = []
    events.subscribe(first.append)
    events.subscribe(second.append)

    for n in range(50):
        events.publish(an_event(n))
    events.flush()

    assert first == second == [an_event(n) for n in range(50)]
    events.close()


def test_a_subscriber_that_raises_hurts_neither_the_host_nor_the_others() -> None:
    events = Events()
    seen: list[Happened] = []

    def broken(event: Happened) -> None:
        raise RuntimeError("no")

    events.subscribe(broken)
    events.subscribe(seen.append)

    events.publish(an_event(1))
    events.flush()

    assert seen == [an_event(1)]
    assert events.failures == 1
    events.close()


def test_a_subscriber_that_hangs_does_not_hold_the_host_up() -> None:
    events = Events(most_waiting=10)
    gate = threading.Event()
    events.subscribe(lambda event: gate.wait(10) and None)

    for n in range(100):
        events.publish(an_event(n))

    assert events.dropped > 0
    gate.set()
    events.close()


def test_after_unsubscribing_nothing_more_arrives() -> None:
    events = Events()
    seen: list[Happened] = []
    stop = events.subscribe(seen.append)

    stop()
    events.publish(an_event(1))
    events.flush()

    assert seen == []
    assert not events.wanted
