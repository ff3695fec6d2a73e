"""What a fork must not carry over: connections, threads, locks that another thread held.

SQLite keeps a table of its locks in the process. A child forked while another thread is at work in
a file would inherit that thread's locks, which nobody is left to give back, and could never write
there. So a fork waits for work under way to end, and new work waits for the fork.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Protocol
from weakref import WeakSet

from mulligan.core.runtime.fork_hooks import call_on_fork

TIMEOUT = 5.0
"""Seconds that a fork waits. After that it happens all the same: a hung disk must not hang it."""


class Forked(Protocol):
    """Something that starts afresh in a child process."""

    def reset_after_fork(self) -> None:
        """Forget what belongs to the parent, without closing it."""


class _Depth(threading.local):
    value = 0


class Undisturbed:
    """A block that no fork interrupts. One within another is fine."""

    def __init__(self) -> None:
        self._depth = _Depth()
        self._wake = threading.Condition()
        self._threads = 0
        self._forking = False

    def __enter__(self) -> None:
        if not self._depth.value:
            with self._wake:
                while self._forking:
                    self._wake.wait()
                self._threads += 1
        self._depth.value += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._depth.value -= 1
        if not self._depth.value:
            with self._wake:
                self._threads -= 1
                if self._forking:
                    self._wake.notify_all()

    def pause(self) -> None:
        """Before a fork: let what runs end, and nothing begin."""
        deadline = time.monotonic() + TIMEOUT
        with self._wake:
            self._forking = True
            while self._threads > self._count_own() and (left := deadline - time.monotonic()) > 0:
                self._wake.wait(left)

    def go_on(self) -> None:
        """After it, in the parent."""
        with self._wake:
            self._forking = False
            self._wake.notify_all()

    def reset_after_fork(self) -> None:
        """After it, in the child, where no other thread is left."""
        self._wake = threading.Condition()
        self._threads = self._count_own()
        self._forking = False

    def _count_own(self) -> int:
        """1 when the thread that forks is itself inside a block, which it cannot wait for."""
        return int(self._depth.value > 0)


undisturbed = Undisturbed()
"""Around everything that takes a lock in the process: `with undisturbed:`."""

_watching: WeakSet[Forked] = WeakSet()


def renew_after_fork(thing: Forked) -> None:
    """Tell `thing` in the child, before anything else runs there."""
    _watching.add(thing)


def _tell() -> None:
    undisturbed.reset_after_fork()
    for thing in list(_watching):
        thing.reset_after_fork()


call_on_fork(before=undisturbed.pause, after_in_parent=undisturbed.go_on, after_in_child=_tell)
