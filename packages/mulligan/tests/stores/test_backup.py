"""A copy made while others write is a store: sound, of one moment, and only its owner's."""

from __future__ import annotations

import stat
import threading
from contextlib import AbstractContextManager, closing
from itertools import count
from pathlib import Path

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.sqlite.files import copy_files
from mulligan.stores.sqlite.session import SqliteSession
from mulligan.types.errors import ConfigurationError
from mulligan_testing.store_contract.contract import make_first_entry

KEY = b"k" * 32


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "keyed"])
def test_copies_made_while_somebody_writes_are_sound(key: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "family.db"
    store = open_store(f"sqlite:///{path}", vault_key=key)
    written, stop = [0], threading.Event()

    def write() -> None:
        for number in count():
            store.journal.submit([make_first_entry(f"a{number:06}")]).result()
            written[0] = number + 1
            if stop.is_set():
                return

    writer = threading.Thread(target=write)
    writer.start()
    copies = []
    for number in range(8):
        before = written[0]
        copy_files(path, tmp_path / str(number))
        copies.append((number, before, written[0]))
    stop.set()
    writer.join()
    store.close()

    for number, before, after in copies:
        copy = open_store(
            f"sqlite:///{tmp_path / str(number)}/family.db",
            migrate=False,
            vault_key=key,
            tolerate_damage=True,
        )
        problems = copy.check_health().problems
        actions = {each.id for each in copy.journal.list_open_actions(limit=1_000_000)}
        copy.close()
        moved = [each for each in problems if "it was moved" in each]
        assert len(problems) == len(moved) == (key is not None)
        assert before <= len(actions) <= after + 1
        assert actions == {f"a{each:06}" for each in range(len(actions))}


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "keyed"])
def test_a_writer_that_begins_while_a_copy_is_made_has_its_mark_in_it(
    key: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url, vault_key=key)
    store.journal.submit([make_first_entry("before")]).result()
    others = [open_store(url, vault_key=key)]
    begin_now = SqliteSession.begin_snapshot

    def begin_late(session: SqliteSession) -> AbstractContextManager[None]:
        if others:
            with closing(others.pop()) as other:
                other.journal.submit([make_first_entry("meanwhile")]).result()
        return begin_now(session)

    monkeypatch.setattr(SqliteSession, "begin_snapshot", begin_late)
    made = copy_files(tmp_path / "family.db", tmp_path / "copy")
    store.close()

    assert len(made) == len(set(made)) == len(list((tmp_path / "copy").iterdir()))
    copy = open_store(
        f"sqlite:///{tmp_path}/copy/family.db", migrate=False, vault_key=key, tolerate_damage=True
    )
    with closing(copy):
        assert not [
            each for each in copy.check_health().problems if "no" in each and "mark" in each
        ]
        assert len(copy.journal.list_open_actions(limit=10)) == 2


def test_nobody_else_may_read_a_copy(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path}/family.db").close()

    made = copy_files(tmp_path / "family.db", tmp_path / "copy")

    assert {path.name for path in made} >= {"family.db", "family.log.db"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o600}


def test_what_lies_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path}/family.db").close()
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "family.log.db").write_text("mine")

    with pytest.raises(ConfigurationError, match="already exists"):
        copy_files(tmp_path / "family.db", tmp_path / "copy")

    assert [path.name for path in (tmp_path / "copy").iterdir()] == ["family.log.db"]
    assert (tmp_path / "copy" / "family.log.db").read_text() == "mine"
