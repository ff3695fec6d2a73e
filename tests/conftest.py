"""One Postgres server for each test process, and a database of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mulligan.testing.postgres import PostgresServer, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.database() as url:
        yield url
