"""A SQLite file of each test and an empty database on a real Postgres, so that none finds what
another has left; in the long form a MariaDB as well."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, event, inspect

from bench.packs.database_server import serve_mariadb
from mulligan import Mulligan
from mulligan_testing.postgres import PostgresServer, to_sqlalchemy_url
from tests.packs.proving import reject
from tests.packs.sql.world import World


def _hurry(connection: object, _: object) -> None:
    """Nobody pulls the plug of a test."""
    connection.execute("PRAGMA synchronous = OFF")  # type: ignore[attr-defined]
    connection.execute("PRAGMA foreign_keys = ON")  # type: ignore[attr-defined]
    # Who waits for another here waits for itself.
    connection.execute("PRAGMA busy_timeout = 100")  # type: ignore[attr-defined]


@pytest.fixture
def sqlite_engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(f"sqlite:///{tmp_path}/rows.db")
    event.listen(engine, "connect", _hurry)
    World(engine=engine).create()
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.create_database() as url:
        yield to_sqlalchemy_url(url)


@pytest.fixture
def postgres_engine(postgres_url: str) -> Iterator[Engine]:
    engine = create_engine(postgres_url)
    event.listen(engine, "connect", _keep_no_disk_waiting)
    world = World(engine=engine)
    world.run(EMPTY)
    world.create()
    yield engine
    engine.dispose()


# A database of each test would be copied for each: this takes a tenth of that.
EMPTY = """DO $$ DECLARE one text; BEGIN
FOR one IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)' LOOP
EXECUTE format('DROP SCHEMA %I CASCADE', one); END LOOP; CREATE SCHEMA public; END $$"""


def _keep_no_disk_waiting(connection: object, _: object) -> None:
    connection.execute("SET synchronous_commit = off")  # type: ignore[attr-defined]
    connection.commit()  # type: ignore[attr-defined]


MYSQL = os.environ.get("MULLIGAN_TEST_MYSQL", "")
"""The long form of the tests: the URL of an empty database on a MySQL or MariaDB, or `start`, which
starts Debian's `mariadb-server` for them."""


@pytest.fixture(scope="session")
def mysql_url() -> Iterator[str]:
    with serve_mariadb() if MYSQL == "start" else nullcontext(MYSQL) as url:
        yield url


@pytest.fixture
def mysql_engine(mysql_url: str) -> Iterator[Engine]:
    engine = create_engine(mysql_url)
    world = World(engine=engine)
    names = inspect(engine).get_table_names()
    world.run("SET foreign_key_checks = 0", *(f"DROP TABLE `{name}`" for name in names))
    engine.dispose()
    world.create()
    yield engine
    engine.dispose()


DATABASES = ["sqlite", "postgres", *(["mysql"] if MYSQL else [])]


@pytest.fixture(params=DATABASES)
def world(request: pytest.FixtureRequest) -> World:
    """The same on both."""
    return World(engine=request.getfixturevalue(f"{request.param}_engine"))


@pytest.fixture
def m() -> Iterator[Mulligan]:
    """An application whose reviewer rejects everything."""
    application = Mulligan("memory:", checks=[reject], recover=False)
    yield application
    application.close()
