"""What one row says is compared with the others, and one bad row hides no good one."""

from __future__ import annotations

import pytest

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.errors import StoreDamagedError
from mulligan_testing.store_contract.contract import make_first_entry, make_next_entry


@pytest.fixture
def store(url):
    store = open_store(url)
    for action in ("a", "b", "c"):
        kept = Kept(owner=action, name="before", value=f"the value of {action}".encode())
        store.journal.submit([make_first_entry(action)], keep=[kept]).result()
        store.journal.submit([make_next_entry(action, State.EXECUTED, version=2)]).result()
    yield store
    store.close()


def change(store, sql: str) -> None:
    with store.journal._pool.acquire_session() as session:
        session.execute(sql)


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("update action set settled = 1 where id = 'b'", "settled"),
        ("update action set state = 'verified' where id = 'b'", "state"),
        ("update action set tenant = 'office' where id = 'b'", "tenant"),
        ("update action set detail = '{\"x\":1}' where id = 'b'", "detail"),
        ("update action set opening = replace(opening, 'home', 'hole') where id = 'b'", "opening"),
        ("update action set changed_us = 5 where id = 'b'", "times"),
        ("update action set version = 1 where id = 'b'", "state"),
        ("update entry set body = null where action = 'b' and version = 1", "entries"),
        ("update entry set body = null where action = 'b' and version = 2", "entries"),
    ],
)
def test_an_action_that_is_not_what_its_entries_say_is_named(store, sql, named) -> None:
    change(store, sql)

    damages = store.journal.verify()

    assert len(damages) == 1
    assert "Action b " in damages[0].what
    assert named in damages[0].what
    assert damages[0].what in store.check_health().problems


def test_an_action_that_left_the_open_list_keeps_the_store_from_opening(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url)
    store.journal.submit([make_first_entry("a")]).result()
    change(store, "update action set settled = 1")
    store.close()

    with pytest.raises(StoreDamagedError, match="Action a"):
        open_store(url)


@pytest.mark.parametrize(
    "sql",
    [
        "update action set opening = '{\"tool' where id = 'b'",
        "update action set opening = '7' where id = 'b'",
        "update action set state = 'exebuted' where id = 'b'",
        "update action set detail = 'no json' where id = 'b'",
        "update action set changed_us = 9000000000000000000 where id = 'b'",
    ],
)
def test_an_unreadable_action_hides_no_other(store, sql) -> None:
    change(store, sql)

    listed = [action.id for action in store.journal.list_open_actions(limit=2)]

    assert listed == ["a", "c"]
    assert any("Action b " in problem for problem in store.check_health().problems)
    with pytest.raises(StoreDamagedError, match="Action b"):
        store.journal.find_action("b")


@pytest.mark.parametrize("state", ["exebuted", "ex%cuted", ""])
def test_an_entry_for_an_unreadable_action_is_refused_alone(store, state) -> None:
    change(store, f"update action set state = '{state}' where id = 'b'")

    answers = [
        store.journal.submit([make_next_entry(action, State.VERIFIED, version=3)]).exception()
        for action in ("a", "b", "c")
    ]

    assert isinstance(answers[1], StoreDamagedError)
    assert answers[::2] == [None, None]


@pytest.mark.parametrize("body", ["'{'", "'{}'", "'[]'"])
def test_an_unreadable_entry_is_damage_and_no_riddle(store, body) -> None:
    change(store, f"update entry set body = {body} where action = 'b' and version = 2")

    with pytest.raises(StoreDamagedError, match="Entry 2 of action b"):
        store.journal.list_entries("b")


@pytest.mark.parametrize("key", [None, bytes(32)], ids=["plain", "encrypted"])
def test_a_flipped_bit_in_a_kept_value_is_noticed(tmp_path, key) -> None:
    store = open_store(f"sqlite:///{tmp_path}/family.db", vault_key=key)
    store.vault.put(Kept(owner="a", name="before", value=b"the value before"))
    with store.journal._pool.acquire_session() as session:
        [(value,)] = session.execute("select value from kept where owner = 'a'")
        changed = value[:-1] + bytes([value[-1] ^ 4])
        session.execute("update kept set value = :value where owner = 'a'", {"value": changed})

    with pytest.raises(StoreDamagedError, match="'before' of a"):
        store.vault.get("a", "before")
    store.close()


def test_text_that_is_none_hides_no_other_action(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url)
    for action in ("a", "b", "c"):
        store.journal.submit([make_first_entry(action)]).result()
    change(store, "update action set detail = cast(x'7b80' as text) where id = 'b'")
    change(store, "update entry set body = cast(x'7b80' as text) where action = 'c'")

    listed = [action.id for action in store.journal.list_open_actions()]

    assert listed == ["a"]
    told = " ".join(store.check_health().problems)
    assert "Action b " in told
    assert "Action c " in told
    assert "cannot be read" in told
    with pytest.raises(StoreDamagedError):
        store.journal.list_entries("c")
    store.close()
    with pytest.raises(StoreDamagedError):
        open_store(url)


@pytest.mark.parametrize("change_to", ["body = cast(body as blob)", "hash = 7", "hash = 'x'"])
def test_a_column_of_another_type_is_damage_and_no_riddle(tmp_path, change_to) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url)
    for action in ("a", "b"):
        store.journal.submit([make_first_entry(action)]).result()
    change(store, f"update entry set {change_to} where action = 'a'")
    store.close()

    with pytest.raises(StoreDamagedError):
        open_store(url)


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

    assert listed == ["b", "c"]
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
