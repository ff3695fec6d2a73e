"""The bridge for programs without an event loop: a thread waits, and a loop runs beside it."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from mulligan.core.runtime.fork_hooks import call_on_fork
from mulligan.core.waiting.own_loop import run_on_own_loop, settle_future

R = TypeVar("R")

STOPPING = 5.0
"""Seconds that an interrupted program waits for its turn to end in good order."""


class WaitingThread:
    """A thread that waits for an event loop beside it, and meanwhile runs what belongs here."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._stop: Callable[[], object] = lambda: None

    def bring(self, function: Callable[..., R]) -> Callable[..., Awaitable[R]]:
        """The function as one to await on the loop, which runs on the thread that waits."""

        async def call_there(*args: object, **kwargs: object) -> R:
            answer: Future[R] = Future()
            work = partial(contextvars.copy_context().run, function, *args, **kwargs)
            self._jobs.put(partial(settle_future, answer, work))
            return await asyncio.wrap_future(answer)

        return call_there

    def run(self, steps: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Run to the end on a loop beside this thread, which ends with it."""
        done: Future[R] = Future()

        async def run_steps() -> R:
            task, loop = asyncio.current_task(), asyncio.get_running_loop()
            if task is not None:
                self._stop = partial(loop.call_soon_threadsafe, task.cancel)
            return await steps()

        def run_loop() -> None:
            settle_future(done, lambda: run_on_own_loop(run_steps()))
            self._jobs.put(None)

        work = contextvars.copy_context()
        beside = threading.Thread(
            target=work.run, args=(run_loop,), name="mulligan-act", daemon=True
        )
        beside.start()
        self._work_until_done(partial(beside.join, STOPPING))
        beside.join()
        return done.result()

    def run_on(self, loop: asyncio.AbstractEventLoop, steps: Coroutine[Any, Any, R]) -> R:
        """Run to the end on a loop that goes on afterwards."""
        done = asyncio.run_coroutine_threadsafe(steps, loop)
        done.add_done_callback(lambda _: self._jobs.put(None))
        self._stop = done.cancel
        self._work_until_done(lambda: None)
        return done.result()

    def _work_until_done(self, wait: Callable[[], object]) -> None:
        try:
            while (job := self._jobs.get()) is not None:
                job()
        except BaseException:
            self._stop()
            wait()
            raise


class LoopThread:
    """An event loop on a thread of its own, from the first that needs it to the program's end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def load(self) -> asyncio.AbstractEventLoop:
        """The loop, which runs."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._loop.run_forever, name="mulligan-hosts", daemon=True
                ).start()
            return self._loop

    def forget(self) -> None:
        """A child of a fork has the loop of its parent, but not its thread."""
        self._lock = threading.Lock()
        self._loop = None


LOOP = LoopThread()
"""For all that wait in this process."""

call_on_fork(after_in_child=LOOP.forget)
