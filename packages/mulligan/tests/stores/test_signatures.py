"""Whatever is changed by somebody who can write to a store, but has no key, is noticed."""

from __future__ import annotations

import os

import pytest

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.errors import StoreError
from mulligan_testing.store_contract.contract import NOW, make_first_entry, make_next_entry
from tests.stores.damage import fast_folder
from tests.stores.tamper_kinds import list_kinds
from tests.stores.tampering import (
    KEY,
    PostgresTables,
    SqliteFiles,
    count_tamperings,
    is_noticed,
)

TAMPERINGS = int(os.environ.get("MULLIGAN_TEST_TAMPERINGS", "114"))
"""More: `MULLIGAN_TEST_TAMPERINGS=500 pytest packages/mulligan/tests/stores/relational/signing`."""


@pytest.fixture
def files():
    with fast_folder() as folder:
        yield SqliteFiles(folder)


@pytest.mark.full
def test_every_kind_of_tampering_with_files_is_noticed(files) -> None:
    found, silent = count_tamperings(files, TAMPERINGS)

    assert silent == []
    assert len(found) >= min(TAMPERINGS, len({str(kind) for kind in list_kinds(files=True)}))


def test_every_kind_of_tampering_on_a_server_is_noticed(postgres_url) -> None:
    found, silent = count_tamperings(PostgresTables(postgres_url), TAMPERINGS // 3)

    assert silent == []
    assert sum(found.values()) == TAMPERINGS // 3


def test_a_whole_folder_put_back_is_not_noticed_without_anything_outside(files) -> None:
    """What cannot be promised, so that the pages which say so stay true."""
    count_tamperings(files, 0)
    earlier = dict(files.content)
    files.save()
    files.content = earlier

    files.restore()

    assert is_noticed(files.url) == ""


def test_an_undo_that_nobody_with_the_key_asked_for_is_not_read(files, caplog) -> None:
    store = open_store(files.url, vault_key=KEY)
    for name in ("a", "b"):
        store.journal.submit([make_first_entry(name)]).result()
        store.journal.submit([make_next_entry(name, State.EXECUTED, version=2)]).result()
    with store.journal._pool.acquire_session() as session, session.begin_transaction():
        session.execute("update action set state = 'undoing' where id = 'a'")
        session.execute("update entry set state = 'undoing' where action = 'a' and version = 2")

    found = store.journal.list_open_actions()

    assert [action.id for action in found] == ["b"]
    assert "Entry 2 of action a is not what was written" in caplog.text
    with pytest.raises(StoreError, match="Entry 2 of action a"):
        store.journal.find_action("a")
    store.close()


def test_retention_forgets_nothing_that_was_only_made_to_look_settled(files) -> None:
    store = open_store(files.url, vault_key=KEY)
    kept = Kept(owner="a", name="before", value=b"raw")
    store.journal.submit([make_first_entry("a")], keep=[kept]).result()
    with store.journal._pool.acquire_session() as session, session.begin_transaction():
        session.execute("update action set settled = 1, changed_us = 1")
        session.execute("update kept set expires_us = 1")

    pruned = store.journal.prune(settled_before=NOW)
    shredded = store.vault.shred(now=NOW)

    assert (pruned, shredded) == (0, 0)
    assert store.journal.verify()
    store.close()
