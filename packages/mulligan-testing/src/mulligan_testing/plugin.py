"""Fixtures for pytest, there as soon as this package is installed: stores with nothing in them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mulligan_testing.postgres import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server for each test process. Nothing is synced to the disk: power is never cut."""
    from mulligan_testing.postgres import run_postgres_server

    with run_postgres_server(synced=False) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_schema(postgres: PostgresServer) -> Iterator[str]:
    """The name of a database with our tables and nothing in them: to copy it takes a moment."""
    from mulligan.stores.postgres.session import PostgresSession
    from mulligan.stores.postgres.store import prepare

    with postgres.create_database() as url:
        session = PostgresSession(url, timeout=timedelta(seconds=30))
        prepare(session, store=url, migrate=True)
        session.close()
        yield url.rpartition("/")[2]


@pytest.fixture
def postgres_url(postgres: PostgresServer, postgres_schema: str) -> Iterator[str]:
    """Of a store on Postgres with nothing in it."""
    with postgres.create_database(postgres_schema) as url:
        yield url


@pytest.fixture
def empty_postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """Of a database that has not even tables."""
    with postgres.create_database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a store of each kind that has tables, one after the other, with nothing in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/family.db"
    return str(request.getfixturevalue("postgres_url"))
