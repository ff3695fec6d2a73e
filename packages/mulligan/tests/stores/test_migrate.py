"""Schemas move forward in steps: killed, raced, refused, and beside programs of an earlier one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import apsw
import psycopg
import pytest

from mulligan.stores import migrations
from mulligan.stores.migrations import Migration, find_latest_version, load_migrations
from mulligan.stores.opening import open_store
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.postgres.store import PostgresSchema
from mulligan.stores.sqlite.session import SqliteSession
from mulligan.types.errors import (
    SchemaTooNewError,
    SchemaTooOldError,
    StoreError,
    StoreUnavailableError,
)
from mulligan.types.log import Batch, LogQuery
from mulligan_testing.store_contract.contract import (
    make_first_entry,
    make_log_row,
)
from mulligan_testing.store_contract.processes import finish_child, start_child
from tests.stores.killed_migrations import choose_places
from tests.stores.rolling import start_rolling

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

    assert numbers == list(range(numbers[0], find_latest_version(part) + 1))
    assert all(migration.statements for migration in load_migrations(part))


@pytest.mark.full
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
    assert works(f"sqlite:///{path}")
    known = load_migrations("sqlite/log")
    number = known[-1].number + 1
    statements = ("alter table execution add column later text",)
    more = Migration(number=number, statements=statements, needs=number)
    held = {part: load_migrations(part) for part in PARTS} | {"sqlite/log": (*known, more)}
    monkeypatch.setattr(migrations, "load_migrations", held.__getitem__)

    store = open_store(f"sqlite:///{path}")

    assert len(store.log.list_rows(LogQuery())) == 1
    assert store.check_health().schemas["log"] == number
    store.close()


@pytest.mark.parametrize("may_migrate", [True, False])
def test_a_schema_from_before_the_first_release_is_refused_and_left_alone(
    path, may_migrate
) -> None:
    assert works(f"sqlite:///{path}")
    connection = apsw.Connection(str(path))
    connection.execute("pragma user_version = 3")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StoreError, match="has schema 3, from before the first release"):
        open_store(f"sqlite:///{path}", migrate=may_migrate)

    assert path.read_bytes() == before


@pytest.mark.full
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

    with pytest.raises(
        SchemaTooOldError, match=r"is empty: check the URL\..*`mulligan migrate"
    ) as caught:
        open_store(f"sqlite:///{path}", migrate=False)

    assert f"sqlite:///{path}" in str(caught.value)
    assert [file.name for file in path.parent.iterdir()] == ["family.db"]
    assert works(f"sqlite:///{path}")


def test_an_empty_postgres_database_is_refused_unless_we_may_migrate(empty_postgres_url) -> None:
    with pytest.raises(SchemaTooOldError, match="is empty: check the URL"):
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


def read_version(url: str) -> int:
    session = PostgresSession(url, timeout=timedelta(seconds=5))
    try:
        return PostgresSchema(session).read_version()
    finally:
        session.close()


def test_two_versions_write_while_the_schema_moves_on_under_them(postgres_url) -> None:
    url, latest = postgres_url, find_latest_version("postgres")

    with start_rolling(url, "former", seconds=8) as former:
        first = former.stdout.readline()
        assert read_version(url) == latest
        following = start_rolling(url, "following", "tomorrow")
        said = following.communicate(timeout=120)
        # Not `communicate`, which passes over the lines that were read ahead with the first.
        rest = former.stdout.read(), former.stderr.read()

    assert [former.returncode, following.returncode] == [0, 0], (said, rest)
    assert [said[1], rest[1]] == ["", ""]
    written = [*first.split(), *said[0].split(), *rest[0].split()]
    assert read_version(url) == latest + 1
    assert {name.partition("-")[0] for name in written} == {"former", "following"}
    store = open_store(url)
    held = [each.id for each in store.journal.list_open_actions(limit=100_000)]
    logged = [each.agent for each in store.log.list_rows(LogQuery(limit=100_000))]
    assert sorted(held) == sorted(logged) == sorted(written)
    assert store.check_health().problems == ()
    store.close()


def add_migrations(monkeypatch, *texts: str) -> int:
    """Have this program know some more; what the first of them is numbered."""
    known = load_migrations("postgres")
    number, more = known[-1].number + 1, []
    for each, text in enumerate(texts, start=number):
        before = more[-1].needs if more else known[-1].needs
        more.append(migrations._read_migration(each, text, needs_before=before))
    monkeypatch.setattr(migrations, "load_migrations", lambda part: (*known, *more))
    return number


def test_what_takes_away_waits_for_programs_that_still_use_it(postgres_url, monkeypatch) -> None:
    former = open_store(postgres_url)
    former.journal.submit([make_first_entry("a")]).result()
    number = find_latest_version("postgres") + 1
    add_migrations(
        monkeypatch,
        "-- expand\nalter table tool add column note text;",
        f"-- contract: {number}\nalter table tool drop column seal;",
    )

    beside = open_store(postgres_url)
    beside.journal.submit([make_first_entry("b")]).result()
    waited = read_version(postgres_url)
    former.journal.submit([make_first_entry("c")]).result()
    beside.close()
    former.close()
    after = open_store(postgres_url)

    assert (waited, read_version(postgres_url)) == (number, number + 1)
    assert {each.id for each in after.journal.list_open_actions()} == {"a", "b", "c"}
    after.close()


def test_who_needs_what_comes_after_it_is_told_whom_to_stop(postgres_url, monkeypatch) -> None:
    former = open_store(postgres_url)
    former.journal.submit([make_first_entry("a")]).result()
    number = find_latest_version("postgres") + 1
    add_migrations(
        monkeypatch,
        f"-- contract: {number}\nalter table tool drop column seal;",
        "-- expand\nalter table tool add column note text;",
    )

    with pytest.raises(StoreError, match=rf"pid {os.getpid()} on .*stop them first"):
        open_store(postgres_url)

    assert read_version(postgres_url) == number - 1
    former.close()


@pytest.mark.parametrize(
    ("text", "tolerated"),
    [
        ("-- expand\nalter table execution add column later text;", True),
        ("-- contract: 1\ndrop index execution_rated;", True),
        ("alter table tool add column note text;", False),
        ("-- contract: {number}\nalter table tool drop column seal;", False),
    ],
)
def test_a_later_schema_is_used_where_it_only_adds_and_else_refused(
    postgres_url, monkeypatch, text: str, tolerated: bool
) -> None:
    with monkeypatch.context() as tomorrow:
        number = find_latest_version("postgres") + 1
        add_migrations(tomorrow, text.replace("{number}", str(number)))
        open_store(postgres_url).close()

    assert read_version(postgres_url) == number
    if tolerated:
        assert works(postgres_url)
    else:
        with pytest.raises(SchemaTooNewError):
            open_store(postgres_url)
