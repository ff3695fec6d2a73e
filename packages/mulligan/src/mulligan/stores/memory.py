"""A store in SQLite's memory, which lives as long as its process: for tests and first tries."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path

import apsw
from msgspec.structs import replace

from mulligan.stores.crypto import Seal
from mulligan.stores.database import Pool, Session
from mulligan.stores.migrations import bring_up_to_date
from mulligan.stores.opening import Options, make_refusal
from mulligan.stores.process import renew_after_fork, undisturbed
from mulligan.stores.relational.committer import DirectCommit
from mulligan.stores.relational.log import LogTables
from mulligan.stores.relational.store import TableStore
from mulligan.stores.sqlite.files import SqliteSchema
from mulligan.stores.sqlite.session import JOURNAL, LOG, SqliteSession
from mulligan.types.interfaces import Health, Store


def open_store(url: str, options: Options) -> Store:
    """Open `memory:`, each time another one."""
    if url != "memory:":
        raise make_refusal(url)
    return MemoryStore(options)


class MemorySession(SqliteSession):
    """The one connection to a database that is gone with it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._use(connection, Path("memory:"))
        connection.execute("pragma foreign_keys = on")

    def close(self) -> None:
        """Leave what is there to whoever still reads it."""

    def abandon(self) -> None:
        """In a forked child: its copy of the database is its own."""
        self._roll_back()

    def _sync(self, *, synced: bool) -> None:
        """There is no disk."""

    def _refuse_replaced(self) -> None:
        """It cannot be replaced."""


def _connect(part: str) -> MemorySession:
    """A new database with a copied schema: running every migration takes fifty times as long."""
    connection, empty = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    empty.deserialize("main", _migrate(part))
    # A database that was read from bytes may not grow beyond 1 GB.
    with undisturbed, closing(empty), connection.backup("main", empty, "main") as copying:
        copying.step()
    return MemorySession(connection)


@cache
def _migrate(part: str) -> bytes:
    connection = apsw.Connection(":memory:")
    bring_up_to_date(SqliteSchema(MemorySession(connection)), f"sqlite/{part}")
    return connection.serialize("main")


class MemoryPool(Pool):
    """Lends the one session of a database to one thread at a time."""

    def __init__(self, part: str) -> None:
        self._session = _connect(part)
        super().__init__(lambda: self._session)
        self._turn = threading.RLock()

    @contextmanager
    def acquire_session(self) -> Iterator[Session]:
        """The session, as soon as no other thread has it."""
        with undisturbed, self._turn:
            yield self._session

    def reset_after_fork(self) -> None:
        """In a child: no other thread has the session."""
        self._turn = threading.RLock()
        self._session.abandon()


class MemoryLog(LogTables):
    """A log in memory, for itself."""

    def __init__(self) -> None:
        pool = MemoryPool(LOG)
        super().__init__(pool, erasing=pool.acquire_session)


class MemoryStore(TableStore):
    """The tables of the other stores. Nothing reaches a disk, so nothing is encrypted or signed."""

    def __init__(self, options: Options) -> None:
        pool, options = MemoryPool(JOURNAL), replace(options, seal=Seal(None))
        group = partial(DirectCommit, pool)
        super().__init__(pool, log=MemoryLog(), options=options, group=group)
        self._secret = secrets.token_bytes(32)
        renew_after_fork(self)

    def load_secret(self) -> bytes:
        """32 random bytes, the same as long as the store lives."""
        return self._secret

    def check_health(self, *, thorough: bool = True) -> Health:  # noqa: ARG002 - all of it is quick
        """Look at everything without changing anything."""
        return Health(
            url="memory:",
            kind="memory",
            version="",
            schemas={},
            rows=self.log.count(),
            open_actions=self.journal.count_open(),
            size_bytes=0,
        )

    def close(self) -> None:
        """Take nothing more. What was there can be read until the process ends."""
        with self._pool.acquire_session():
            super().close()
