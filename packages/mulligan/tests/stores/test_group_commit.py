from __future__ import annotations

import threading
from concurrent.futures import CancelledError

import pytest

from mulligan.stores.relational.committer import GroupCommit
from mulligan.types.errors import StoreFullError, StoreUnavailableError

TIMEOUT = 5


class Gate:
    """Commits groups one by one, each when it is let through."""

    def __init__(self) -> None:
        self.groups: list[list[object]] = []
        self.arrived = threading.Semaphore(0)
        self.through = threading.Semaphore(0)

    def commit(self, works):
        self.groups.append(list(works))
        self.arrived.release()
        assert self.through.acquire(timeout=TIMEOUT)
        if "full" in works:
            raise StoreFullError("full")
        return [ValueError(work) if work == "bad" else work for work in works]

    def open(self) -> None:
        for _ in range(100):
            self.through.release()


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def group(gate):
    group = GroupCommit(gate.commit)
    yield group
    gate.open()
    group.close()


def hold(group, gate):
    """Queue a first work and wait until it is being committed."""
    first = group.submit("first")
    assert gate.arrived.acquire(timeout=TIMEOUT)
    return first


def test_what_queues_during_a_commit_shares_the_next_one(group, gate) -> None:
    first = hold(group, gate)
    rest = [group.submit(str(number)) for number in range(20)]

    gate.open()

    assert [first.result(TIMEOUT), *(f.result(TIMEOUT) for f in rest)][:2] == ["first", "0"]
    assert [len(works) for works in gate.groups] == [1, 20]


def test_one_failure_is_its_own(group, gate) -> None:
    hold(group, gate)
    good, bad, other = group.submit("good"), group.submit("bad"), group.submit("other")

    gate.open()

    assert isinstance(bad.exception(TIMEOUT), ValueError)
    assert (good.result(TIMEOUT), other.result(TIMEOUT)) == ("good", "other")


def test_a_failed_commit_fails_all_of_its_group_and_none_of_the_next(group, gate) -> None:
    hold(group, gate)
    together = [group.submit("a"), group.submit("full")]

    gate.open()

    assert all(isinstance(each.exception(TIMEOUT), StoreFullError) for each in together)
    assert group.submit("next").result(TIMEOUT) == "next"


def test_a_work_cancelled_in_the_queue_is_never_done(group, gate) -> None:
    hold(group, gate)
    dropped, kept = group.submit("dropped"), group.submit("kept")

    cancelled = dropped.cancel()
    gate.open()

    assert cancelled
    assert kept.result(TIMEOUT) == "kept"
    assert gate.groups[1] == ["kept"]
    with pytest.raises(CancelledError):
        dropped.result()


def test_closing_finishes_the_queue_and_takes_no_more(group, gate) -> None:
    hold(group, gate)
    queued = [group.submit(str(number)) for number in range(5)]
    gate.open()

    group.close()

    assert all(each.done() and each.exception() is None for each in queued)
    assert isinstance(group.submit("late").exception(), StoreUnavailableError)
