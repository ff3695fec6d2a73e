"""One Postgres server for each test process; databases and worlds for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from mulligan.testing.postgres import PostgresServer, run_postgres_server
from tests.world import Worlds

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


@pytest.fixture
async def worlds(tmp_path: Path) -> AsyncIterator[Worlds]:
    async with AsyncExitStack() as stack:
        yield Worlds(tmp_path, stack)
