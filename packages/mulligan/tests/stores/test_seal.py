from __future__ import annotations

import hashlib
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.errors import StoreError
from mulligan_testing.store_contract.contract import NOW, find_way, make_first_entry, walk

KEY = bytes(range(32))
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
def url(tmp_path):
    return f"sqlite:///{tmp_path}/family.db"


@pytest.mark.parametrize("place", ["sqlite", "postgres"])
def test_with_a_key_values_are_encrypted_and_come_back(place, url, request) -> None:
    where = url if place == "sqlite" else request.getfixturevalue("postgres_url")
    store = open_store(where, vault_key=KEY)

    store.vault.put(Kept(owner="a", name="before", value=CANARY))
    store.close()

    again = open_store(where, vault_key=KEY)
    assert again.vault.get("a", "before") == CANARY
    again.close()


def test_an_encrypted_value_is_nowhere_on_disk(url, tmp_path) -> None:
    store = open_store(url, vault_key=KEY)

    store.vault.put(Kept(owner="a", name="before", value=CANARY * 1000))

    assert found_on_disk(tmp_path) == 0
    store.close()


@pytest.fixture(params=["sqlite", "postgres"])
def locked_url(request, url):
    where = url if request.param == "sqlite" else request.getfixturevalue("postgres_url")
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


def test_a_value_kept_before_there_was_a_key_still_opens(url) -> None:
    store = open_store(url)
    store.vault.put(Kept(owner="a", name="before", value=CANARY))
    store.close()

    again = open_store(url, vault_key=KEY)

    assert again.vault.get("a", "before") == CANARY
    again.close()


def test_a_value_moved_to_another_owner_does_not_open(url) -> None:
    store = open_store(url, vault_key=KEY)
    store.vault.put(Kept(owner="a", name="before", value=CANARY))

    with store.journal._pool.acquire_session() as session:
        session.execute("update kept set owner = 'b'")

    with pytest.raises(StoreError, match="is not what was kept"):
        store.vault.get("b", "before")
    store.close()


def test_shredded_values_are_gone_from_the_disk(url, tmp_path) -> None:
    store = open_store(url)
    for number in range(20):
        value = CANARY * (1 + number * 40)
        store.vault.put(Kept(owner="a", name=str(number), value=value, expires_at=PAST))
    before = found_on_disk(tmp_path)

    shredded = store.vault.shred(now=datetime.now(UTC))

    assert before > 0
    assert shredded == 20
    assert found_on_disk(tmp_path) == 0
    store.close()


def test_pruned_entries_are_gone_from_the_disk(url, tmp_path) -> None:
    store = open_store(url)
    entries = walk("a", find_way(State.VERIFIED), at=NOW - timedelta(days=100))
    entries[0] = replace(entries[0], detail={"note": CANARY.decode()})
    store.journal.submit(entries).result()
    before = found_on_disk(tmp_path)

    store.journal.prune(settled_before=NOW)

    assert before > 0
    assert found_on_disk(tmp_path) == 0
    assert store.journal.verify() == []
    store.close()
