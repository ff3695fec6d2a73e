"""One Postgres server for each test process; databases and worlds for each test."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from mulligan import Mulligan
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.postgres.store import prepare
from mulligan.testing.postgres import PostgresServer, run_postgres_server
from mulligan.types.call import LogRow
from mulligan.types.events import CallLogged
from tests.world import Worlds

# A loaded machine is slow at making examples; that says nothing about what is tested.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("calm")


@pytest.fixture(autouse=True)
def said_aloud() -> Iterator[None]:
    """A test may silence us, as a campaign that breaks things on purpose; the next one hears."""
    logger = logging.getLogger("mulligan")
    level = logger.level
    yield
    logger.setLevel(level)


@pytest.fixture
def caplog(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What this test makes anybody log: an exporter of an earlier one may still be retrying."""

    def is_of_this_test(record: logging.LogRecord) -> bool:
        return not record.name.startswith("opentelemetry.exporter")

    caplog.handler.addFilter(is_of_this_test)
    yield caplog
    caplog.handler.removeFilter(is_of_this_test)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    # Nobody pulls its plug.
    with run_postgres_server(synced=False) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_schema(postgres: PostgresServer) -> Iterator[str]:
    """The name of a database with our tables and nothing in them: to copy it takes a moment."""
    with postgres.create_database() as url:
        session = PostgresSession(url, timeout=timedelta(seconds=30))
        prepare(session, store=url, migrate=True)
        session.close()
        yield url.rpartition("/")[2]


@pytest.fixture
def postgres_url(postgres: PostgresServer, postgres_schema: str) -> Iterator[str]:
    with postgres.create_database(postgres_schema) as url:
        yield url


@pytest.fixture
def empty_postgres_url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.create_database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a store of each kind that has tables, one after the other, with nothing in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/family.db"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def rows(m: Mulligan) -> Callable[[], list[LogRow]]:
    """What the log has of calls so far, for tests that have an application `m`."""
    seen: list[LogRow] = []
    m.subscribe(lambda event: seen.append(event.row) if isinstance(event, CallLogged) else None)

    def so_far() -> list[LogRow]:
        m.flush()
        return seen

    return so_far


@pytest.fixture
async def worlds(tmp_path: Path) -> AsyncIterator[Worlds]:
    async with AsyncExitStack() as stack:
        yield Worlds(tmp_path, stack)
