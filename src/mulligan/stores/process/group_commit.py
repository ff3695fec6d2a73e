"""Natural group commit: one thread writes everything that queued while the last commit ran.

Nobody waits for a window to close. A lone caller pays one sync; eight callers share one.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from mulligan.core.errors import StoreUnavailableError

W = TypeVar("W")

Commit = Callable[[Sequence[W]], Sequence[object]]
"""Does a group of works in one transaction. Gives for each what it came to: a result, or the
exception that it alone failed with. Raises when the transaction as a whole failed."""


class GroupCommit(Generic[W]):
    """A queue in front of one writing thread. The thread starts with the first work."""

    def __init__(self, commit: Commit[W], *, most: int = 512) -> None:
        self._commit = commit
        self._most = most
        self._closed = False
        self._wake = threading.Condition()
        self._waiting: deque[tuple[W, Future[Any]]] = deque()
        self._thread: threading.Thread | None = None

    def submit(self, work: W) -> Future[Any]:
        """Queue a work. Its future is done when the group's transaction is on disk."""
        future: Future[Any] = Future()
        with self._wake:
            if self._closed:
                future.set_exception(StoreUnavailableError("The store is closed: open it again."))
                return future
            self._waiting.append((work, future))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="mulligan-journal", daemon=True
                )
                self._thread.start()
            self._wake.notify()
        return future

    def close(self) -> None:
        """Finish what was submitted, then end the thread."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def reset_after_fork(self) -> None:
        """In a child: what was queued belongs to the parent, which will write it."""
        self._wake = threading.Condition()
        self._waiting = deque()
        self._thread = None

    def _run(self) -> None:
        while group := self._take_group():
            # A caller that gave up while its work was queued has had no effect, and gets none.
            running = [(w, f) for w, f in group if f.set_running_or_notify_cancel()]
            if running:
                self._settle([work for work, _ in running], [future for _, future in running])

    def _take_group(self) -> list[tuple[W, Future[Any]]]:
        with self._wake:
            while not self._waiting and not self._closed:
                self._wake.wait()
            count = min(len(self._waiting), self._most)
            return [self._waiting.popleft() for _ in range(count)]

    def _settle(self, works: Sequence[W], futures: Sequence[Future[Any]]) -> None:
        outcomes: Sequence[object]
        try:
            outcomes = self._commit(works)
        except BaseException as error:  # noqa: BLE001 - whoever waits must hear of it
            outcomes = [error] * len(futures)
        for future, outcome in zip(futures, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)
