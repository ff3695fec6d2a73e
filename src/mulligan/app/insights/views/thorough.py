"""What takes longer the more there is to read: done beside the pages, that show its last answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from mulligan.core.errors import MulliganError
from mulligan.core.interfaces import Clock, Health
from mulligan.core.runtime.dataclass import dataclass

PATIENCE = 0.2
"""Seconds that a page waits for a look: enough where there is little to look at."""
LIFE = timedelta(seconds=10)
"""How old a look may be."""
REST = 60
"""A look that took long is believed for so many times as long: it is a burden on the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What a look came to."""

    at: datetime
    took: timedelta
    rows: int | None
    problems: tuple[str, ...]


class ThoroughLook:
    """Reads a store from end to end, one reader at a time. Safe to use from any thread."""

    def __init__(self, read: Callable[[], Health], *, clock: Clock) -> None:
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._under_way: threading.Event | None = None
        self._last: Looked | None = None

    def read_latest(self, *, patience: float | None = PATIENCE) -> Looked | None:
        """The last look, a new one where that is old and quick enough; `None`: there is none yet.

        `patience`: how many seconds to wait for it; `None`: until it is done.
        """
        last = self._last
        if last is not None and self._clock() < last.at + max(LIFE, last.took * REST):
            return last
        done, began = self._start()
        if patience is None:
            done.wait()
        elif began and (last is None or last.took.total_seconds() < patience):
            # Only who has it begun waits: where it takes long, nobody else should.
            done.wait(patience)
        return self._last

    def _start(self) -> tuple[threading.Event, bool]:
        """When the look is done, and whether it was begun just now."""
        with self._lock:
            if self._under_way is not None:
                return self._under_way, False
            done = self._under_way = threading.Event()
        # A daemon: who stops the server does not wait for a look that nobody will see.
        threading.Thread(target=self._look, args=(done,), name="look", daemon=True).start()
        return done, True

    def _look(self, done: threading.Event) -> None:
        at, began = self._clock(), time.monotonic()
        try:
            rows, problems = self._find()
            took = timedelta(seconds=time.monotonic() - began)
            self._last = Looked(at=at, took=took, rows=rows, problems=problems)
        finally:
            with self._lock:
                self._under_way = None
            done.set()

    def _find(self) -> tuple[int | None, tuple[str, ...]]:
        try:
            health = self._read()
        except MulliganError as error:
            return None, (str(error),)
        return health.rows, health.problems
