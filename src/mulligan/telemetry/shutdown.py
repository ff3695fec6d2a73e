"""Leaving in good order: exit, SIGTERM and fork, for every writer that is alive."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import weakref
from types import FrameType
from typing import Protocol

from mulligan.core.runtime.fork_hooks import call_on_fork


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
    _take_sigterm()


def end_with_process(writer: Leaving) -> None:
    """A writer has begun to work: in a child of `multiprocessing`, exit hooks are its own.

    Such a child ends without running `atexit`, but runs these finalizers.
    """
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.Finalize(None, _leave, args=(weakref.ref(writer),), exitpriority=100)


def _leave(reference: weakref.ref[Leaving]) -> None:
    writer = reference()
    if writer is not None:
        writer.close()


def forget(writer: Leaving) -> None:
    """The writer has left by itself."""
    _alive.discard(writer)


def _take_sigterm() -> None:
    """Flush before SIGTERM ends the process, unless the host has plans of its own for it."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)


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


def _close_writers() -> None:
    for writer in list(_alive):
        writer.close()


def _restart_writers() -> None:
    for writer in list(_alive):
        writer.start_afresh()


atexit.register(_close_writers)
call_on_fork(after_in_child=_restart_writers)
