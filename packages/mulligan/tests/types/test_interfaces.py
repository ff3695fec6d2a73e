"""Duties that processes share, and writers that are waited for."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan.types.interfaces import run_as_leader

HOUR = timedelta(hours=1)


class Board:
    """LeaderLocks of a store, and what was said to it."""

    def __init__(self, *, free: bool = True) -> None:
        self.free = free
        self.said: list[object] = []

    @property
    def leader_locks(self) -> Board:
        return self

    def claim(self, duty: str, *, every: timedelta) -> bool:
        self.said.append((duty, every))
        return self.free

    def finish(self, duty: str, *, done: bool) -> None:
        self.said.append((duty, done))


def test_a_store_that_shares_nothing_leaves_every_process_its_own_work() -> None:
    with run_as_leader(object(), "sweep", every=HOUR) as ours:
        assert ours


def test_a_duty_that_failed_is_given_back_as_not_done() -> None:
    board = Board()

    with pytest.raises(OSError, match="full"), run_as_leader(board, "sweep", every=HOUR):
        raise OSError("full")

    assert board.said[-1] == ("sweep", False)
