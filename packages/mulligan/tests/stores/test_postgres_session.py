"""One connection to a Postgres server: streams, bundles, notifications, and tables rewritten."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from mulligan.stores.database import ConnectionLostError
from mulligan.stores.opening import open_store
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.postgres.store import vacuum_tables
from mulligan.types.call import Outcome
from mulligan.types.errors import StoreError
from mulligan.types.interfaces import Store
from mulligan.types.log import Batch, LogQuery, roll_up
from mulligan_testing.store_contract.contract import (
    DAY,
    NOW,
    make_failed_row,
    make_log_row,
)
from tests.stores.news import A_MOMENT, Ear, approve, hold

ALL = LogQuery(limit=100_000)

END_OTHERS = """
select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and query ilike 'copy execution%'
"""


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    store = open_store(postgres_url)
    yield store
    store.close()


@pytest.fixture
def clerk_url(postgres_url: str) -> Iterator[str]:
    """The URL of a user whom row security holds to the rows of a policy."""
    clerk = f"clerk_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"create role {clerk} login")
        connection.execute(f"grant usage on schema mulligan to {clerk}")
        connection.execute(f"grant all on all tables in schema mulligan to {clerk}")
        connection.execute("alter table mulligan.execution enable row level security")
        connection.execute("create policy home on mulligan.execution using (tenant = 'home')")
        yield postgres_url.replace("//mulligan@", f"//{clerk}@")
        connection.execute(f"drop owned by {clerk}")
        connection.execute(f"drop role {clerk}")


def test_values_are_told_by_their_column_and_not_by_their_type(store: Store) -> None:
    rows = [
        make_log_row(1, outcome=Outcome.UNKNOWN, weight=10),
        make_log_row(2, duration_us=2**40, parent=None, turn=None, result="tab\tand \\N"),
    ]

    store.log.write(Batch(rows=rows))

    assert store.log.list_rows(ALL) == rows[::-1]


def test_who_is_held_by_row_security_writes_all_the_same(clerk_url: str) -> None:
    rows = [make_log_row(number) for number in range(20)]
    store = open_store(clerk_url, migrate=False)

    for start in (0, 10):
        store.log.write(Batch(rows=rows[start : start + 10], rollups=roll_up(rows)))

    assert store.log.list_rows(ALL) == rows[::-1]
    store.close()


def test_no_row_is_lost_or_counted_twice_while_connections_break(
    store: Store, postgres_url: str
) -> None:
    rows = [(make_failed_row if n % 7 == 3 else make_log_row)(n) for n in range(6_000)]
    over, broken = threading.Event(), 0

    def break_connections() -> None:
        nonlocal broken
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            while not over.wait(0.005):
                broken += len(connection.execute(END_OTHERS).fetchall())

    breaker = threading.Thread(target=break_connections)
    breaker.start()
    for start in range(0, len(rows), 60):
        _write(
            store, Batch(rows=rows[start : start + 60], rollups=roll_up(rows[start : start + 60]))
        )
    over.set()
    breaker.join()

    assert broken > 0
    assert store.log.list_rows(ALL) == rows[::-1]
    assert store.log.read_rollups(since=NOW - DAY, until=NOW + DAY) == roll_up(rows)


def _write(store: Store, batch: Batch) -> None:
    """As the log's own thread does it: tried until it is written."""
    deadline = time.monotonic() + 60
    while True:
        try:
            store.log.write(batch)
        except StoreError:
            if time.monotonic() > deadline:
                raise
        else:
            return


@pytest.fixture
def session(postgres_url: str) -> Iterator[PostgresSession]:
    open_store(postgres_url).close()
    session = PostgresSession(postgres_url, timeout=timedelta(seconds=5))
    yield session
    session.close()


def test_a_statement_that_fails_in_a_bundle_is_said_once_and_not_logged(
    session: PostgresSession, caplog: pytest.LogCaptureFixture
) -> None:
    def fail_early() -> None:
        with session.begin_bundle(synced=True):
            session.run_later("make_secret", value=None)
            # Long enough for the server to have answered before all is sent.
            time.sleep(0.1)
            for _ in range(20):
                session.run_later("beat", writer="nobody")

    with pytest.raises(StoreError, match="null value"):
        fail_early()

    assert caplog.records == []
    assert session.run("beat", writer="nobody") == 0


def test_a_connection_that_is_lost_in_a_bundle_is_said_once_and_not_logged(
    session: PostgresSession, postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    def lose() -> None:
        with session.begin_bundle(synced=True):
            session.run("beat", writer="nobody")
            with psycopg.connect(postgres_url, autocommit=True) as connection:
                ours = [session.connection.info.backend_pid]
                connection.execute("select pg_terminate_backend(%s, 5000)", ours)
            session.run_later("beat", writer="nobody")

    with pytest.raises(ConnectionLostError):
        lose()

    assert caplog.records == []


@pytest.mark.parametrize("answered", [True, False])
def test_a_connection_is_whole_again_or_lost_after_an_answer_that_nobody_took(
    session: PostgresSession, answered: bool
) -> None:
    def break_off() -> None:
        with session.begin_bundle(synced=True):
            # As in the middle of a statement: nobody takes its answer.
            session.connection.pgconn.send_query_params(b"select 17", [])
            if answered:
                session.connection.pgconn.pipeline_sync()
                time.sleep(0.05)
            raise ValueError("midway")

    with pytest.raises(ValueError, match="midway"):
        break_off()

    # Which of them is a matter of when the answer came; another's answer is never taken.
    try:
        found = session.connection.execute("select 42").fetchall()
    except psycopg.OperationalError:
        assert session.connection.closed
    else:
        assert found == [(42,)]
        assert session.connection.info.transaction_status is psycopg.pq.TransactionStatus.IDLE


@pytest.fixture
def ear(store: Store) -> Iterator[Ear]:
    ear = Ear()
    end = store.listen(ear)
    # What was said while nobody listened: once, when the connection is up.
    assert ear.hears()
    yield ear
    end()
    end()


def list_sockets() -> set[str]:
    """Those of this process: what other tests left may close theirs meanwhile."""
    found = set()
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(str(each.readlink()))
    return {name for name in found if name.startswith("socket:")}


def test_a_decision_is_heard_and_everyday_entries_are_not(postgres_url, store, ear) -> None:
    other = open_store(postgres_url)

    hold(other, "a")
    quiet = not ear.hears(within=A_MOMENT)
    approve(other, "a")
    heard = ear.hears()
    other.close()

    assert quiet
    assert heard
    # Who leaves says so, as what it was at is anybody's now.
    assert ear.hears()


def test_after_its_connection_broke_it_hears_again(postgres_url, store, ear) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and query = 'listen mulligan'"
        )

    # Once for what was said meanwhile, and then for what is said.
    assert ear.hears()
    hold(store, "a")
    approve(store, "a")
    assert ear.hears()


def test_it_leaves_no_thread_and_no_file_open(store) -> None:
    before, others = list_sockets(), set(threading.enumerate())
    ear = Ear()

    end = store.listen(ear)
    assert ear.hears()
    end()

    assert "mulligan-listen" not in {each.name for each in {*threading.enumerate()} - others}
    assert list_sockets() <= before


def test_a_process_with_many_files_hears_it_too(many_files, ear: Ear, store: Store) -> None:
    hold(store, "a")
    approve(store, "a")

    assert ear.hears()


def test_every_table_that_loses_rows_is_written_anew_but_those_in_use(postgres_url: str) -> None:
    open_store(postgres_url).close()
    session = PostgresSession(postgres_url, timeout=timedelta(seconds=5))

    with psycopg.connect(postgres_url) as reading:
        reading.execute("select * from mulligan.kept")
        found = vacuum_tables(session, most_bytes=None)
    [(timeout,)] = session.execute("show lock_timeout")
    session.close()

    assert {"action", "entry", "execution_default"} <= set(found.parts)
    assert [why.split()[0] for why in found.left] == ["kept"]
    assert timeout == "0"


def test_what_is_too_large_is_left_and_named(postgres_url: str) -> None:
    open_store(postgres_url).close()
    session = PostgresSession(postgres_url, timeout=timedelta(seconds=5))

    found = vacuum_tables(session, most_bytes=0)
    session.close()

    assert any(why.startswith("entry has") for why in found.left)
