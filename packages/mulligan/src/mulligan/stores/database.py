"""What all need of a database driver: sessions, and a pool of them."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, TypeVar

from mulligan.types.errors import StoreDamagedError, StoreError, StoreUnavailableError

Row = tuple[Any, ...]
Changed = Callable[[], int]
"""How many rows a statement has changed; asked for it, a driver waits until it knows."""


class ConnectionLostError(StoreUnavailableError):
    """The connection broke; whether an open transaction was committed is not known."""


class TryAgainError(StoreUnavailableError):
    """The database undid the transaction to settle a conflict between two writers."""


class AlreadyThereError(StoreError):
    """A row with that key exists; the transaction is undone."""


class UnstorableTextError(StoreError):
    """A text holds what the database cannot: a lone surrogate, a null character."""


class UnreadableError(StoreDamagedError):
    """One row makes no sense; those beside it may."""


class Session(Protocol):
    """One connection. Statements are named queries; every driver error comes out translated."""

    _queries: dict[str, str]

    def learn(self, query: str) -> str:
        """A statement in the words of our SQL becomes a named one; the answer is its name."""

    def fetch(self, query: str, **values: object) -> list[Row]:
        """All rows of a query."""
        return self.execute(self._queries[query], values)

    def fetch_where(self, query: str, filters: Sequence[str], **values: object) -> list[Row]:
        """All rows of a query whose `{where}` is the named filters, joined by `and`."""
        where = " and ".join(self._queries[name] for name in filters) or "true"
        return self.execute(self._queries[query].replace("{where}", where), values)

    def execute(self, sql: str, values: dict[str, Any] | None = None) -> list[Row]:
        """All rows of a statement that is not among the named ones."""

    def run(self, query: str, **values: object) -> int:
        """Run a statement of a transaction. Returns how many rows it changed."""
        return self.run_later(query, **values)()

    def run_later(self, query: str, **values: object) -> Changed:
        """Run a statement whose outcome can wait: in a bundle it goes out with what follows."""

    def run_many(self, query: str, rows: Iterable[Sequence[object]]) -> int:
        """Insert each row of positional values. Returns how many rows changed."""

    def begin_transaction(self, *, synced: bool | None = None) -> AbstractContextManager[None]:
        """A transaction that writes; leaving it with an exception undoes it.

        One that is not `synced` may end before it is on disk, where a power cut can lose it.
        """

    def begin_bundle(self, *, synced: bool) -> AbstractContextManager[None]:
        """Such a transaction, of statements that are sent together as far as they can wait.

        A failure of one that was to run later may come with any other, or with the end. There is
        no savepoint in a bundle.
        """

    def begin_savepoint(self) -> AbstractContextManager[None]:
        """A part of a transaction that can fail alone."""

    def begin_snapshot(self) -> AbstractContextManager[None]:
        """Reads that all see the same moment."""

    def close(self) -> None:
        """Let go of the connection."""

    def abandon(self) -> None:
        """In a forked child: forget the connection without touching it."""


def make_closed_error() -> StoreUnavailableError:
    """The error for a use after closing."""
    return StoreUnavailableError("The store is closed: open it again.")


def fetch_one(session: Session, query: str, **values: object) -> Row | None:
    """The first row of a query, if it has one."""
    rows = session.fetch(query, **values)
    return rows[0] if rows else None


T = TypeVar("T")

_IDLE = 4


class Pool:
    """Opens a session when none is idle, and keeps a few for the next."""

    def __init__(self, connect: Callable[[], Session]) -> None:
        self.connect = connect
        self._closed = False
        self._lock = threading.Lock()
        self._idle: list[Session] = []
        self._lent: set[Session] = set()

    def read(self, question: Callable[[Session], T]) -> T:
        """Read something, once more over a new connection when an idle one turned out dead."""
        try:
            with self.acquire_session() as session:
                return question(session)
        except ConnectionLostError:
            with self.acquire_session() as session:
                return question(session)

    def fetch(self, query: str, **values: object) -> list[Row]:
        """All rows of a query, read so."""
        return self.read(lambda session: session.fetch(query, **values))

    @contextmanager
    def acquire_session(self) -> Iterator[Session]:
        """A session for one use. One whose connection broke is not lent again."""
        session = self._take()
        try:
            yield session
        except ConnectionLostError:
            # What broke this connection has most likely broken the idle ones as well.
            self._give_back(session, keep=False)
            self._close_idle()
            raise
        except BaseException:
            self._give_back(session, keep=True)
            raise
        else:
            self._give_back(session, keep=True)

    def close(self) -> None:
        """Close what is idle, and what is lent as soon as it comes back."""
        with self._lock:
            self._closed = True
        self._close_idle()

    def reset_after_fork(self) -> None:
        """In a child: the connections are the parent's."""
        self._lock = threading.Lock()
        for session in (*self._idle, *self._lent):
            session.abandon()
        self._idle = []
        self._lent = set()

    def _take(self) -> Session:
        with self._lock:
            if self._closed:
                raise make_closed_error()
            if self._idle:
                session = self._idle.pop()
                self._lent.add(session)
                return session
        session = self.connect()
        with self._lock:
            self._lent.add(session)
        return session

    def _give_back(self, session: Session, *, keep: bool) -> None:
        with self._lock:
            self._lent.discard(session)
            if keep and not self._closed and len(self._idle) < _IDLE:
                self._idle.append(session)
                return
        session.close()

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.close()


_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)")


def convert_for_psycopg(query: str) -> str:
    """The same query with psycopg's parameters; whole columns go in binary form."""
    return _PARAMETER.sub(r"%(\1)s", query.replace("%", "%%").replace("?", "%b"))
