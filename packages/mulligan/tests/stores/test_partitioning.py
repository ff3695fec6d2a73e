"""Where the log is in partitions from the first, and where it is one table."""

from __future__ import annotations

import re

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.postgres import partitions
from mulligan.stores.postgres.partitions import DAY_US
from mulligan.types.log import Batch, LogQuery
from mulligan.types.values import from_us
from tests.stores.days import (
    list_names,
    make_rows,
    name_day,
    read_today,
)

ALL = LogQuery(limit=100_000)


def test_on_a_server_that_only_speaks_like_postgres_the_log_is_one_table(
    empty_postgres_url, monkeypatch
) -> None:
    url = empty_postgres_url
    monkeypatch.setattr(partitions, "_SERVER", re.compile("SomeDB"))

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
    assert bool(partitions._SERVER.match(said)) is is_one


def test_an_empty_store_has_a_table_for_today_at_once(empty_postgres_url) -> None:
    open_store(empty_postgres_url).close()

    assert name_day(read_today(empty_postgres_url)) in list_names(empty_postgres_url)
