"""Stores of each kind, empty or with a past in them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from bench import history
from bench.servers import run_server
from mulligan.stores.opening import open_store

AT_A_TIME = 40_000
"""Rows of one batch: ten times what a busy application writes at once, to be done in time."""
MOST_EPISODES = 100
"""Of a batch. Pages ask for counts of episodes by day, of which there are as many."""
KINDS = ("sqlite", "postgres")

Fill = Callable[[str, int, Callable[[], None]], datetime]
"""Fills the store at a URL with so many rows, step by step. Up to when it has a past then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """One store, and the moment up to which it has a past."""

    url: str
    until: datetime

    def make_clock(self) -> Callable[[], datetime]:
        """Runs on from the end of its past, however long it took to fill in."""
        behind = datetime.now(UTC) - self.until
        return lambda: datetime.now(UTC) - behind


@contextmanager
def fill_stores(
    kind: str, sizes: list[int], *, fill: Fill, step: Callable[[str], None]
) -> Iterator[dict[int, Filled]]:
    """A store of each size."""
    with ExitStack() as stack:
        places = stack.enter_context(open_places(kind))
        filled = {}
        for rows in sizes:
            url = stack.enter_context(places())
            until = fill(url, rows, partial(step, f"{kind}: {rows:,} executions"))
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


@contextmanager
def open_places(kind: str) -> Iterator[Callable[[], Any]]:
    """Where stores of a kind can be made: each call gives a context with a fresh URL."""
    if kind == "sqlite":
        yield _open_file
    else:
        with run_server() as server:
            yield server.create_database


@contextmanager
def _open_file() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="mulligan-bench-") as folder:
        yield f"sqlite:///{folder}/bench.db"
