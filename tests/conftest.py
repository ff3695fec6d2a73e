"""One Postgres server for each test process, and a database of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from mulligan.testing.postgres import PostgresServer, run_postgres_server

# A loaded machine is slow at making examples; that says nothing about what is tested.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("calm")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with run_postgres_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.create_database() as url:
        yield url
