"""Small jobs done in order on a thread of their own, so that none can hold up the host."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from mulligan.telemetry import shutdown

FLUSH = 5.0

_report = logging.getLogger("mulligan")

Errand = Callable[[], None]


class Errands:
    """Does what it is given, one after the other; what one raises is counted and stays here."""

    def __init__(self, name: str, *, most: int) -> None:
        self._name = name
        self._most = most
        self._closed = False
        self.failures = 0
        """Errands that raised."""
        self.dropped = 0
        """Errands that found the queue full."""
        self.start_afresh()
        shutdown.see_to(self)

    def start_afresh(self) -> None:
        """Begin with nothing waiting and no thread: also what a child does after a fork."""
        self._waiting: deque[Errand] = deque()
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = False
        self._waiters: list[float] = []
        """Since when each of those waits who flush."""

    @property
    def idle(self) -> bool:
        """Nothing waits behind what is being done."""
        return not self._waiting

    @property
    def waited(self) -> float:
        """Seconds that somebody has waited for what is queued, perhaps a process for its end."""
        with self._change:
            return time.monotonic() - min(self._waiters) if self._waiters else 0.0

    def add(self, errand: Errand) -> None:
        """Queue an errand. Never waits, never raises."""
        with self._change:
            if self._closed or len(self._waiting) >= self._most:
                self.dropped += 1
                return
            self._waiting.append(errand)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._change.notify_all()

    def flush(self, *, timeout: float | None = None) -> bool:
        """Wait until every errand so far was done."""
        seconds = FLUSH if timeout is None else timeout
        began = time.monotonic()
        with self._change:
            self._waiters.append(began)
            try:
                return self._change.wait_for(
                    lambda: not self._waiting and not self._busy, timeout=seconds
                )
            finally:
                self._waiters.remove(began)

    def close(self) -> None:
        """Do what is left, then stop."""
        self.flush()
        with self._change:
            self._closed = True
            self._change.notify_all()
        shutdown.forget(self)

    def _run(self) -> None:
        while True:
            with self._change:
                self._busy = False
                self._change.notify_all()
                self._change.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                errand = self._waiting.popleft()
                self._busy = True
            try:
                errand()
            except Exception as error:  # noqa: BLE001 - the next errand may do better
                self.failures += 1
                _report.warning("%s: an errand failed (%s).", self._name, type(error).__name__)
            # Else what it holds would live until the next one comes.
            del errand
