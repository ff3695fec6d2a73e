"""A log that was one table goes into partitions: every row, while others read and write."""

from __future__ import annotations

import re

import psycopg
import pytest

from mulligan.stores import migrations
from mulligan.stores.migrations import load_migrations
from mulligan.stores.opening import open_store
from mulligan.stores.postgres import partitions
from mulligan.stores.postgres.partitions import DAY_US
from mulligan.stores.postgres.store import prepare
from mulligan.testing.store_contract.contract import make_log_row
from mulligan.types.log import Batch, LogQuery
from mulligan.types.values import from_us
from tests.stores.days import (
    count_by_table,
    list_names,
    make_rows,
    name_day,
    open_session,
    read_today,
)

ALL = LogQuery(limit=100_000)
INDEXES = """
select indexname, regexp_replace(indexdef, '.* USING ', '') from pg_indexes
where schemaname = 'mulligan' and tablename = 'execution' order by indexname
"""


@pytest.fixture
def migrate_to(monkeypatch, empty_postgres_url):
    """Bring the database to one number of the schema, as an earlier Mulligan had it."""

    def bring(number: int) -> None:
        steps = load_migrations("postgres")[:number]
        with monkeypatch.context() as earlier:
            earlier.setattr(migrations, "load_migrations", lambda part: steps)
            session = open_session(empty_postgres_url)
            prepare(session, store="a store", migrate=True)
            session.close()

    return bring


def write_as_before(url: str, rows) -> None:
    session = open_session(url)
    session.run_many("add_rows", rows)
    session.close()


def test_every_row_and_index_of_one_table_is_there_afterwards(
    migrate_to, empty_postgres_url
) -> None:
    url = empty_postgres_url
    migrate_to(17)
    today = read_today(url)
    old, new = make_rows(today - 40 * DAY_US, count=900), make_rows(today, count=100)
    odd = [make_log_row(1, id="no time"), make_log_row(2, at=from_us(today + 99 * DAY_US))]
    write_as_before(url, [*old, *new, *odd])
    with psycopg.connect(url) as connection:
        indexes = connection.execute(INDEXES).fetchall()

    store = open_store(url)

    assert sorted(store.log.list_rows(ALL)) == sorted([*old, *new, *odd])
    assert count_by_table(url) == {"execution_before": 1_000, "execution_default": 2}
    with psycopg.connect(url) as connection:
        assert connection.execute(INDEXES).fetchall() == indexes
    store.log.write(Batch(rows=[*old[:5], *odd, *make_rows(today + 8 * DAY_US, count=2)]))
    assert store.log.count() == 1_004, "an id is there once, wherever it lies"
    assert store.log.prune(before=from_us(today - 30 * DAY_US)) == 900
    store.close()


def test_rows_are_written_before_between_and_after_the_steps(
    migrate_to, empty_postgres_url
) -> None:
    """Whoever is killed in between leaves a log that works, with the tables of then."""
    url, written = empty_postgres_url, []
    for number in (17, 18, 19, 20):
        migrate_to(number)
        rows = [row._replace(id=f"{row.id}{number}") for row in make_rows(read_today(url), count=9)]
        write_as_before(url, rows)
        written += rows

    store = open_store(url)

    assert sorted(store.log.list_rows(ALL)) == sorted(written)
    store.close()


def test_the_table_is_looked_through_while_others_write(migrate_to, empty_postgres_url) -> None:
    url = empty_postgres_url
    migrate_to(17)
    today = read_today(url)
    write_as_before(url, make_rows(today, count=5))
    migrate_to(18)
    with psycopg.connect(url) as writer:
        row = make_log_row(7, at=from_us(today + DAY_US))
        places = ", ".join(["%s"] * len(row))
        writer.execute(f"insert into mulligan.execution values ({places})", row)

        migrate_to(19)

    store = open_store(url)
    assert store.log.count() == 6
    store.close()


def test_whoever_was_allowed_to_use_the_log_still_is(migrate_to, empty_postgres_url) -> None:
    url = empty_postgres_url
    migrate_to(17)
    with psycopg.connect(url) as connection:
        connection.execute("grant select, insert on mulligan.execution to public")

    open_store(url).close()

    with psycopg.connect(url) as connection:
        [(rights,)] = connection.execute(
            "select relacl::text from pg_class where oid = 'mulligan.execution'::regclass"
        )
    assert re.search(r"[{,]=ar/", rights)


@pytest.mark.parametrize("why", ["engine", "policy"])
def test_where_it_cannot_be_the_log_stays_one_table(
    why, migrate_to, empty_postgres_url, monkeypatch
) -> None:
    url = empty_postgres_url
    migrate_to(17)
    if why == "engine":
        monkeypatch.setattr(partitions, "_SERVER", re.compile("SomeDB"))
    else:
        with psycopg.connect(url) as connection:
            connection.execute("alter table mulligan.execution enable row level security")
    today = read_today(url)
    old, new = make_rows(today - 40 * DAY_US, count=9), make_rows(today, count=9)

    store = open_store(url)
    store.log.write(Batch(rows=[*old, *new]))

    assert list_names(url) == []
    assert store.log.prune(before=from_us(today - 30 * DAY_US)) == 9
    assert store.log.list_rows(ALL) == new[::-1]
    store.close()


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        ("PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu", True),
        ("PostgreSQL 18beta1 on x86_64-pc-linux-gnu", True),
        ("PostgreSQL 11.2-YB-2.17.1.0-b0 on x86_64-pc-linux-gnu", False),
        ("CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)", False),
    ],
)
def test_postgres_itself_is_told_from_those_who_speak_like_it(said: str, is_one: bool) -> None:
    assert bool(partitions._SERVER.match(said)) is is_one


def test_an_empty_store_has_a_table_for_today_at_once(empty_postgres_url) -> None:
    open_store(empty_postgres_url).close()

    assert name_day(read_today(empty_postgres_url)) in list_names(empty_postgres_url)
