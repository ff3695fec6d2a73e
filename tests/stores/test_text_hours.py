"""Counts of texts over a table: also of what was written before there were any."""

from __future__ import annotations

import random

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.relational.rollups import roll_up_old_texts
from mulligan.stores.sqlite.files import build_log_path
from mulligan.stores.sqlite.session import SqliteSession
from mulligan.testing.store_contract.contract import HOUR, NOW
from mulligan.testing.store_contract.logs import clean_counts, count_anew, make_texts, read_counts
from mulligan.types.log import Batch


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_old_rows_are_counted_by_the_migration_packed_ones_too(kind, tmp_path, request) -> None:
    path = tmp_path / "family.db"
    url = f"sqlite:///{path}" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    rows = make_texts(random.Random(3), count=300)
    with_rows = open_store(url)
    with_rows.log.write(Batch(rows=rows))
    with_rows.log.compress(before=NOW + 2 * HOUR)
    with_rows.close()
    session = (
        SqliteSession(build_log_path(path), "log")
        if kind == "sqlite"
        else PostgresSession(url, timeout=HOUR)
    )

    with session.begin_transaction():
        session.execute("delete from text_hour")
        roll_up_old_texts(session)
    session.close()

    store = open_store(url)
    assert read_counts(store) == clean_counts(count_anew(rows))
    store.close()
