"""What a server may still lose is kept by the one who wrote it."""

from __future__ import annotations

from mulligan.stores.crypto import GENESIS
from mulligan.stores.relational.committer import MOST, Unsynced
from mulligan.stores.relational.transaction import Head


def make_head(commits: int) -> Head:
    return Head(writer="w", commits=commits, seq=commits, hash=GENESIS)


def test_only_what_the_server_does_not_have_is_written_again() -> None:
    unsynced = Unsynced()
    works = [lambda _transaction, number=number: number for number in range(3)]
    for number, work in enumerate(works, start=1):
        unsynced.keep(make_head(number), [work])

    assert unsynced.list_works_after(0) == works
    assert unsynced.list_works_after(2) == works[2:]
    assert unsynced.list_works_after(3) == []


def test_a_synced_commit_lets_all_before_it_go() -> None:
    unsynced = Unsynced()
    unsynced.keep(make_head(1), [print])
    unsynced.settle(make_head(2))

    assert unsynced.list_works_after(0) == []
    assert unsynced.promised == make_head(2)


def test_many_works_ask_for_a_sync() -> None:
    unsynced = Unsynced()
    unsynced.keep(make_head(1), [print] * (MOST - 1))
    before = unsynced.full
    unsynced.keep(make_head(2), [print])

    assert (before, unsynced.full) == (False, True)
