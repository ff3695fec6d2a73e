"""How long it takes to forget a day of the log, by how much is in it, on Postgres.

`gone_ms` is until nobody sees it any more and its locks are let go, `drop_ms` until the server has
also deleted its files. `wait_ms` is the longest that somebody waited who meanwhile wrote and read.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import psycopg
from rich.console import RenderableType

from bench import versions
from bench.missing import MissingError
from bench.report import progress, table
from bench.rounds import digits
from mulligan.stores.opening import open_store
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.postgres.store import LogPartitions, build_day, make_partition
from mulligan.types.log import Batch, LogQuery, roll_up
from mulligan.types.values import to_us
from mulligan_testing.postgres import run_postgres_server
from mulligan_testing.store_contract.contract import make_log_row

Result = dict[str, Any]

ROWS = (1_000_000, 10_000_000)
SEED_ROWS = 10_000
"""Written by the store itself; the server copies them under other ids until there are enough."""
DAY = timedelta(days=1)
LONG_AGO = timedelta(days=100)
KEPT = timedelta(days=30)
TIMEOUT = timedelta(minutes=5)

SEEN = "select to_regclass(%s)"
COLUMNS = """
select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
where attrelid = 'mulligan.execution'::regclass and attnum > 0 and not attisdropped
  and attname <> 'id'
"""
COPY = """
insert into mulligan.{table} (id, {columns})
select left(id, 12) || left(md5(id || copy), 20), {columns}
from (select * from mulligan.{table} limit {seed}) as seed,
  generate_series(1, {copies}) as copy
"""


class Dropping(NamedTuple):
    """What one day took, in seconds."""

    gone: float
    done: float
    waited: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS), metavar="N")
    parser.add_argument("--rounds", type=int, default=2, help="days of each size")


def run(options: argparse.Namespace) -> Result:
    sizes = sorted(set(options.rows))
    taken: dict[int, list[Dropping]] = {rows: [] for rows in sizes}
    try:
        with (
            progress(len(sizes) * options.rounds) as step,
            run_postgres_server() as server,
            server.create_database() as url,
        ):
            for _ in range(options.rounds):
                for rows in sizes:
                    day = datetime.now(UTC) - LONG_AGO
                    name = _fill_day(url, day, rows)
                    taken[rows].append(_drop_beside_others(url, name, before=day + KEPT))
                    step(f"{rows:,} rows")
    except (ImportError, RuntimeError) as error:
        raise MissingError(f"There is no Postgres to forget on: {error}") from error
    medians = [
        Dropping(*map(statistics.median, zip(*each, strict=True))) for each in taken.values()
    ]
    return {
        "n": options.rounds,
        "rows": sizes,
        "gone_ms": [digits(1_000 * each.gone) for each in medians],
        "drop_ms": [digits(1_000 * each.done) for each in medians],
        "wait_ms": [digits(1_000 * each.waited) for each in medians],
        "ratio": digits(medians[-1].gone / medians[0].gone),
        "versions": versions.ours(),
    }


def _fill_day(url: str, day: datetime, rows: int) -> str:
    """One day of the past, with so many rows in a table of its own. Gives the table's name."""
    partition = build_day(_start_of(day))
    seed = [make_log_row(number, at=day) for number in range(min(SEED_ROWS, rows))]
    with closing(open_store(url)) as store:
        with closing(PostgresSession(_strip_driver(url), timeout=TIMEOUT)) as session:
            # What was before there were days, with nothing in it, makes room for one.
            LogPartitions().drop_old(session, _start_of(datetime.now(UTC)))
            make_partition(session, partition)
        store.log.write(Batch(rows=seed, rollups=roll_up(seed)))
    with psycopg.connect(_strip_driver(url), autocommit=True) as connection:
        found = connection.execute(COLUMNS).fetchone()
        assert found is not None
        copies = rows // len(seed) - 1
        named = {"table": partition.name, "columns": found[0], "seed": len(seed)}
        connection.execute(COPY.format(**named, copies=copies).encode())
        # As the server does by itself within minutes; and what is written is on the disk.
        connection.execute(f"vacuum analyze mulligan.{partition.name}".encode())
        connection.execute(b"checkpoint")
    return partition.name


def _drop_beside_others(url: str, name: str, *, before: datetime) -> Dropping:
    stop, waits, gone = threading.Event(), [0.0], [0.0]
    others = [
        threading.Thread(target=_write_and_read, args=(url, stop, waits)),
        threading.Thread(target=_watch, args=(url, name, gone)),
    ]
    with closing(PostgresSession(_strip_driver(url), timeout=TIMEOUT)) as session:
        for each in others:
            each.start()
        time.sleep(0.5)
        began = time.perf_counter()
        dropped = LogPartitions().drop_old(session, to_us(before, name="The bound"))
        done = time.perf_counter() - began
        stop.set()
        if not dropped.rows:
            raise RuntimeError("Nothing was dropped.")
        for each in others:
            each.join()
    return Dropping(gone=gone[0] - began, done=done, waited=max(waits))


def _watch(url: str, name: str, gone: list[float]) -> None:
    """When somebody else no longer sees a table."""
    with psycopg.connect(_strip_driver(url), autocommit=True) as connection:
        while connection.execute(SEEN, [f"mulligan.{name}"]).fetchone() != (None,):
            time.sleep(0.001)
        gone[0] = time.perf_counter()


def _write_and_read(url: str, stop: threading.Event, waits: list[float]) -> None:
    with closing(open_store(url)) as store:
        while not stop.is_set():
            row = make_log_row(len(waits), at=datetime.now(UTC))
            began = time.perf_counter()
            store.log.write(Batch(rows=[row], rollups=roll_up([row])))
            store.log.list_rows(LogQuery(limit=20))
            waits.append(time.perf_counter() - began)


def _start_of(day: datetime) -> int:
    return to_us(day.replace(hour=0, minute=0, second=0, microsecond=0), name="The day")


def _strip_driver(url: str) -> str:
    return url.replace("postgresql+psycopg:", "postgresql:", 1)


def show(result: Result) -> RenderableType:
    figures = zip(*(result[name] for name in ("gone_ms", "drop_ms", "wait_ms")), strict=True)
    rows = [
        (f"{rows:,}", *(f"{figure:,}" for figure in each))
        for rows, each in zip(result["rows"], figures, strict=True)
    ]
    columns = ["rows in it", "gone, ms", "with its files, ms", "others waited at most, ms"]
    return table("forgetting one day of the log", columns, rows)
