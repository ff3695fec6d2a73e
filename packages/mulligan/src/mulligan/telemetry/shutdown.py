"""Orderly shutdown: exit, SIGTERM, fork, and applications that are garbage-collected."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from types import FrameType
from typing import Protocol

from mulligan.process.event_loop import call_on_fork


class Leaving(Protocol):
    """Something with rows in its hands."""

    def flush(self, *, timeout: float | None = None) -> bool:
        """Store everything queued so far."""

    def close(self) -> None:
        """Store what is left, and stop."""

    def start_afresh(self) -> None:
        """Forget everything: the parent of the fork has it."""


_alive: weakref.WeakSet[Leaving] = weakref.WeakSet()


def see_to(writer: Leaving) -> None:
    """From now on, see to it that what it holds survives the end of the process."""
    _alive.add(writer)
    # Flush before SIGTERM ends the process, unless the host has plans of its own for it.
    here = threading.current_thread() is threading.main_thread()
    if here and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)


def end_with_process(writer: Leaving) -> None:
    """A writer has begun to work: in a child of `multiprocessing`, exit hooks are its own.

    Such a child ends without running `atexit`, but runs these finalizers.
    """
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        # A weak set: what was collected by then is not there.
        util.Finalize(None, _close_writers, args=(weakref.WeakSet([writer]),), exitpriority=100)


def forget(writer: Leaving) -> None:
    """The writer has left by itself."""
    _alive.discard(writer)


def _on_sigterm(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    # The handler interrupts whatever the main thread was doing, perhaps inside the queue's lock;
    # so it only hands over. The second, default SIGTERM then ends the process as it should.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_flush_and_end, name="mulligan-sigterm").start()


def _flush_and_end() -> None:
    try:
        for writer in list(_alive):
            writer.flush()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


def _close_writers(writers: weakref.WeakSet[Leaving]) -> None:
    for writer in list(writers):
        writer.close()


def _restart_writers() -> None:
    for writer in list(_alive):
        writer.start_afresh()


atexit.register(_close_writers, _alive)
call_on_fork(after_in_child=_restart_writers)


Close = Callable[[], None]

MOST_UNUSED = 16
"""Applications that may be left unclosed before it is looked which of them are in use: threads and
files are nothing that Python's collector counts."""
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
        self._open: list[weakref.finalize[..., object]] = []
        self._most = MOST_UNUSED

    def watch(self, owner: object, closes: Sequence[Close]) -> weakref.finalize[..., object]:
        """Call these once the owner is garbage-collected. None of them may reference it."""
        # Started here: a collector may come by while its thread holds what starting takes.
        self._start()
        if self._count_open() >= self._most:
            gc.collect()
            self.wait()
            self._most = self._count_open() + MOST_UNUSED
        watched = weakref.finalize(owner, self._left.put, closes)
        watched.atexit = False
        with self._starting:
            self._open.append(watched)
        return watched

    def _count_open(self) -> int:
        with self._starting:
            self._open = [each for each in self._open if each.alive]
            return len(self._open)

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
