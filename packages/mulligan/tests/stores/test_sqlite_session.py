"""One connection to a SQLite file: wide statements, and a file taken away."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path

import apsw
import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.sqlite.files import prepare, vacuum_files
from mulligan.stores.sqlite.session import JOURNAL, SqliteSession, build_wide, load_queries
from mulligan.types.action import State
from mulligan.types.errors import StoreDamagedError
from mulligan.types.log import Batch
from mulligan_testing.store_contract.contract import make_first_entry, make_log_row, make_next_entry


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "family.db"


@pytest.fixture
def store(path: Path):
    store = open_store(f"sqlite:///{path}")
    store.journal.submit([make_first_entry("a")]).result()
    store.log.write(Batch(rows=[make_log_row(0)]))
    yield store
    store.close()


_WRITE_WITHOUT_REST = """
import sqlite3, sys, time
other = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
while True:
    other.execute("begin immediate")
    print("held", flush=True)
    time.sleep(0.05)
    other.execute("commit")
    begun = time.perf_counter()
    while time.perf_counter() - begun < 0.0003:
        pass
"""


def test_a_writer_beside_one_that_hardly_rests_gets_its_turn(store, path) -> None:
    """On a slow disk another process holds the file nearly always, and never for long."""
    busy = subprocess.Popen(
        [sys.executable, "-c", _WRITE_WITHOUT_REST, path], stdout=subprocess.PIPE
    )
    try:
        busy.stdout.readline()
        answers = [store.journal.submit([make_first_entry(f"b{n}")]).exception() for n in range(3)]
    finally:
        busy.kill()
        busy.communicate()

    assert answers == [None] * 3


def replace(path: Path) -> None:
    shutil.copy2(path, path.with_name("copy"))
    path.unlink()
    path.with_name("copy").rename(path)


@pytest.mark.parametrize("name", ["family.db", "family.db-wal"])
@pytest.mark.parametrize(("take", "what"), [(Path.unlink, "deleted"), (replace, "replaced")])
def test_a_journal_taken_away_is_noticed_at_the_next_write(store, path, name, take, what) -> None:
    take(path.with_name(name))

    answers = [
        store.journal.submit([entry]).exception()
        for entry in (make_next_entry("a", State.EXECUTED, version=2), make_first_entry("b"))
    ]

    assert [type(answer) for answer in answers] == [StoreDamagedError] * 2
    assert f"{name} was {what} while it was open, so nothing was written" in str(answers[0])


@pytest.mark.parametrize("take", [Path.unlink, replace])
def test_a_log_taken_away_is_noticed_at_the_next_write(store, path, take) -> None:
    take(path.with_name("family.log.db"))

    with pytest.raises(StoreDamagedError, match="while it was open"):
        store.log.write(Batch(rows=[make_log_row(1)]))


def test_a_store_that_is_shared_shred_and_tidied_is_not_taken_for_another(store, path) -> None:
    for number in range(3):
        other = open_store(f"sqlite:///{path}")
        other.journal.submit([make_first_entry(f"b{number}")]).result()
        other.vault.shred(now=make_first_entry("x").at)
        other.close()

        answer = store.journal.submit([make_first_entry(f"c{number}")]).exception()
        store.log.write(Batch(rows=[make_log_row(number + 1)]))

        assert answer is None
    assert store.check_health().problems == ()


@pytest.mark.parametrize(
    ("file", "query", "where", "index"),
    [
        ("family.db", "newest_episodes", ("tool",), "episode_by_tool"),
        ("family.db", "newest_episodes", ("tenant",), "episode_by_tenant"),
        ("family.db", "newest_uses", (), "lesson_use_by_time"),
        ("family.log.db", "rows_newest_first", ("turns",), "execution_by_turn"),
        ("family.log.db", "rows_oldest_first", ("server", "thumbs"), "execution_rated"),
        ("family.log.db", "rated_texts", (), "execution_rated"),
    ],
)
def test_the_newest_of_a_kind_are_read_without_the_others(
    store, path: Path, file: str, query: str, where: tuple[str, ...], index: str
) -> None:
    queries = load_queries()
    sql = queries[query].replace("{where}", " and ".join(queries[each] for each in where))
    values = dict.fromkeys(re.findall(r":([a-z_]+)", sql), "[]")

    with closing(sqlite3.connect(path.with_name(file))) as connection:
        plan = connection.execute(f"explain query plan {sql}", values).fetchall()

    used = [step[3] for step in plan]
    assert any(index in step for step in used)
    assert not [step for step in used if step.startswith("SCAN") and "json_each" not in step]
    assert "execution_by_tool" not in " ".join(used)


ADD = """insert into seen values (?, ?)
  on conflict (name) do update set times = times + excluded.times"""


@pytest.fixture
def connection():
    connection = apsw.Connection(":memory:")
    connection.execute("create table seen (name text primary key, times integer)")
    yield connection
    connection.close()


@pytest.mark.parametrize("count", [0, 1, 2, 5, 255, 256, 257, 1_000])
def test_every_row_is_inserted_once(connection, count):
    rows = [(f"n{number}", number) for number in range(count)]

    for sql, values in build_wide(ADD, iter(rows)):
        connection.execute(sql, values)

    assert list(connection.execute("select * from seen order by times")) == rows


def test_rows_of_one_statement_that_meet_are_added_up(connection):
    for sql, values in build_wide(ADD, [("a", 1), ("b", 2), ("a", 3), ("a", 4)]):
        connection.execute(sql, values)

    assert dict(connection.execute("select * from seen")) == {"a": 8, "b": 2}


def make_file(path: Path) -> partial[SqliteSession]:
    timeout = timedelta(milliseconds=100)
    prepare(path, JOURNAL, migrate=True, timeout=timeout)
    return partial(SqliteSession, path, JOURNAL, timeout=timeout)


def test_what_is_too_large_is_left_and_named(tmp_path: Path) -> None:
    connects = {tmp_path / name: make_file(tmp_path / name) for name in ("a.db", "b.db")}

    left = vacuum_files(connects, most_bytes=1)
    done = vacuum_files(connects, most_bytes=None)

    assert left.parts == ()
    assert [why.split()[0] for why in left.left] == ["a.db", "b.db"]
    assert done.parts == ("a.db", "b.db")


def test_a_file_that_somebody_writes_is_left_and_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connects = {path: make_file(path)}
    other = apsw.Connection(str(path))
    other.execute("begin immediate")

    found = vacuum_files(connects, most_bytes=None)
    other.close()

    assert found.parts == ()
    assert "a.db" in found.left[0]
