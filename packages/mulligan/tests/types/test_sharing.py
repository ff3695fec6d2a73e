from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan.types.interfaces import share_duty

HOUR = timedelta(hours=1)


class Board:
    """Duties of a store, and what was said to it."""

    def __init__(self, *, free: bool = True) -> None:
        self.free = free
        self.said: list[object] = []

    @property
    def duties(self) -> Board:
        return self

    def claim(self, duty: str, *, every: timedelta) -> bool:
        self.said.append((duty, every))
        return self.free

    def finish(self, duty: str, *, done: bool) -> None:
        self.said.append((duty, done))


def test_a_store_that_shares_nothing_leaves_every_process_its_own_work() -> None:
    with share_duty(object(), "sweep", every=HOUR) as ours:
        assert ours


def test_a_duty_that_is_ours_is_given_back_as_done() -> None:
    board = Board()

    with share_duty(board, "sweep", every=HOUR) as ours:
        assert ours

    assert board.said == [("sweep", HOUR), ("sweep", True)]


def test_a_duty_that_failed_is_given_back_as_not_done() -> None:
    board = Board()

    with pytest.raises(OSError, match="full"), share_duty(board, "sweep", every=HOUR):
        raise OSError("full")

    assert board.said[-1] == ("sweep", False)


def test_a_duty_of_another_is_neither_ours_nor_given_back() -> None:
    board = Board(free=False)

    with share_duty(board, "sweep", every=HOUR) as ours:
        assert not ours

    assert board.said == [("sweep", HOUR)]
