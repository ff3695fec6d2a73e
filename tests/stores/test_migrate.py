"""Every migration: killed at every statement, run by two at once, from older and to newer."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import apsw
import psycopg
import pytest

from mulligan.stores import migrations
from mulligan.stores.migrations import find_latest_version, load_migrations
from mulligan.stores.opening import open_store
from mulligan.stores.sqlite import files
from mulligan.stores.sqlite.session import SqliteSession
from mulligan.testing.store_contract.contract import (
    NOW,
    make_episode,
    make_first_entry,
    make_lesson,
    make_log_row,
    make_use,
)
from mulligan.testing.store_contract.logs import clean_counts, count_anew, make_texts, read_counts
from mulligan.testing.store_contract.processes import finish_child, start_child
from mulligan.types.errors import SchemaTooNewError, SchemaTooOldError, StoreUnavailableError
from mulligan.types.lesson import EpisodeQuery, LessonQuery
from mulligan.types.log import Batch, LogQuery
from tests.stores.killed_migrations import choose_places

OPENER = "mulligan.stores.opening:open_store"
PARTS = ["sqlite/journal", "sqlite/log", "postgres"]


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "family.db"


def works(url: str) -> bool:
    """Whether a store can be opened, written and read."""
    store = open_store(url)
    store.journal.submit([make_first_entry("a")]).result()
    store.log.write(Batch(rows=[make_log_row()]))
    fine = store.journal.verify() == [] and store.check_health().problems == ()
    fine = fine and len(store.log.list_rows(LogQuery())) == 1
    store.close()
    return fine


@pytest.mark.parametrize("part", PARTS)
def test_migrations_are_numbered_without_gaps(part: str) -> None:
    numbers = [migration.number for migration in load_migrations(part)]

    assert numbers == list(range(1, find_latest_version(part) + 1))
    assert all(migration.statements for migration in load_migrations(part))


@pytest.mark.parametrize("part", PARTS)
def test_a_migration_that_is_killed_has_not_happened(part, path, request) -> None:
    where = request.getfixturevalue("empty_postgres_url") if part == "postgres" else str(path)

    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("killed_migrations.py"), part, where],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    places = [choose_places(len(migration.statements)) for migration in load_migrations(part)]
    assert done.stdout.split() == [str(sum(map(len, places)))]


def test_rows_survive_a_migration(path, monkeypatch) -> None:
    only_first = load_migrations("sqlite/log")[:1]
    log = files.build_log_path(path)
    with monkeypatch.context() as yesterday:
        yesterday.setattr(migrations, "load_migrations", lambda part: only_first)
        files.prepare(log, "log", migrate=True)
    session = SqliteSession(log, "log")
    session.run_many("add_rows", [make_log_row(number) for number in range(50)])
    session.close()

    store = open_store(f"sqlite:///{path}")

    assert len(store.log.list_rows(LogQuery(limit=100))) == 50
    assert store.check_health().schemas["log"] == find_latest_version("sqlite/log")
    store.close()


def test_what_was_counted_by_try_is_counted_by_call_after_a_migration(path, monkeypatch) -> None:
    by_try = load_migrations("sqlite/log")[:5]
    log = files.build_log_path(path)
    with monkeypatch.context() as yesterday:
        yesterday.setattr(migrations, "load_migrations", lambda part: by_try)
        files.prepare(log, "log", migrate=True)
    connection = apsw.Connection(str(log))
    # Ten calls, of which four failed; two of these were made again, and one of them worked.
    connection.execute(
        "insert into hourly values (1, '', '', 'find', '', 12, 5, 1, 0, 0, '{}', '{}', 2, 0, 0)"
    )
    connection.close()

    store = open_store(f"sqlite:///{path}")

    began = datetime.fromtimestamp(3600, tz=UTC)
    [counts] = store.log.read_rollups(since=began, until=began).values()
    assert (counts.calls, counts.failures, counts.repaired, counts.tries) == (10, 4, 1, 12)
    store.close()


def test_texts_of_a_store_from_before_are_counted_when_it_is_opened(path, monkeypatch) -> None:
    before = load_migrations("sqlite/log")[:6]
    log = files.build_log_path(path)
    with monkeypatch.context() as yesterday:
        yesterday.setattr(migrations, "load_migrations", lambda part: before)
        files.prepare(log, "log", migrate=True)
    rows = make_texts(random.Random(1), count=80)
    session = SqliteSession(log, "log")
    session.run_many("add_rows", rows)
    session.close()

    store = open_store(f"sqlite:///{path}")

    assert read_counts(store) == clean_counts(count_anew(rows))
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_many_migrate_at_once_and_all_of_them_go_on(kind, path, request) -> None:
    url = f"sqlite:///{path}" if kind == "sqlite" else request.getfixturevalue("empty_postgres_url")

    children = [start_child(OPENER, url, task="write", count=2) for _ in range(4)]
    written = [line for child in children for line in finish_child(child)]

    store = open_store(url)
    assert {action.id for action in store.journal.list_open_actions()} == set(written)
    assert len(written) == 8
    assert store.journal.verify() == []
    store.close()


@pytest.mark.parametrize("name", ["family.db", "family.log.db"])
@pytest.mark.parametrize("may_migrate", [True, False])
def test_a_newer_sqlite_file_is_refused_and_left_alone(path, name, may_migrate) -> None:
    assert works(f"sqlite:///{path}")
    connection = apsw.Connection(str(path.with_name(name)))
    connection.execute("pragma user_version = 99")
    connection.close()
    before = path.with_name(name).read_bytes()

    with pytest.raises(SchemaTooNewError) as caught:
        open_store(f"sqlite:///{path}", migrate=may_migrate)

    assert re.search(rf"{name} has schema 99, but .* up to \d+: upgrade", str(caught.value))
    assert path.with_name(name).read_bytes() == before


def test_a_newer_postgres_schema_is_refused_and_left_alone(empty_postgres_url) -> None:
    assert works(empty_postgres_url)
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute("insert into mulligan.migration (number) values (99)")

    with pytest.raises(SchemaTooNewError, match=r"has schema 99"):
        open_store(empty_postgres_url)


def test_an_older_sqlite_file_is_refused_unless_we_may_migrate(path) -> None:
    SqliteSession(path, "journal", create=True).close()

    with pytest.raises(SchemaTooOldError, match=r"has schema 0; .*`mulligan migrate") as caught:
        open_store(f"sqlite:///{path}", migrate=False)

    assert f"sqlite:///{path}" in str(caught.value)
    assert [file.name for file in path.parent.iterdir()] == ["family.db"]
    assert works(f"sqlite:///{path}")


def test_an_empty_postgres_database_is_refused_unless_we_may_migrate(empty_postgres_url) -> None:
    with pytest.raises(SchemaTooOldError, match="has schema 0"):
        open_store(empty_postgres_url, migrate=False)

    with psycopg.connect(empty_postgres_url) as connection:
        [(schema,)] = connection.execute("select to_regnamespace('mulligan')")
    assert schema is None
    assert works(empty_postgres_url)


def test_a_file_of_another_program_is_not_touched(path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("create table theirs (x); insert into theirs values (1)")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StoreUnavailableError, match="another program"):
        open_store(f"sqlite:///{path}")

    assert path.read_bytes() == before


def test_what_was_learned_under_labels_is_not_carried_over(path) -> None:
    """One label stood for many tenants, or for many people: nobody can tell whose it was."""
    url = f"sqlite:///{path}"
    store = open_store(url)
    kept = make_episode(1, tenant="", principal="")
    others = [make_episode(2, tenant="<uuid>", principal=""), make_episode(3, tenant="")]
    store.casebook.record([kept, *others])
    store.casebook.append([make_lesson(tenant=""), make_lesson(id="l2", tenant="<uuid>")])
    store.casebook.use([make_use(1, principal=""), make_use(2, principal="<email>")])
    store.casebook.use([make_use(3, lesson="l2", principal="")])
    store.close()
    _take_people_back(path)

    store = open_store(url)

    casebook = store.casebook
    assert casebook.list_episodes(EpisodeQuery()) == [kept]
    assert [each.id for each in casebook.list_lessons(LessonQuery())] == ["l1"]
    assert casebook.list_lesson_versions("l2") == casebook.list_uses("l2") == []
    assert casebook.list_uses("l1") == [make_use(1, principal="")]
    assert {slot.tenant for slot in casebook.count_episodes(since=NOW.date())} == {""}
    assert casebook.read_endings("get_order", fingerprint="f1", tenant="<uuid>") == {}
    store.close()


def _take_people_back(path: Path) -> None:
    """Give a file the tables it had before people were counted."""
    connection = apsw.Connection(str(path))
    later = load_migrations("sqlite/journal")[7:]
    for statement in (each for migration in later for each in migration.statements):
        made = re.search(r"create (index|table) (\w+)", statement)
        if made is not None:
            connection.execute(f"drop {made[1]} if exists {made[2]}")
    for statement in (each for migration in later for each in migration.statements):
        added = re.search(r"alter table (\w+) add column (\w+)", statement)
        if added is not None:
            connection.execute(f"alter table {added[1]} drop column {added[2]}")
    for table in ("case_count", "ending_count"):
        connection.execute(f"alter table {table} rename to new_{table}")
        (old,) = (
            statement
            for statement in load_migrations("sqlite/journal")[4].statements
            if f"create table {table} " in statement
        )
        connection.execute(old)
        columns = ", ".join(
            row[1] for row in connection.execute(f"pragma table_info({table})") if row
        )
        counted = columns.replace("episodes", "sum(episodes)")
        grouped = columns.replace(", episodes", "")
        connection.execute(
            f"insert into {table} select {counted} from new_{table} group by {grouped}"
        )
        connection.execute(f"drop table new_{table}")
    connection.execute("pragma user_version = 6")
    connection.close()
