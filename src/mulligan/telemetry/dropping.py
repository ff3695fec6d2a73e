"""Closes what an application that nobody uses any more has left open."""

from __future__ import annotations

import gc
import itertools
import logging
import threading
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from mulligan.core.runtime.fork_hooks import call_on_fork

Close = Callable[[], None]

MOST_UNUSED = 16
"""Applications that may be opened before it is looked which of them are in use: threads and files
are nothing that Python's collector counts."""
PATIENCE = 10.0
"""Seconds that an opening waits for those before it to be closed."""

_report = logging.getLogger("mulligan")


class Closer:
    """Closes on one thread of its own: a collector's thread may hold any lock there is."""

    def __init__(self) -> None:
        self.start_afresh()

    def start_afresh(self) -> None:
        """Begin with nothing to close: also what a child does after a fork."""
        self._left: SimpleQueue[Sequence[Close] | threading.Event] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._opened = itertools.count(1)

    def watch(self, owner: object, closes: Sequence[Close]) -> weakref.finalize[..., object]:
        """Once nobody holds the owner any more, call these. None of them may hold it."""
        # Started here: a collector may come by while its thread holds what starting takes.
        self._start()
        if next(self._opened) % MOST_UNUSED == 0:
            gc.collect()
            self.wait()
        watched = weakref.finalize(owner, self._left.put, closes)
        watched.atexit = False
        return watched

    def wait(self) -> bool:
        """Wait until all that was left so far is closed, for a while. Whether it is."""
        done = threading.Event()
        self._start()
        self._left.put(done)
        return done.wait(PATIENCE)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._run, args=(self._left,), name="mulligan-closer", daemon=True
                )
                self._thread.start()

    def _run(self, left: SimpleQueue[Sequence[Close] | threading.Event]) -> None:
        while True:
            closes = left.get()
            if isinstance(closes, threading.Event):
                closes.set()
                continue
            for close in closes:
                try:
                    close()
                except Exception as error:  # noqa: BLE001 - the others are closed all the same
                    _report.warning("An unused part was not closed (%s).", type(error).__name__)


closer = Closer()
"""For all applications of the process."""

call_on_fork(after_in_child=closer.start_afresh)
