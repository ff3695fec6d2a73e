"""Every error of a database is one of ours, says what to do, and loses nothing."""

from __future__ import annotations

import random
import shutil
import stat
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import timedelta

import psycopg
import pytest
from psycopg import errors as pg

from mulligan.stores import database
from mulligan.stores.opening import open_store
from mulligan.stores.postgres.session import translate, translate_errors
from mulligan.stores.sqlite.session import PRAGMAS
from mulligan.types import errors
from mulligan.types.action import Kept
from mulligan.types.errors import StoreDamagedError, StoreFullError, StoreLockedError
from mulligan.types.log import Batch, Loss
from mulligan_testing.store_contract.contract import NOW, make_first_entry, make_log_row

BRIEFLY = timedelta(milliseconds=200)

HOLD = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
connection.execute("begin immediate")
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked(path):
    """Another process holds the file's write lock."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout.readline() == "locked\n"
    try:
        yield
    finally:
        holder.communicate("")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "family.db"


@pytest.fixture
def store(path):
    store = open_store(f"sqlite:///{path}", timeout=BRIEFLY)
    yield store
    store.close()


def test_a_locked_journal_refuses_in_time_and_works_again_afterwards(store, path) -> None:
    store.journal.submit([make_first_entry("before")]).result()
    with locked(path):
        started = time.monotonic()

        error = store.journal.submit([make_first_entry("during")]).exception()

        assert time.monotonic() - started < 30
    assert isinstance(error, StoreLockedError)
    assert str(path) in str(error)
    assert store.journal.find_action("during") is None
    assert store.journal.submit([make_first_entry("during")]).exception() is None
    assert store.journal.verify() == []


def test_a_locked_journal_can_be_read_and_opened(store, path) -> None:
    store.journal.submit([make_first_entry("a")]).result()

    with locked(path), locked(path.with_name("family.log.db")):
        other = open_store(f"sqlite:///{path}", timeout=BRIEFLY)
        found = other.journal.find_action("a")
        other.close()

    assert found is not None


def test_a_locked_log_stands_in_the_way_of_no_intent(store, path) -> None:
    with locked(path.with_name("family.log.db")):
        error = store.journal.submit([make_first_entry("a")]).exception()

        with pytest.raises(StoreLockedError):
            store.log.write(Batch(rows=[make_log_row()]))

    assert error is None
    store.log.write(Batch(rows=[make_log_row()]))
    assert store.check_health().rows == 1


@pytest.mark.full
def test_a_full_disk_refuses_and_loses_nothing_that_was_acknowledged(tmp_path, monkeypatch) -> None:
    template = tmp_path / "template"
    template.mkdir()
    open_store(f"sqlite:///{template}/family.db").close()
    pages = (template / "family.db").stat().st_size // 4096
    refused = 0

    for most in range(pages + 1, pages + 31):
        folder = tmp_path / str(most)
        shutil.copytree(template, folder)
        url = f"sqlite:///{folder}/family.db"
        with monkeypatch.context() as full:
            limit = f"max_page_count = {most}"
            full.setitem(PRAGMAS, "journal", (*PRAGMAS["journal"], limit))
            store = open_store(url)
            acknowledged, errors = _write_until_full(store)
            store.close()
        again = open_store(url)
        assert [a.id for a in again.journal.list_open_actions(limit=1000)] == acknowledged
        assert all(again.vault.get(action, "before") for action in acknowledged)
        assert again.journal.verify() == []
        assert again.journal.submit([make_first_entry("z")]).exception() is None
        again.close()
        assert all(isinstance(error, StoreFullError) for error in errors)
        refused += len(errors)

    assert refused >= 30


def _write_until_full(store):
    acknowledged, errors = [], []
    for number in range(100):
        kept = Kept(owner=f"a{number:03}", name="before", value=random.randbytes(2000))
        error = store.journal.submit([make_first_entry(kept.owner)], keep=[kept]).exception()
        if error is None:
            acknowledged.append(kept.owner)
        else:
            errors.append(error)
        if len(errors) == 3:
            break
    return acknowledged, errors


@pytest.mark.parametrize(
    "content",
    [b"not a database at all" * 100, b"\x00" * 8192, b"SQLite format 3\x00" + b"\xff" * 9000],
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(path, content) -> None:
    path.write_bytes(content)

    with pytest.raises(StoreDamagedError, match=r"family\.db"):
        open_store(f"sqlite:///{path}")

    assert path.read_bytes() == content


def test_every_file_is_for_its_owner_alone(store, path) -> None:
    store.journal.submit([make_first_entry("a")]).result()
    store.log.write(Batch(rows=[make_log_row()], losses=[Loss(at=NOW, reason="overflow")]))
    store.load_secret()

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}

    assert set(modes.values()) == {0o600}
    assert {name.removeprefix("family") for name in modes} == {
        *(".db", ".db-wal", ".db-shm", ".db.mark", ".db.key"),
        *(".log.db", ".log.db-wal", ".log.db-shm", ".log.db.mark"),
    }


def test_a_file_others_can_read_is_a_problem(store, path) -> None:
    path.chmod(0o644)

    problems = store.check_health().problems

    assert problems == (f"{path} can be read by others: run `chmod 600 {path}`.",)


def test_a_key_file_of_the_wrong_length_is_named(store, path) -> None:
    store.load_secret()
    path.with_name("family.db.key").write_bytes(b"short")

    with pytest.raises(StoreDamagedError, match="5 bytes instead of 32"):
        store.load_secret()


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (pg.UniqueViolation("dup"), database.AlreadyThereError),
        (pg.DeadlockDetected("dead"), database.TryAgainError),
        (pg.SerializationFailure("ser"), database.TryAgainError),
        (pg.LockNotAvailable("locked"), errors.StoreLockedError),
        (pg.DiskFull("full"), errors.StoreFullError),
        (pg.DataCorrupted("bad"), errors.StoreDamagedError),
        (pg.AdminShutdown("bye"), database.ConnectionLostError),
        (psycopg.DataError("cannot contain NUL (0x00)"), database.UnstorableTextError),
        (pg.InsufficientPrivilege("denied"), errors.StoreUnavailableError),
        (pg.UndefinedTable("no writer"), errors.StoreUnavailableError),
        (pg.InvalidSqlStatementName("no _pg3_0"), errors.StoreUnavailableError),
        (pg.DuplicatePreparedStatement("_pg3_0 again"), errors.StoreUnavailableError),
        (psycopg.OperationalError("gone"), errors.StoreUnavailableError),
        (psycopg.ProgrammingError("odd"), errors.StoreError),
    ],
)
def test_every_error_of_postgres_is_one_of_ours_and_names_the_store(
    error: psycopg.Error, ours: type[Exception]
) -> None:
    found = translate(error, "postgresql://db/family", broken=False)

    assert type(found) is ours
    assert "postgresql://db/family" in str(found)


def test_on_a_broken_connection_nobody_knows_whether_it_was_committed() -> None:
    found = translate(pg.UniqueViolation("dup"), "db", broken=True)

    assert isinstance(found, database.ConnectionLostError)


def test_a_text_that_no_encoding_has_is_named_as_such() -> None:
    with (
        pytest.raises(database.UnstorableTextError, match="lone surrogate"),
        translate_errors("db"),
    ):
        "\ud800".encode()


def test_who_may_not_is_told_so_and_not_to_look_at_the_server() -> None:
    found = translate(pg.InsufficientPrivilege("denied"), "postgresql://db/family", broken=False)

    assert "may not do that (denied)" in str(found)
    assert "check the server" not in str(found)


def test_a_server_that_forgot_what_a_connection_was_told_is_behind_a_pooler() -> None:
    found = translate(pg.UndefinedTable("no writer"), "postgresql://db/family", broken=False)

    assert "pool by session" in str(found)
