from __future__ import annotations

from datetime import timedelta

import psycopg

from mulligan.stores.opening import open_store
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.postgres.store import vacuum_tables


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
