"""Recovery on a timer, the lease by which others know that this process lives, and what wakes it
sooner.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from mulligan.runtime.context import leave_turns
from mulligan.runtime.recovery import AbandonableTask, Recovery, let_go
from mulligan.telemetry import shutdown
from mulligan.types.interfaces import LEASE, Listen

_report = logging.getLogger("mulligan")

EVERY = 2.0
"""Seconds between two passes, or twenty times as long as a pass took, if that is longer."""

FIRST_PASS = 2.0
"""Seconds that the end of a turn waits for the first look at what others have left."""

ENDING = 2.0
"""Seconds that the end of a loop waits for a pass that is going on there."""

STANDING_STILL = 10.0
"""Seconds after which a loop that is neither running nor closed counts as abandoned."""

CLOSING = 5.0
"""Seconds that closing waits for a pass that is going on."""


@dataclass(slots=True, kw_only=True)
class PassTally:
    """The results of a process's passes so far."""

    made: int = 0
    failed: int = 0
    """In a row, up to the last one."""
    ended: float | None = None
    """When the last one ended, by the clock that only goes forward."""

    def add(self, *, failed: bool) -> None:
        """One more has ended."""
        self.made += 1
        self.ended = time.monotonic()
        self.failed = self.failed + 1 if failed else 0


class RecoveryTimer:
    """Runs passes as long as an event loop lives, and looks at once at what a turn has left.

    One loop at a time: where several run, the first.
    """

    def __init__(self, recovery: Recovery, *, every: float = EVERY) -> None:
        # What runs in the background keeps no unused application alive.
        self._recovery = weakref.ref(recovery)
        self._every = every
        self._ending = ENDING
        self.tally = PassTally()
        self.on_left: Callable[[], None] = lambda: None
        """Called when the loop has ended, and with it the passes."""
        self.start_afresh()

    def start_afresh(self) -> None:
        """Begin without a loop: also what a child does after a fork."""
        self._task: asyncio.Task[None] | None = None
        self._wake: asyncio.Event | None = None
        self._passed: asyncio.Event | None = None
        """Set once a pass has come to its end on this loop."""
        self._pass: AbandonableTask | None = None
        """The one that goes on there."""
        self._ran = time.monotonic()
        """When the loop was last seen running."""
        self._left: set[str] = set()
        """Actions that were left open since the last pass."""
        self._sweep_at = 0.0
        """When everything is looked at again."""

    def start(self) -> None:
        """See to it that passes run on the loop that is running now, unless they do on another."""
        loop = asyncio.get_running_loop()
        if self.is_running:
            return
        self.stop_waiting()
        self._wake, self._passed = asyncio.Event(), asyncio.Event()
        self._sweep_at = 0.0
        self._ran = time.monotonic()
        run = self._run(self._wake, self._passed)
        self._task = loop.create_task(run, name="mulligan-recovery")
        let_go(self._task)

    def wake(self, left: Collection[str] = ()) -> None:
        """Wake up, to look at these actions; none named: at everything."""
        self._left.update(left)
        if not left:
            self._sweep_at = 0.0
        task, wake = self._task, self._wake
        if task is None or wake is None or task.done():
            return
        with suppress(RuntimeError):  # the loop is closed
            task.get_loop().call_soon_threadsafe(wake.set)

    async def wait_for_pass(self) -> None:
        """Let the first pass come to its end, so that a short program recovers too; for a while."""
        passed, task = self._passed, self._task
        if passed is None or task is None or task.get_loop() is not asyncio.get_running_loop():
            return
        with suppress(TimeoutError):  # it goes on as long as the loop does
            await asyncio.wait_for(passed.wait(), timeout=FIRST_PASS)

    async def stop(self, *, within: float = ENDING) -> None:
        """End the passes on this loop; one that is going on is waited for, for so many seconds."""
        self._ending = within
        task, self._task = self._task, None
        if task is not None and task.get_loop() is asyncio.get_running_loop():
            task.cancel()
            await asyncio.wait([task])

    @property
    def is_running(self) -> bool:
        """Whether passes run on a loop that is alive."""
        task = self._task
        return task is not None and not task.done() and task.get_loop().is_running()

    @property
    def is_wanted(self) -> bool:
        """Whether the application is still there."""
        return self._recovery() is not None

    def take_over(self) -> bool:
        """Whether passes are the caller's to run: no loop runs them, or none does any more."""
        now, task = time.monotonic(), self._task
        if self.is_running:
            self._ran = now
            return False
        stands = task is not None and not task.done() and not task.get_loop().is_closed()
        if stands and now - self._ran < STANDING_STILL:
            # It may go on, as between two questions in a terminal; tools may belong to it.
            return False
        self.stop_waiting()
        return True

    def stop_waiting(self) -> None:
        """Give up on the loop: it makes no step any more of what it has begun."""
        self._task, begun, self._pass = None, self._pass, None
        self._sweep_at = 0.0
        if begun is not None:
            begun.take_away()

    async def run_due(self) -> None:
        """One pass: over everything when that is due, else over what was left since the last."""
        left, self._left = self._left, set()
        began = time.monotonic()
        if began < self._sweep_at:
            await self.run_once(left)
            return
        self._sweep_at = began + self._every
        await self.run_once()
        # Where somebody asked for it meanwhile, everything is looked at once more.
        if self._sweep_at:
            ended = time.monotonic()
            self._sweep_at = ended + max(self._every, 20 * (ended - began))

    async def run_once(self, only: Collection[str] | None = None) -> None:
        """One pass, over some actions only if they are named; a store that is down blocks no
        turn."""
        recovery = self._recovery()
        if recovery is None:
            return
        try:
            with leave_turns():
                await recovery.run(only)
            self.tally.add(failed=False)
        except Exception as error:  # noqa: BLE001 - tried again; doctor shows a store that fails
            if not _lives():
                # The program is exiting, and has taken what a pass needs along.
                return
            self.tally.add(failed=True)
            # Only the kind: what it says may quote what a tool was given.
            _report.warning("Open actions could not be looked at (%s).", type(error).__name__)

    async def _run(self, wake: asyncio.Event, passed: asyncio.Event) -> None:
        mine = asyncio.current_task()
        try:
            while self.is_wanted and self._task is mine:
                wake.clear()
                await self._run_pass()
                passed.set()
                with suppress(TimeoutError):  # not woken: the time is up
                    async with asyncio.timeout(self.choose_pause()):
                        await wake.wait()
        finally:
            if self._task is mine:
                self._task, self._sweep_at = None, 0.0
                self.on_left()

    async def _run_pass(self) -> None:
        """One pass. Where the loop ends, it is let come to its end: an undo is not cut in two."""
        begun = self._pass = AbandonableTask()
        going = begun.start(self.run_due())
        try:
            await asyncio.wait([going])
        except asyncio.CancelledError:
            await asyncio.wait([going], timeout=self._ending)
            raise
        finally:
            if not going.done():
                begun.take_away()
            self._pass = None

    def choose_pause(self) -> float:
        """Seconds until the next pass, which is another's where it is late."""
        left = self._sweep_at - time.monotonic()
        return left if left > 0 else self._every


class RecoveryThread:
    """The same passes where no event loop runs them: on a thread with a loop of its own.

    It leaves them to the application's loop while that runs, and goes on with what that leaves.
    """

    def __init__(self, timer: RecoveryTimer) -> None:
        self._timer = timer
        timer.on_left = self.wake
        self._closed = False
        self._changing = threading.Lock()
        self.start_afresh()
        shutdown.see_to(self)

    def start_afresh(self) -> None:
        """Begin without a thread: also what a child does after a fork."""
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._changing = threading.Lock()
        self._timer.start_afresh()

    def start(self) -> None:
        """See to it that passes run; the first one begins at once."""
        with self._changing:
            if self._closed or (self._thread is not None and self._thread.is_alive()):
                return
            self._thread = threading.Thread(target=self._run, name="mulligan-recovery", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Wake up: an action was left open."""
        self._wake.set()

    def stop_passes(self) -> None:
        """Begin no pass any more, also when the loop is left."""
        self._closed = True
        self._wake.set()

    def flush(self, *, timeout: float | None = None) -> bool:  # noqa: ARG002
        """There is nothing that waits: what a pass leaves, the next one finds."""
        return True

    def close(self) -> None:
        """End the passes; one that is going on is waited for, for a while."""
        self._closed = True
        self._timer.stop_waiting()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=CLOSING)
        shutdown.forget(self)

    def _run(self) -> None:
        wake, loop = self._wake, asyncio.new_event_loop()
        try:
            while not self._closed and self._timer.is_wanted and _lives():
                wake.clear()
                if self._timer.take_over():
                    loop.run_until_complete(self._timer.run_due())
                wake.wait(self._timer.choose_pause())
        finally:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()


def _lives() -> bool:
    """Whether the program is not exiting."""
    return threading.main_thread().is_alive()


BEATS = 3
"""Signs of life in one lease, so that one may be lost and one may be late."""


class LeaseRenewer:
    """Says three times in every lease that this process lives, once it has begun to act."""

    def __init__(
        self,
        beat: Callable[[], None],
        *,
        lease: timedelta = LEASE,
        obey: Callable[[], None] = lambda: None,
    ) -> None:
        self._works = {
            "No sign of life could be left in the store": beat,
            "What an operator says could not be read": obey,
        }
        self._every = lease.total_seconds() / BEATS
        self._over = threading.Event()
        self._pid: int | None = None

    def start(self) -> None:
        """Begin; a child of a fork begins anew."""
        if self._pid == os.getpid() or self._over.is_set():
            return
        self._pid, self._over = os.getpid(), threading.Event()
        threading.Thread(target=self._run, name="mulligan-lease", daemon=True).start()

    def stop(self) -> None:
        """Fall silent."""
        self._over.set()

    def _run(self) -> None:
        over = self._over
        due = time.monotonic() + self._every
        while not over.wait(max(0.0, due - time.monotonic())):
            # From beat to beat, however long one takes; those that were slept through are not
            # made up for.
            due = max(due + self._every, time.monotonic())
            for failed, work in self._works.items():
                try:
                    work()
                except Exception as error:  # noqa: BLE001 - a store that is away may be back soon
                    if not over.is_set():
                        _report.warning("%s: %s", failed, error)


class News:
    """Listens to a store that can be listened to, from the first turn on."""

    def __init__(self, store: object, *, wake: Callable[[], None]) -> None:
        self._store = store
        self._wake = wake
        self._end: Callable[[], None] | None = None
        self._pid: int | None = None

    def start(self) -> None:
        """Begin; a child of a fork begins anew."""
        listen: Listen | None = getattr(self._store, "listen", None)
        if self._pid == os.getpid() or listen is None:
            return
        self._pid, self._end = os.getpid(), listen(self._wake)

    def stop(self) -> None:
        """Hear no more."""
        end, self._end = self._end, None
        if end is not None:
            end()
