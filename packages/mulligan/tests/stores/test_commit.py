"""Works of one commit: each can fail alone, and the writer's chain goes on without it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from mulligan.stores.database import AlreadyThereError
from mulligan.stores.encoding import encode_entry
from mulligan.stores.opening import open_store
from mulligan.stores.relational import committer
from mulligan.stores.relational.committer import GroupCommit
from mulligan.stores.relational.transaction import Transaction
from mulligan.types.action import State
from mulligan.types.errors import (
    IllegalTransitionError,
    JournalError,
    StaleEntryError,
    StoreFullError,
    StoreUnavailableError,
)
from mulligan.types.interfaces import Store
from mulligan_testing.store_contract.contract import OPENING, make_first_entry, make_next_entry

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


@pytest.fixture
def store(url) -> Iterator[Store]:
    store = open_store(url)
    yield store
    store.close()


@contextmanager
def grouped(store) -> Iterator[None]:
    """Has what is submitted within come into one transaction."""
    begun, go_on = threading.Event(), threading.Event()

    def wait(_: Transaction) -> None:
        begun.set()
        go_on.wait(60)

    first: Future[None] = store.journal._committer.submit(wait)
    begun.wait(60)
    yield
    go_on.set()
    first.result()


def submit(store, *entries) -> Future[None]:
    return store.journal.submit(list(entries))


def append_and_fail(transaction: Transaction) -> None:
    transaction.append(encode_entry(make_first_entry("failed")))
    raise ValueError("after its entry")


def test_a_work_that_fails_takes_only_its_own_entries_with_it(store) -> None:
    before = store.journal.submit([make_first_entry("before")])
    failed = store.journal._committer.submit(append_and_fail)
    after = store.journal.submit([make_first_entry("after")])

    assert isinstance(failed.exception(), ValueError)
    assert (before.exception(), after.exception()) == (None, None)
    assert [each.id for each in store.journal.list_open_actions()] == ["after", "before"]
    assert store.journal.verify() == []


def test_trouble_with_the_store_itself_fails_the_whole_transaction(store) -> None:
    def lose_the_store(transaction: Transaction) -> None:
        raise StoreUnavailableError("away")

    failed = store.journal._committer.submit(lose_the_store)

    assert isinstance(failed.exception(), StoreUnavailableError)
    assert store.journal.submit([make_first_entry("next")]).exception() is None


def test_of_works_in_one_transaction_only_those_are_refused_that_do_not_lead_on(store) -> None:
    for name in ("moved", "settled", "open"):
        submit(store, make_first_entry(name)).result()
    not_done = make_next_entry("settled", State.NOT_EXECUTED, version=2)
    submit(store, not_done).result()
    executed = make_next_entry("moved", State.EXECUTED, version=2)

    with grouped(store):
        good = [
            submit(store, executed),
            submit(store, make_next_entry("moved", State.VERIFIED, version=3)),
            submit(store, make_first_entry("new")),
        ]
        refused = {
            submit(store, executed): StaleEntryError,
            submit(store, make_next_entry("nobody", State.EXECUTED, version=2)): StaleEntryError,
            submit(store, make_next_entry("settled", State.EXECUTED, version=3)):
                IllegalTransitionError,
            submit(store, make_next_entry("open", State.VERIFIED, version=2)):
                IllegalTransitionError,
            submit(store, make_first_entry("open")): StaleEntryError,
            submit(store, make_first_entry("none", opening=None)): JournalError,
        }  # fmt: skip

    assert [each.exception() for each in good] == [None, None, None]
    assert [type(each.exception()) for each in refused] == list(refused.values())
    assert store.journal.find_action("moved").state is State.VERIFIED
    assert store.journal.find_action("settled").state is State.NOT_EXECUTED
    assert [each.id for each in store.journal.list_open_actions()] == ["new", "open"]
    assert store.journal.verify() == []


def test_a_later_entry_with_an_opening_is_refused(store) -> None:
    submit(store, make_first_entry("a")).result()
    again = replace(make_next_entry("a", State.EXECUTED, version=2), opening=OPENING)

    with pytest.raises(JournalError, match="must not carry an opening"):
        submit(store, again).result()


def test_a_statement_that_goes_wrong_unseen_lets_nothing_of_its_transaction_stand(store) -> None:
    line = {"action": "x", "version": 1, "state": "intent", "at_us": 1, "body": "", "hash": b""}

    def add_twice(transaction: Transaction) -> None:
        for _ in range(2):
            transaction.session.run_later(
                "add_entry", writer=transaction.head.writer, seq=1_000, **line
            )

    with grouped(store):
        beside = submit(store, make_first_entry("beside"))
        wrong = store.journal._committer.submit(add_twice)

    assert isinstance(wrong.exception(), AlreadyThereError)
    assert isinstance(beside.exception(), AlreadyThereError)
    submit(store, make_first_entry("next")).result()
    assert [each.id for each in store.journal.list_open_actions()] == ["next"]
    assert store.journal.verify() == []


def test_many_works_ask_for_a_sync_which_lets_all_before_it_go(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(committer, "MOST", 3)
    store = open_store(f"sqlite:///{tmp_path}/family.db")
    writer, promised = store._committer, []

    for _ in range(5):
        writer.run(lambda transaction: transaction.head.commits, synced=False)
        promised.append(writer.promised.commits)

    assert promised == [0, 0, 0, 4, 4]
    store.close()
