"""A store with a key: what is locked, who may write, and what is said when the proof is gone."""

from __future__ import annotations

import hashlib
import logging
import shutil
import sqlite3
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from mulligan.stores.crypto import Seal
from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.errors import StoreDamagedError, StoreError
from mulligan_testing.store_contract.contract import (
    NOW,
    find_way,
    make_first_entry,
    make_next_entry,
    walk,
)

KEY = bytes(range(32))


@pytest.fixture
def signed_url(url):
    store = open_store(url, vault_key=KEY)
    kept = Kept(owner="a", name="before", value=b"raw")
    store.journal.submit([make_first_entry("a")], keep=[kept]).result()
    store.close()
    return url


def run_sql(url: str, *statements: str) -> None:
    store = open_store(url, tolerate_damage=True)
    with store.journal._pool.acquire_session() as session, session.begin_transaction():
        for statement in statements:
            session.execute(statement)
    store.close()


def test_without_the_key_everything_is_read_and_nothing_written(signed_url) -> None:
    store = open_store(signed_url)

    answer = store.journal.submit([make_first_entry("b")]).exception()
    health = store.check_health()
    store.close()

    assert "pass vault_key" in str(answer)
    assert health.problems == ()
    assert "signed with a key that was not given" in " ".join(health.caveats)


def test_a_key_check_that_is_gone_is_noticed_by_who_has_the_key(signed_url) -> None:
    run_sql(signed_url, "delete from key_check")

    with pytest.raises(StoreDamagedError, match="proof of that key"):
        open_store(signed_url, vault_key=KEY)


@pytest.mark.parametrize(
    "removed",
    [
        ("delete from key_check",),
        ("delete from key_check", "update writer set seal = null"),
        ("delete from key_check", "update writer set seal = null", "update kept set seal = null"),
    ],
    ids=["the check", "and the writers'", "and the values'"],
)
def test_a_key_check_that_is_gone_lets_no_plain_text_in(signed_url, removed) -> None:
    run_sql(signed_url, *removed)

    store = open_store(signed_url, tolerate_damage=True)
    kept = Kept(owner="b", name="before", value=b"raw")
    answer = store.journal.submit([make_first_entry("b")], keep=[kept]).exception()
    store.close()

    assert isinstance(answer, StoreError)
    assert "vault_key" in str(answer)


def test_a_person_may_go_on_without_the_proof(signed_url) -> None:
    run_sql(signed_url, "delete from key_check")
    store = open_store(signed_url, vault_key=KEY, tolerate_damage=True)

    accepted = store.journal.accept_damage("restored by hand")
    store.close()

    again = open_store(signed_url, vault_key=KEY)
    assert accepted > 0
    assert again.journal.verify() == []
    assert again.vault.get("a", "before") == b"raw"
    again.close()


def move_files(source: Path, target: Path) -> str:
    """All files of one store in the place of another's."""
    target.mkdir(exist_ok=True)
    for file in source.iterdir():
        if file.is_file():
            shutil.copy(file, target / file.name)
    return f"sqlite:///{target}/family.db"


def make_signed(folder: Path, action: str) -> str:
    folder.mkdir(exist_ok=True)
    store = open_store(f"sqlite:///{folder}/family.db", vault_key=KEY)
    store.journal.submit([make_first_entry(action)]).result()
    store.close()
    return f"sqlite:///{folder}/family.db"


def test_two_stores_under_one_key_are_not_put_in_each_other_s_place(tmp_path) -> None:
    production, staging = tmp_path / "production", tmp_path / "staging"
    url = make_signed(production, "a")
    make_signed(staging, "b")
    move_files(staging, production)

    with pytest.raises(StoreDamagedError, match=r"was signed as the one at .*staging/family\.db"):
        open_store(url, vault_key=KEY)

    looking = open_store(url, vault_key=KEY, tolerate_damage=True)
    assert "another store was put in its place" in " ".join(looking.check_health().problems)
    looking.close()


def test_a_store_that_was_moved_on_purpose_is_at_home_in_both_places(tmp_path) -> None:
    first = make_signed(tmp_path / "one", "a")
    second = move_files(tmp_path / "one", tmp_path / "two")

    moved = open_store(second, vault_key=KEY, tolerate_damage=True)
    moved.journal.accept_damage("Moved to the new disk.")
    moved.close()
    store = open_store(second, vault_key=KEY)

    assert store.check_health().problems == ()
    assert store.journal.find_action("a") is not None
    store.close()
    open_store(first, vault_key=KEY).close()
    open_store(move_files(tmp_path / "two", tmp_path / "one"), vault_key=KEY).close()


def fill_plain(url: str) -> None:
    store = open_store(url)
    store.journal.submit(walk("old", find_way(State.VERIFIED))).result()
    kept = Kept(owner="a", name="before", value=b"raw")
    store.journal.submit([make_first_entry("a")], keep=[kept]).result()
    store.journal.submit(walk("older", find_way(State.VERIFIED))).result()
    store.journal.submit([make_next_entry("a", State.EXECUTED, version=2)]).result()
    store.journal.prune(settled_before=NOW.replace(year=2030))
    store.close()


def test_what_lay_there_is_read_as_before_and_signed(url, caplog) -> None:
    fill_plain(url)

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
    fill_plain(url)
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
    fill_plain(url)

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


CANARY = b"canary-7f3a9c-do-not-keep"

PAST = datetime.now(UTC) - timedelta(hours=1)


def found_on_disk(folder) -> int:
    # In another process: a file opened and closed here would take SQLite's locks with it.
    done = subprocess.run(
        ["grep", "-rc", "--binary-files=text", CANARY.decode(), folder],
        capture_output=True,
        text=True,
        check=False,
    )
    return sum(int(line.rsplit(":", 1)[1]) for line in done.stdout.splitlines())


@pytest.fixture
def sqlite_url(tmp_path):
    return f"sqlite:///{tmp_path}/family.db"


def test_an_encrypted_value_is_nowhere_on_disk(sqlite_url, tmp_path) -> None:
    store = open_store(sqlite_url, vault_key=KEY)

    store.vault.put(Kept(owner="a", name="before", value=CANARY * 1000))

    assert found_on_disk(tmp_path) == 0
    store.close()


@pytest.fixture(params=["sqlite", "postgres"])
def locked_url(request, sqlite_url):
    where = sqlite_url if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    store = open_store(where, vault_key=KEY)
    kept = Kept(owner="a", name="before", value=CANARY)
    store.journal.submit([make_first_entry("a")], keep=[kept]).result()
    store.close()
    return where


def test_another_key_is_refused_at_once(locked_url) -> None:
    with pytest.raises(StoreError, match="another key"):
        open_store(locked_url, vault_key=bytes(32))

    again = open_store(locked_url, vault_key=KEY)
    assert again.vault.get("a", "before") == CANARY
    again.close()


def test_without_the_key_no_value_opens(locked_url) -> None:
    store = open_store(locked_url)

    with pytest.raises(StoreError, match=r"'before' of a .* key"):
        store.vault.get("a", "before")
    store.close()


def test_a_forged_value_in_plain_text_is_refused(locked_url) -> None:
    store = open_store(locked_url, vault_key=KEY)
    whose = b"1:abefore"
    checksum = b"2" + hashlib.sha256(b"0:%d:" % len(whose) + whose + b"forged").digest()
    values = {"value": b"forged", "checksum": checksum}

    with store.journal._pool.acquire_session() as session, session.begin_transaction():
        session.fetch("drop_kept", owner="a", name="before")
        row = {"owner": "a", "name": "before", "expires_us": None, "seal": None, **values}
        session.run("keep", locked=0, **row)

    with pytest.raises(StoreError, match="undo nothing with this value"):
        store.vault.get("a", "before")
    store.close()


def test_a_locked_vault_takes_no_value_in_plain_text(locked_url) -> None:
    store = open_store(locked_url)
    kept = Kept(owner="b", name="before", value=CANARY)

    answer = store.journal.submit([make_first_entry("b")], keep=[kept]).exception()

    assert isinstance(answer, StoreError)
    assert "pass vault_key" in str(answer)
    assert store.journal.find_action("b") is None
    with pytest.raises(StoreError, match="pass vault_key"):
        store.vault.put(kept)
    store.close()


def test_shredded_values_are_gone_from_the_disk(sqlite_url, tmp_path) -> None:
    store = open_store(sqlite_url)
    for number in range(20):
        value = CANARY * (1 + number * 40)
        store.vault.put(Kept(owner="a", name=str(number), value=value, expires_at=PAST))
    before = found_on_disk(tmp_path)

    shredded = store.vault.shred(now=datetime.now(UTC))

    assert before > 0
    assert shredded == 20
    assert found_on_disk(tmp_path) == 0
    store.close()


def test_pruned_entries_are_gone_from_the_disk(sqlite_url, tmp_path) -> None:
    store = open_store(sqlite_url)
    entries = walk("a", find_way(State.VERIFIED), at=NOW - timedelta(days=100))
    entries[0] = replace(entries[0], detail={"note": CANARY.decode()})
    store.journal.submit(entries).result()
    before = found_on_disk(tmp_path)

    store.journal.prune(settled_before=NOW)

    assert before > 0
    assert found_on_disk(tmp_path) == 0
    assert store.journal.verify() == []
    store.close()
