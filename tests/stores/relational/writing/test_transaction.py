"""Works of one transaction: each can fail alone, and the writer's chain goes on without it."""

from __future__ import annotations

import pytest

from mulligan.core.errors import StoreUnavailableError
from mulligan.stores.encoding import encode_entry
from mulligan.stores.opening import open_store
from mulligan.stores.relational.writing.transaction import Transaction
from mulligan.testing.store_contract.contract import make_first_entry


@pytest.fixture
def store(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'transactions.db'}")
    yield store
    store.close()


def append_and_fail(transaction: Transaction) -> None:
    transaction.append(encode_entry(make_first_entry("failed")))
    raise ValueError("after its entry")


def test_a_work_that_fails_takes_only_its_own_entries_with_it(store) -> None:
    before = store.journal.submit([make_first_entry("before")])
    failed = store.journal._ledger.submit(append_and_fail)
    after = store.journal.submit([make_first_entry("after")])

    assert isinstance(failed.exception(), ValueError)
    assert (before.exception(), after.exception()) == (None, None)
    assert [each.id for each in store.journal.list_open_actions()] == ["after", "before"]
    assert store.journal.verify() == []


def test_trouble_with_the_store_itself_fails_the_whole_transaction(store) -> None:
    def lose_the_store(transaction: Transaction) -> None:
        raise StoreUnavailableError("away")

    failed = store.journal._ledger.submit(lose_the_store)

    assert isinstance(failed.exception(), StoreUnavailableError)
    assert store.journal.submit([make_first_entry("next")]).exception() is None
