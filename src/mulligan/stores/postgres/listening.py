"""Hears at once what other processes have written, over a connection of its own."""

from __future__ import annotations

import logging
import os
import selectors
import threading
from collections.abc import Callable

import psycopg

from mulligan.core.errors import StoreError
from mulligan.stores.postgres.session import PostgresSession

_report = logging.getLogger("mulligan")

LOOK = 30.0
"""Seconds of silence after which the connection is tried: one may die and say nothing."""

PAUSES = (0.1, 0.5, 2.0, 5.0)
"""Seconds between one try to connect again and the next."""

CLOSING = 2.0
"""Seconds that ending waits for the thread."""


class NewsListener:
    """Waits on a thread for notifications. Where there are none to be had, nothing depends on it.

    A pooler may swallow them, and a server may be away: whoever is woken by them looks every few
    seconds by himself all the same.
    """

    def __init__(self, connect: Callable[[], PostgresSession], on_news: Callable[[], None]) -> None:
        self._connect = connect
        self._on_news = on_news
        self._pid = os.getpid()
        self._over = threading.Event()
        self._ending, self._end = os.pipe()
        self._thread = threading.Thread(target=self._run, name="mulligan-listen", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it. Twice is fine."""
        if self._over.is_set() or self._pid != os.getpid():
            # In a forked child the thread is the parent's, and so are both ends of the pipe.
            return
        # First, as the thread closes the pipe once it is over.
        os.write(self._end, b".")
        self._over.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=CLOSING)

    def _run(self) -> None:
        try:
            self._listen()
        finally:
            os.close(self._ending)
            os.close(self._end)

    def _listen(self) -> None:
        failures = 0
        while not self._over.is_set():
            try:
                session = self._connect()
                try:
                    session.fetch("listen_to_others")
                    failures = 0
                    self._tell()  # what was said while nobody listened
                    self._wait_for_news(session)
                finally:
                    session.close()
            except (StoreError, psycopg.Error, OSError):
                # The store's other users say what is wrong with it.
                pause = PAUSES[min(failures, len(PAUSES) - 1)]
                failures += 1
                self._over.wait(pause)

    def _wait_for_news(self, session: PostgresSession) -> None:
        with selectors.DefaultSelector() as selector:
            for each in (session.connection.fileno(), self._ending):
                selector.register(each, selectors.EVENT_READ)
            while True:
                readable = selector.select(LOOK)
                if self._over.is_set():
                    return
                if session.read_news(try_connection=not readable):
                    self._tell()

    def _tell(self) -> None:
        try:
            self._on_news()
        except Exception:  # noqa: BLE001 - a listener of others
            _report.warning("What was heard from the store led to an error.", exc_info=True)
