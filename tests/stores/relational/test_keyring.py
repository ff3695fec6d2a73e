"""Who may write to a store with a key, and what is said when the proof of it is gone."""

from __future__ import annotations

import pytest

from mulligan.core.action import Kept
from mulligan.core.errors import StoreDamagedError, StoreError
from mulligan.stores.opening import open_store
from mulligan.testing.store_contract.contract import make_first_entry

KEY = bytes(range(32))


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path}/family.db"


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
