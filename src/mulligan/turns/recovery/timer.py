"""Recovery on a timer, on the application's own event loop: its tools may belong to that loop."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import weakref
from contextlib import suppress

from mulligan.telemetry import shutdown
from mulligan.turns.recovery.recovery import Recovery
from mulligan.turns.turn.context import leave_turns

_report = logging.getLogger("mulligan")

EVERY = 2.0
"""Seconds between two passes, or twenty times as long as a pass took, if that is longer."""

FIRST_PASS = 2.0
"""Seconds that the end of a turn waits for the first look at what others have left."""

CLOSING = 5.0
"""Seconds that closing waits for a pass that is going on."""


class RecoveryTimer:
    """Runs passes as long as an event loop lives, and at once when a turn has left something."""

    def __init__(self, recovery: Recovery, *, every: float = EVERY) -> None:
        # What runs by itself keeps no application alive that nobody uses any more.
        self._recovery = weakref.ref(recovery)
        self._every = every
        self._task: asyncio.Task[None] | None = None
        self._wake: asyncio.Event | None = None
        self._passed: asyncio.Event | None = None
        """Set once a pass has come to its end on this loop."""

    def start(self) -> None:
        """See to it that passes run on the loop that is running now."""
        loop = asyncio.get_running_loop()
        task = self._task
        if task is not None and not task.done() and task.get_loop() is loop:
            return
        self._wake, self._passed = asyncio.Event(), asyncio.Event()
        self._task = loop.create_task(self._run(self._wake), name="mulligan-recovery")

    def wake(self) -> None:
        """Somebody has left something behind."""
        task, wake = self._task, self._wake
        if task is None or wake is None or task.done() or task.get_loop().is_closed():
            return
        task.get_loop().call_soon_threadsafe(wake.set)

    async def wait_for_pass(self) -> None:
        """Let the first pass come to its end, so that a short program recovers too; for a while."""
        passed, task = self._passed, self._task
        if passed is None or task is None or task.get_loop() is not asyncio.get_running_loop():
            return
        with suppress(TimeoutError):  # it goes on as long as the loop does
            await asyncio.wait_for(passed.wait(), timeout=FIRST_PASS)

    async def stop(self) -> None:
        """End the passes on this loop."""
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

    async def run_once(self) -> None:
        """One pass; a store that is down stands in nobody's way."""
        recovery = self._recovery()
        if recovery is None:
            return
        try:
            with leave_turns():
                await recovery.run()
        except Exception as error:  # noqa: BLE001 - tried again; doctor shows a store that fails
            if not _lives():
                # The program is on its way out, and has taken what a pass needs along.
                return
            # Only the kind: what it says may quote what a tool was given.
            _report.warning("Open actions could not be looked at (%s).", type(error).__name__)

    async def _run(self, wake: asyncio.Event) -> None:
        while self.is_wanted:
            began = time.monotonic()
            wake.clear()
            await self.run_once()
            if self._passed is not None:
                self._passed.set()
            try:
                async with asyncio.timeout(self.choose_pause(time.monotonic() - began)):
                    await wake.wait()
            except TimeoutError:
                # Nobody called: the time is up.
                continue

    def choose_pause(self, took: float) -> float:
        """Seconds until the next pass, after one that took so long."""
        return max(self._every, 20 * took)


class RecoveryThread:
    """The same passes for a program without an event loop: on a thread with a loop of its own.

    It leaves them to the application's loop while that runs passes itself.
    """

    def __init__(self, timer: RecoveryTimer) -> None:
        self._timer = timer
        self._closed = False
        self._changing = threading.Lock()
        self.start_afresh()
        shutdown.see_to(self)

    def start_afresh(self) -> None:
        """Begin without a thread: also what a child does after a fork."""
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._changing = threading.Lock()

    def start(self) -> None:
        """See to it that passes run; the first one begins at once."""
        with self._changing:
            if self._closed or (self._thread is not None and self._thread.is_alive()):
                return
            self._thread = threading.Thread(target=self._run, name="mulligan-recovery", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Somebody has left something behind."""
        self._wake.set()

    def flush(self, *, timeout: float | None = None) -> bool:  # noqa: ARG002
        """There is nothing that waits: what a pass leaves, the next one finds."""
        return True

    def close(self) -> None:
        """End the passes; one that is going on is waited for, for a while."""
        self._closed = True
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=CLOSING)
        shutdown.forget(self)

    def _run(self) -> None:
        wake, loop = self._wake, asyncio.new_event_loop()
        try:
            while not self._closed and self._timer.is_wanted and _lives():
                began = time.monotonic()
                wake.clear()
                if not self._timer.is_running:
                    loop.run_until_complete(self._timer.run_once())
                wake.wait(self._timer.choose_pause(time.monotonic() - began))
        finally:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()


def _lives() -> bool:
    """Whether the program is not on its way out."""
    return threading.main_thread().is_alive()
