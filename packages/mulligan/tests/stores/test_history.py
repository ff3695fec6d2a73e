"""What is read by its key is what was written under that key, or it is not given out."""

from __future__ import annotations

import pytest

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.errors import StoreDamagedError
from mulligan_testing.store_contract.contract import make_first_entry, make_next_entry


@pytest.fixture
def store(url):
    store = open_store(url)
    for name in ("a", "b"):
        kept = Kept(owner=name, name="before", value=f"the value of {name}".encode())
        store.journal.submit([make_first_entry(name)], keep=[kept]).result()
        store.journal.submit([make_next_entry(name, State.EXECUTED, version=2)]).result()
    yield store
    store.close()


def change(store, sql: str, **values: object) -> None:
    with store.journal._pool.acquire_session() as session:
        session.execute(sql, values)


def test_the_value_of_another_row_does_not_pass_for_this_one(store) -> None:
    change(
        store,
        "update kept set value = (select value from kept where owner = 'b'), "
        "checksum = (select checksum from kept where owner = 'b') where owner = 'a'",
    )

    with pytest.raises(StoreDamagedError, match="'before' of a is not what was kept"):
        store.vault.get("a", "before")

    assert store.vault.get("b", "before") == b"the value of b"


@pytest.mark.parametrize(
    "changed", ["detail = '{\"to\":1}'", "changed_us = changed_us + 1", "state = 'unknown'"]
)
def test_an_action_that_its_entries_contradict_is_not_given_out(store, changed: str) -> None:
    change(store, f"update action set {changed} where id = 'a'")

    with pytest.raises(StoreDamagedError, match="Action a is not what its entries say"):
        store.journal.find_action("a")
    listed = [action.id for action in store.journal.list_open_actions()]
    store.journal.accept_damage("looked at it")
    accepted = store.journal.find_action("a")

    assert listed == ["b"]
    assert accepted is not None


def test_an_entry_that_was_changed_is_not_given_out_until_that_is_accepted(store) -> None:
    before = store.journal.list_entries("a")
    change(store, "update entry set at_us = at_us + 1 where action = 'a' and version = 2")

    with pytest.raises(StoreDamagedError, match="Entry 2 of action a is not what was written"):
        store.journal.list_entries("a")
    store.journal.accept_damage("looked at it")
    after = store.journal.list_entries("a")

    assert [entry.state for entry in after] == [entry.state for entry in before]


def test_an_entry_that_is_missing_in_the_middle_is_noticed(store) -> None:
    change(store, "delete from entry where action = 'a' and version = 1")

    with pytest.raises(StoreDamagedError, match="Entry 1 of action a"):
        store.journal.list_entries("a")
