"""Days of a log on Postgres: made for the past too, and looked into."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import psycopg

from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.postgres.store import (
    DAY_US,
    build_day,
    compute_bound,
    list_partitions,
    read_time,
)
from mulligan.types.call import LogRow
from mulligan.types.values import from_us
from mulligan_testing.store_contract.contract import make_log_row


def open_session(url: str) -> PostgresSession:
    return PostgresSession(url, timeout=timedelta(seconds=5))


def read_today(url: str) -> int:
    """When the day of the database began, in microseconds."""
    session = open_session(url)
    today_us = read_time(session) // DAY_US * DAY_US
    session.close()
    return today_us


def make_past_days(url: str, *, days: int) -> None:
    """Give the days before today their partitions, as they had them while they were to come."""
    today_us, session = read_today(url), open_session(url)
    session.execute("alter table execution detach partition execution_before")
    first = compute_bound(today_us - days * DAY_US)
    session.run_named("attach_before", bound=first)
    for ago in range(days, 0, -1):
        day = build_day(today_us - ago * DAY_US)
        session.run_named("make_partition", partition=day.name)
        session.run_named("keep_no_samples_of_rows", table=day.name)
        session.run_named("index_partition", partition=day.name)
        session.run_named(
            "attach_partition", partition=day.name, from_id=day.from_id, to_id=day.to_id
        )
    session.close()


def list_names(url: str) -> list[str]:
    session = open_session(url)
    names = [each.name for each in list_partitions(session)]
    session.close()
    return names


def count_by_table(url: str) -> Counter[str]:
    """How many rows of the log lie in which table."""
    with psycopg.connect(url) as connection:
        rows = connection.execute("select tableoid::regclass::text from mulligan.execution")
        return Counter(name.removeprefix("mulligan.") for (name,) in rows)


def make_rows(at_us: int, *, count: int, step_us: int = 1_000_000) -> list[LogRow]:
    """Rows from then on, in the order of their ids."""
    return [make_log_row(n, at=from_us(at_us + n * step_us)) for n in range(count)]


def name_day(day_us: int) -> str:
    return build_day(day_us).name
