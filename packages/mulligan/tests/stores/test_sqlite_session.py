"""A file that is taken away under a running process, and what is read of one."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mulligan.stores.database import load_queries
from mulligan.stores.opening import open_store
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
    queries = load_queries("log", "casebook", "sqlite")
    sql = queries[query].replace("{where}", " and ".join(queries[each] for each in where))
    values = dict.fromkeys(re.findall(r":([a-z_]+)", sql), "[]")

    with closing(sqlite3.connect(path.with_name(file))) as connection:
        plan = connection.execute(f"explain query plan {sql}", values).fetchall()

    used = [step[3] for step in plan]
    assert any(index in step for step in used)
    assert not [step for step in used if step.startswith("SCAN") and "json_each" not in step]
    assert "execution_by_tool" not in " ".join(used)
