"""Sessions that are lent out and taken back, so that threads come and go without leaving any."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from mulligan.core.errors import StoreUnavailableError
from mulligan.stores.database.driver import ConnectionLostError, Session

T = TypeVar("T")

_IDLE = 4


class Pool:
    """Opens a session when none is idle, and keeps a few for the next."""

    def __init__(self, connect: Callable[[], Session]) -> None:
        self._connect = connect
        self._closed = False
        self._lock = threading.Lock()
        self._idle: list[Session] = []
        self._lent: set[Session] = set()

    def ask(self, question: Callable[[Session], T]) -> T:
        """Read something, once more over a new connection when an idle one turned out dead."""
        try:
            with self.acquire_session() as session:
                return question(session)
        except ConnectionLostError:
            with self.acquire_session() as session:
                return question(session)

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
                raise StoreUnavailableError("The store is closed: open it again.")
            if self._idle:
                session = self._idle.pop()
                self._lent.add(session)
                return session
        session = self._connect()
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
