"""A store comes under a key: what lay there is locked, signed, and said to be taken on trust."""

from __future__ import annotations

import hashlib
import logging
import sqlite3

import pytest

from mulligan.stores.crypto import Seal
from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.errors import StoreDamagedError
from mulligan_testing.store_contract.contract import (
    NOW,
    find_way,
    make_first_entry,
    make_next_entry,
    walk,
)

KEY = bytes(range(32))


def fill(url: str) -> None:
    store = open_store(url)
    store.journal.submit(walk("old", find_way(State.VERIFIED))).result()
    kept = Kept(owner="a", name="before", value=b"raw")
    store.journal.submit([make_first_entry("a")], keep=[kept]).result()
    store.journal.submit(walk("older", find_way(State.VERIFIED))).result()
    store.journal.submit([make_next_entry("a", State.EXECUTED, version=2)]).result()
    store.journal.prune(settled_before=NOW.replace(year=2030))
    store.close()


def test_what_lay_there_is_read_as_before_and_signed(url, caplog) -> None:
    fill(url)

    with caplog.at_level(logging.WARNING, "mulligan"):
        store = open_store(url, vault_key=KEY)

    health = store.check_health()
    assert store.vault.get("a", "before") == b"raw"
    assert [entry.state for entry in store.journal.list_entries("a")] == ["intent", "executed"]
    assert health.problems == ()
    assert "were taken as they were" in " ".join(health.caveats)
    assert "rows were taken as they are" in caplog.text
    store.close()


def test_a_store_whose_values_an_earlier_version_locked_is_signed(url) -> None:
    fill(url)
    seal = Seal(KEY)
    value, _ = seal.lock(b"raw", owner="a", name="before")
    whose = b"1:abefore"
    checksum = b"2" + hashlib.sha256(b"1:%d:" % len(whose) + whose + value).digest()
    store = open_store(url)
    with store.journal._pool.acquire_session() as session, session.begin_transaction():
        session.fetch("drop_kept", owner="a", name="before")
        row = {"owner": "a", "name": "before", "value": value, "locked": 1, "checksum": checksum}
        session.run("keep", expires_us=None, seal=None, **row)
        about = {"value": seal.proof, "signed_us": None, "trusted": 0, "seal": None}
        about |= {"identity": None, "places": None}
        session.run("set_key_check", **about)
    store.close()

    again = open_store(url, vault_key=KEY)

    assert again.vault.get("a", "before") == b"raw"
    assert again.check_health().problems == ()
    assert "were taken as they were" in " ".join(again.check_health().caveats)
    again.close()


def test_a_new_store_takes_nothing_on_trust(url, caplog) -> None:
    with caplog.at_level(logging.WARNING, "mulligan"):
        store = open_store(url, vault_key=KEY)

    assert "trust" not in " ".join(store.check_health().caveats)
    assert [each for each in caplog.records if each.module == "adoption"] == []
    store.close()


def test_nothing_stays_in_plain_text(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    fill(url)

    open_store(url, vault_key=KEY).close()

    assert b"raw" not in (tmp_path / "family.db").read_bytes()
    [(locked,)] = sqlite3.connect(tmp_path / "family.db").execute("select locked from kept")
    assert locked == 1


def test_who_writes_without_the_key_is_given_up(url) -> None:
    plain = open_store(url)
    plain.journal.submit([make_first_entry("a")]).result()

    keyed = open_store(url, vault_key=KEY)
    refused = plain.journal.submit([make_next_entry("a", State.EXECUTED, version=2)]).exception()

    assert "pass vault_key" in str(refused)
    assert keyed.check_health().problems == ()
    plain.close()
    keyed.close()


def test_a_store_whose_signatures_were_stripped_is_not_signed_again(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url, vault_key=KEY)
    store.journal.submit([make_first_entry("a")]).result()
    store.close()
    with sqlite3.connect(tmp_path / "family.db") as database:
        database.execute("delete from key_check")
        database.execute("update writer set seal = null")

    # The marks beside the file are signed still.
    with pytest.raises(StoreDamagedError):
        open_store(url, vault_key=KEY)
