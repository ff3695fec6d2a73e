"""How long a writer counts on being waited for."""

from __future__ import annotations

import time
from datetime import timedelta

from mulligan.stores.process import Lease, read_uptime


class Hand:
    """A clock that stands until it is moved."""

    at = 100.0

    def __call__(self) -> float:
        return self.at


def test_a_lease_counts_from_before_the_store_was_told_and_ends_before_others_may_act() -> None:
    clock = Hand()
    lease = Lease(timedelta(seconds=10), read_clock=clock)
    unheard = lease.is_fresh()
    begun = lease.begin()
    clock.at += 3
    lease.renew(begun)

    fresh = []
    for passed in (0, 5.9, 0.2):
        clock.at += passed
        fresh.append(lease.is_fresh())

    assert not unheard
    assert fresh == [True, True, False]


def test_the_clock_of_a_lease_counts_the_time_a_machine_sleeps() -> None:
    expected = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

    before, now, after = time.clock_gettime(expected), read_uptime(), time.clock_gettime(expected)

    assert before <= now <= after
