"""Stores with a past in them, made for one run or kept for the next: millions of rows take long."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from bench import history
from bench.suites.lookup import _places
from mulligan.stores.opening import open_store

AT_A_TIME = 40_000
"""Rows of one batch: ten times what a busy application writes at once, to be done in time."""
MOST_EPISODES = 100
"""Of a batch. Pages ask for counts of episodes by day, of which there are as many."""
STOPPED_WITHIN = 120.0

MakeUrl = Callable[[int], str]
"""Where the store of so many rows is."""
Fill = Callable[[str, int, Callable[[], None]], datetime]
"""Fills the store at a URL with so many rows, step by step. Up to when it has a past then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """One store, and the moment up to which it has a past."""

    url: str
    until: datetime

    def make_clock(self) -> Callable[[], datetime]:
        """Runs on from the end of its past, so that a store that was kept is no older than new."""
        behind = datetime.now(UTC) - self.until
        return lambda: datetime.now(UTC) - behind


@contextmanager
def fill_stores(
    kind: str, sizes: list[int], *, fill: Fill, keep: Path | None, step: Callable[[str], None]
) -> Iterator[dict[int, Filled]]:
    """A store of each size; those that are kept already are as they were left."""
    with ExitStack() as stack:
        if keep is None:
            places = stack.enter_context(_places(kind))
            urls = {rows: stack.enter_context(places()) for rows in sizes}
        else:
            keep.mkdir(parents=True, exist_ok=True)
            make_url = _find_files(keep) if kind == "sqlite" else stack.enter_context(_serve(keep))
            urls = {rows: make_url(rows) for rows in sizes}
        filled = {}
        for rows, url in urls.items():
            mark = None if keep is None else keep / f"{kind}-{rows}.json"
            if mark is not None and mark.exists():
                until = datetime.fromisoformat(json.loads(mark.read_text())["until"])
            else:
                until = fill(url, rows, partial(step, f"{kind}: {rows:,} executions"))
            if mark is not None:
                mark.write_text(json.dumps({"until": until.isoformat()}))
            filled[rows] = Filled(url=url, until=until)
        yield filled


def fill_log(url: str, rows: int, step: Callable[[], None], *, span: timedelta) -> datetime:
    """Executions over a span of time, and what pages show beside them."""
    until = datetime.now(UTC)
    store = open_store(url)
    history.fill(
        store,
        rows=rows,
        until=until,
        step=step,
        span=span,
        at_a_time=AT_A_TIME,
        most_episodes=MOST_EPISODES,
        offering=True,
    )
    store.close()
    return until


def _find_files(keep: Path) -> MakeUrl:
    def find(rows: int) -> str:
        folder = keep / f"sqlite-{rows}"
        folder.mkdir(exist_ok=True)
        return f"sqlite:///{folder}/bench.db"

    return find


@contextmanager
def _serve(keep: Path) -> Iterator[MakeUrl]:
    """A server whose folder stays: it is stopped as one that will be started again."""
    import psycopg

    from mulligan_testing.postgres import PostgresServer, start_again, start_server

    folder = keep / "postgres"
    known = (folder / "data").exists()
    server = start_again(PostgresServer(dsn="", folder=folder)) if known else start_server(folder)

    def create(rows: int) -> str:
        name = f"bench_{rows}"
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            there = connection.execute("select 1 from pg_database where datname = %s", [name])
            if there.fetchone() is None:
                connection.execute(f"create database {name} template template0")
        return server.build_url(name)

    try:
        yield create
    finally:
        if server.process is not None:
            server.process.send_signal(signal.SIGINT)
            server.process.wait(STOPPED_WITHIN)
