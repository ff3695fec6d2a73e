"""Each day of the log is a table of its own, which goes as a whole; every row has a place."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing
from functools import partial

import psycopg
import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.postgres import store as postgres
from mulligan.stores.postgres.store import AHEAD, DAY_US, LogPartitions
from mulligan.types.interfaces import Store
from mulligan.types.log import Batch, LogQuery, roll_up
from mulligan.types.values import from_us
from mulligan_testing.store_contract.contract import make_log_row
from tests.stores.beside import Interruption
from tests.stores.days import (
    count_by_table,
    list_names,
    make_past_days,
    make_rows,
    name_day,
    open_session,
    read_today,
)

ALL = LogQuery(limit=100_000)

HOUR_US = DAY_US // 24


@pytest.fixture
def url(postgres_url: str) -> str:
    return postgres_url


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(url)
    yield store
    store.close()


@pytest.fixture
def clerk_url(url: str) -> Iterator[str]:
    """The URL of a user who may use the tables, and does not own them."""
    clerk = f"clerk_{uuid.uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create role {clerk} login")
        connection.execute(f"grant usage on schema mulligan to {clerk}")
        connection.execute(f"grant all on all tables in schema mulligan to {clerk}")
        yield url.replace("//mulligan@", f"//{clerk}@")
        connection.execute(f"drop owned by {clerk}")
        connection.execute(f"drop role {clerk}")


def test_today_and_the_days_to_come_have_their_tables(store: Store, url: str) -> None:
    today = read_today(url)
    days = [name_day(today + day * DAY_US) for day in range(AHEAD + 1)]

    store.log.write(Batch(rows=[make_rows(today + day * DAY_US, count=1)[0] for day in range(4)]))

    assert list_names(url) == ["execution_before", *days]
    assert count_by_table(url) == dict.fromkeys(days, 1)


def test_a_row_of_no_day_is_kept_like_any_other(store: Store, url: str) -> None:
    rows = [
        make_log_row(0, at=from_us(read_today(url) + 400 * DAY_US)),
        make_log_row(1, id="an id of no time"),
        make_log_row(2, id="\N{LATIN SMALL LETTER ETH}"),
    ]

    store.log.write(Batch(rows=rows, rollups=roll_up(rows)))
    store.log.write(Batch(rows=rows, rollups=roll_up(rows)))

    assert sorted(store.log.list_rows(ALL)) == sorted(rows)
    assert count_by_table(url) == {"execution_default": 3}


def test_a_day_goes_as_a_whole_and_takes_no_other_with_it(store: Store, url: str) -> None:
    make_past_days(url, days=4)
    today = read_today(url)
    by_day = {ago: make_rows(today - ago * DAY_US + HOUR_US, count=20) for ago in (3, 2, 1, 0)}
    rows = [row for day in by_day.values() for row in day]
    store.log.write(Batch(rows=rows, rollups=roll_up(rows)))
    before = today - DAY_US + 12 * HOUR_US

    pruned = store.log.prune(before=from_us(before))

    assert pruned == 40
    assert list_names(url)[:1] == [name_day(today - DAY_US)]
    left = [*by_day[1], *by_day[0]]
    assert store.log.list_rows(ALL) == left[::-1], "half a day stays until it is whole"
    hours = store.log.read_rollups(since=from_us(today - 9 * DAY_US), until=from_us(today + DAY_US))
    assert hours == roll_up(by_day[0]), "what is counted by the hour goes by the hour"
    assert store.log.prune(before=from_us(today)) == 20
    assert store.log.list_rows(ALL) == by_day[0][::-1]


def test_whether_a_day_may_go_is_told_without_reading_its_rows(store: Store, url: str) -> None:
    make_past_days(url, days=3)
    today = read_today(url)
    late = make_rows(today - 2 * DAY_US + HOUR_US, count=1)[0]._replace(at_us=today)
    store.log.write(Batch(rows=[*make_rows(today - 2 * DAY_US, count=2_000), late]))
    session = open_session(url)

    with closing(session):
        session.execute("select pg_stat_reset()")
        LogPartitions().drop_old(session, today - HOUR_US)
        session.execute("select pg_stat_force_next_flush()")

    with psycopg.connect(url) as connection:
        day = name_day(today - 2 * DAY_US)
        read_whole = "select seq_scan from pg_stat_user_tables where relname = %s"
        assert connection.execute(read_whole, [day]).fetchone() == (0,)


def test_a_row_younger_than_its_id_says_is_not_dropped_with_its_day(store: Store, url: str) -> None:
    make_past_days(url, days=3)
    today = read_today(url)
    old = make_rows(today - 2 * DAY_US, count=5)
    late = make_rows(today - 2 * DAY_US + HOUR_US, count=1)[0]._replace(at_us=today)
    store.log.write(Batch(rows=[*old, late]))

    pruned = store.log.prune(before=from_us(today - HOUR_US))

    assert pruned == 5
    assert store.log.list_rows(ALL) == [late]


def test_a_row_that_comes_while_its_day_is_dropped_stays(
    store: Store, url: str, monkeypatch
) -> None:
    make_past_days(url, days=2)
    today = read_today(url)
    store.log.prune(before=from_us(today - 2 * DAY_US))
    late = make_rows(today - 2 * DAY_US + HOUR_US, count=1)[0]._replace(at_us=today)
    store.log.write(Batch(rows=make_rows(today - 2 * DAY_US, count=5)))

    with closing(open_store(url)) as other, closing(open_session(url)) as session:
        meanwhile = Interruption(monkeypatch, url)
        meanwhile.before(postgres, "_take_turn", lambda: other.log.write(Batch(rows=[late])))
        dropped = LogPartitions().drop_old(session, today - DAY_US)

        assert len(meanwhile.finish()) == 1
    assert dropped.rows == 0
    assert late in store.log.list_rows(ALL)


def test_rows_outside_the_days_go_one_by_one(store: Store, url: str) -> None:
    make_past_days(url, days=2)
    today = read_today(url)
    ancient = make_rows(today - 90 * DAY_US, count=700)
    odd = [make_log_row(1, id="no time", at=from_us(today - 9 * DAY_US))]
    kept = [make_log_row(2, id="no time either", at=from_us(today))]
    store.log.write(Batch(rows=[*ancient, *odd, *kept]))

    pruned = store.log.prune(before=from_us(today - DAY_US + HOUR_US))

    assert pruned == 701
    assert store.log.list_rows(ALL) == kept


def test_who_reads_for_long_is_not_interrupted_and_holds_nobody_up(store: Store, url: str) -> None:
    make_past_days(url, days=2)
    today = read_today(url)
    rows = make_rows(today - 2 * DAY_US, count=5)
    store.log.write(Batch(rows=rows))
    with psycopg.connect(url) as reader:
        assert reader.execute("select count(*) from mulligan.execution").fetchone() == (5,)

        pruned = store.log.prune(before=from_us(today))

        assert pruned == 0
        assert store.log.list_rows(ALL) == rows[::-1]
    assert store.log.prune(before=from_us(today)) == 5


def test_who_does_not_own_the_tables_deletes_row_by_row(clerk_url: str, url: str) -> None:
    make_past_days(url, days=3)
    with psycopg.connect(url, autocommit=True) as connection:
        today = read_today(url)
        connection.execute(f"drop table mulligan.{name_day(today + DAY_US)}")
    store = open_store(clerk_url)
    rows = make_rows(today - 2 * DAY_US, count=5)
    tomorrow = make_rows(today + DAY_US, count=2)
    store.log.write(Batch(rows=[*rows, *tomorrow]))

    pruned = store.log.prune(before=from_us(today - DAY_US))

    assert pruned == 5
    assert store.log.list_rows(ALL) == tomorrow[::-1]
    assert count_by_table(url) == {"execution_default": 2}
    store.close()


def test_a_sweep_makes_the_days_to_come(store: Store, url: str) -> None:
    today = read_today(url)
    there = list_names(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"drop table mulligan.{name_day(today + 2 * DAY_US)}")

    store.log.prune(before=from_us(today - 30 * DAY_US))

    assert list_names(url) == there


def test_a_day_that_began_without_its_table_ends_without_it(store: Store, url: str) -> None:
    today = read_today(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"drop table mulligan.{name_day(today)}")
    rows = make_rows(today, count=3)
    store.log.write(Batch(rows=rows))

    store.log.prune(before=from_us(today - 30 * DAY_US))

    assert name_day(today) not in list_names(url)
    assert store.log.list_rows(ALL) == rows[::-1]


def test_many_who_make_the_same_day_make_it_once(url: str) -> None:
    today = read_today(url)
    there = list_names(url)
    with psycopg.connect(url, autocommit=True) as connection:
        for day in range(AHEAD + 1):
            connection.execute(f"drop table mulligan.{name_day(today + day * DAY_US)}")
    sessions = [open_session(url) for _ in range(4)]
    makers = [partial(LogPartitions().make_ahead, session) for session in sessions]
    threads = [threading.Thread(target=maker) for maker in makers]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    makers[0]()  # who waits for long leaves it to others

    assert list_names(url) == there
    for session in sessions:
        session.close()


def test_on_a_server_that_only_speaks_like_postgres_the_log_is_one_table(
    empty_postgres_url, monkeypatch
) -> None:
    url = empty_postgres_url
    monkeypatch.setattr(postgres, "_SERVER", re.compile("SomeDB"))

    store = open_store(url)
    today = read_today(url)
    old, new = make_rows(today - 40 * DAY_US, count=9), make_rows(today, count=9)
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
    assert bool(postgres._SERVER.match(said)) is is_one
