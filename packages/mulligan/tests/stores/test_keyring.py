"""Who may write to a store with a key, and what is said when the proof of it is gone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept
from mulligan.types.errors import StoreDamagedError, StoreError
from mulligan_testing.store_contract.contract import make_first_entry

KEY = bytes(range(32))


@pytest.fixture
def signed_url(url):
    store = open_store(url, vault_key=KEY)
    kept = Kept(owner="a", name="before", value=b"raw")
    store.journal.submit([make_first_entry("a")], keep=[kept]).result()
    store.close()
    return url


def run(url: str, *statements: str) -> None:
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
    run(signed_url, "delete from key_check")

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
    run(signed_url, *removed)

    store = open_store(signed_url, tolerate_damage=True)
    kept = Kept(owner="b", name="before", value=b"raw")
    answer = store.journal.submit([make_first_entry("b")], keep=[kept]).exception()
    store.close()

    assert isinstance(answer, StoreError)
    assert "vault_key" in str(answer)


def test_a_person_may_go_on_without_the_proof(signed_url) -> None:
    run(signed_url, "delete from key_check")
    store = open_store(signed_url, vault_key=KEY, tolerate_damage=True)

    accepted = store.journal.accept_damage("restored by hand")
    store.close()

    again = open_store(signed_url, vault_key=KEY)
    assert accepted > 0
    assert again.journal.verify() == []
    assert again.vault.get("a", "before") == b"raw"
    again.close()


def move(source: Path, target: Path) -> str:
    """All files of one store in the place of another's."""
    target.mkdir(exist_ok=True)
    for file in source.iterdir():
        if file.is_file():
            shutil.copy(file, target / file.name)
    return f"sqlite:///{target}/family.db"


def fill(folder: Path, action: str) -> str:
    folder.mkdir(exist_ok=True)
    store = open_store(f"sqlite:///{folder}/family.db", vault_key=KEY)
    store.journal.submit([make_first_entry(action)]).result()
    store.close()
    return f"sqlite:///{folder}/family.db"


def test_two_stores_under_one_key_are_not_put_in_each_other_s_place(tmp_path) -> None:
    production, staging = tmp_path / "production", tmp_path / "staging"
    url = fill(production, "a")
    fill(staging, "b")
    move(staging, production)

    with pytest.raises(StoreDamagedError, match=r"was signed as the one at .*staging/family\.db"):
        open_store(url, vault_key=KEY)

    looking = open_store(url, vault_key=KEY, tolerate_damage=True)
    assert "somebody has put another in its place" in " ".join(looking.check_health().problems)
    looking.close()


def test_a_store_that_was_moved_on_purpose_is_at_home_in_both_places(tmp_path) -> None:
    first = fill(tmp_path / "one", "a")
    second = move(tmp_path / "one", tmp_path / "two")

    moved = open_store(second, vault_key=KEY, tolerate_damage=True)
    moved.journal.accept_damage("Moved to the new disk.")
    moved.close()
    store = open_store(second, vault_key=KEY)

    assert store.check_health().problems == ()
    assert store.journal.find_action("a") is not None
    store.close()
    open_store(first, vault_key=KEY).close()
    open_store(move(tmp_path / "two", tmp_path / "one"), vault_key=KEY).close()
