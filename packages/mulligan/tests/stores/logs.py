"""The log of a store that is open, asked in SQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.sqlite import read_path
from mulligan.stores.sqlite.files import build_log_path
from mulligan.stores.sqlite.session import SqliteSession
from mulligan_testing.store_contract.contract import HOUR


@contextmanager
def open_log(url: str) -> Iterator[SqliteSession | PostgresSession]:
    if url.startswith("sqlite"):
        session: Any = SqliteSession(build_log_path(read_path(url)), "log")
    else:
        session = PostgresSession(url, timeout=HOUR)
    yield session
    session.close()
