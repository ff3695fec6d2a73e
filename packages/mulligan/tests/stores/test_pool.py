from __future__ import annotations

import pytest

from mulligan.stores.database import ConnectionLostError, Pool
from mulligan.types.errors import StoreUnavailableError


class Line:
    """A connection that knows only whether it was closed or forgotten."""

    def __init__(self) -> None:
        self.closed = self.abandoned = False

    def close(self) -> None:
        self.closed = True

    def abandon(self) -> None:
        self.abandoned = True


class Lines:
    def __init__(self) -> None:
        self.opened: list[Line] = []

    def __call__(self) -> Line:
        self.opened.append(Line())
        return self.opened[-1]


def test_a_session_that_came_back_is_lent_again() -> None:
    lines = Lines()
    pool = Pool(lines)

    for _ in range(3):
        with pool.acquire_session():
            pass
    with pool.acquire_session(), pool.acquire_session():
        pass

    assert len(lines.opened) == 2
    assert not any(line.closed for line in lines.opened)


def test_no_more_than_four_are_kept_idle() -> None:
    lines = Lines()
    pool = Pool(lines)
    lent = [pool.acquire_session() for _ in range(6)]
    for each in lent:
        each.__enter__()

    for each in lent:
        each.__exit__(None, None, None)

    assert [line.closed for line in lines.opened].count(False) == 4


def test_a_dead_connection_is_asked_about_once_more_over_a_new_one() -> None:
    lines = Lines()
    pool = Pool(lines)

    def question(line: Line) -> str:
        if line is lines.opened[0]:
            raise ConnectionLostError("gone")
        return "an answer"

    assert pool.ask(question) == "an answer"
    assert [line.closed for line in lines.opened] == [True, False]


def test_an_error_of_the_question_itself_costs_no_connection() -> None:
    lines = Lines()
    pool = Pool(lines)

    def fails(line: Line) -> None:
        raise ValueError("no such row")

    with pytest.raises(ValueError, match="no such row"):
        pool.ask(fails)
    pool.ask(lambda line: None)

    assert len(lines.opened) == 1


def test_what_is_lent_while_it_is_closed_is_closed_when_it_comes_back() -> None:
    lines = Lines()
    pool = Pool(lines)

    with pool.acquire_session():
        pool.close()
        assert not lines.opened[0].closed

    assert lines.opened[0].closed
    with pytest.raises(StoreUnavailableError, match="open it again"):
        pool.ask(lambda line: None)


def test_a_child_forgets_the_connections_of_its_parent_without_closing_them() -> None:
    lines = Lines()
    pool = Pool(lines)

    with pool.acquire_session():
        pool.reset_after_fork()

    assert lines.opened[0].abandoned
