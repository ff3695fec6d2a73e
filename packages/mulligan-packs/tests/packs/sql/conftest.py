"""A SQLite file and a database on a real Postgres, one for each test process; in the long form a
MariaDB as well."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from sqlalchemy import Engine, create_engine, event

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


@pytest.fixture(scope="session")
def sqlite_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = create_engine(f"sqlite:///{tmp_path_factory.mktemp('rows')}/rows.db")
    event.listen(engine, "connect", _hurry)
    World(engine=engine).create()
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def postgres_engine(postgres: PostgresServer) -> Iterator[Engine]:
    with postgres.create_database() as url:
        engine = create_engine(to_sqlalchemy_url(url))
        event.listen(engine, "connect", _keep_no_disk_waiting)
        World(engine=engine).create()
        yield engine
        engine.dispose()


def _keep_no_disk_waiting(connection: object, _: object) -> None:
    connection.execute("SET synchronous_commit = off")  # type: ignore[attr-defined]
    connection.commit()  # type: ignore[attr-defined]


MYSQL = os.environ.get("MULLIGAN_TEST_MYSQL", "")
"""The long form of the tests: the URL of an empty database on a MySQL or MariaDB, or `start`, which
starts Debian's `mariadb-server` for them."""


@pytest.fixture(scope="session")
def mysql_engine() -> Iterator[Engine]:
    with serve_mariadb() if MYSQL == "start" else nullcontext(MYSQL) as url:
        engine = create_engine(url)
        World(engine=engine).drop()
        World(engine=engine).create()
        yield engine
        engine.dispose()


DATABASES = ["sqlite", "postgres", *(["mysql"] if MYSQL else [])]


@pytest.fixture(params=DATABASES)
def world(request: pytest.FixtureRequest) -> World:
    """The same on both."""
    made = World(engine=request.getfixturevalue(f"{request.param}_engine"))
    made.fill()
    return made


@pytest.fixture
def m() -> Iterator[Mulligan]:
    """An application whose reviewer rejects everything."""
    application = Mulligan("memory:", checks=[reject], recover=False)
    yield application
    application.close()
