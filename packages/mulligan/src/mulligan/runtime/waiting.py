"""How code that is written once waits: on an event loop, on the thread of a sync tool, or beside a
program without a loop; and a monotonic clock.
"""

from __future__ import annotations

import asyncio
import contextvars
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar, cast

from msgspec import Struct

from mulligan.process.event_loop import call_on_fork, run_on_own_loop, settle_future

R = TypeVar("R")

TIMEOUT = 1.0
"""Seconds that an answer which is only good to have is waited for."""


class Waiter(Struct, frozen=True, kw_only=True):
    """The things that differ between a sync and an async tool."""

    wait: Callable[[Future[None]], Awaitable[None]]
    sleep: Callable[[float], Awaitable[None]]
    ask: Callable[[Callable[[], Any]], Awaitable[Any]]
    """Ask what answers from a disk or a network, for as long as `TIMEOUT`."""
    aside: Callable[[Callable[[], Any]], Awaitable[Any]]
    """Do what takes a while of reading, so that no event loop waits for it."""


async def _wait_on_loop(future: Future[None]) -> None:
    # Shielded: a cancelled caller must not cancel an entry that is being written.
    waiting = asyncio.wrap_future(future)
    waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
    await asyncio.shield(waiting)


async def _wait_here(future: Future[None]) -> None:
    future.result()


async def _sleep_here(seconds: float) -> None:
    """Wait on this thread; but never make an event loop that runs on it wait."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        time.sleep(seconds)  # noqa: ASYNC251 - there is no loop on this thread to hold up


async def _ask_aside(question: Callable[[], Any]) -> Any:
    async with asyncio.timeout(TIMEOUT):
        return await asyncio.to_thread(question)


async def _run_here(work: Callable[[], Any]) -> Any:
    return work()


async def _ask_here(question: Callable[[], Any]) -> Any:
    """On a thread of its own, so that a sync tool waits no longer than an async one."""
    answer: Future[Any] = Future()

    def ask() -> None:
        try:
            answer.set_result(question())
        except BaseException as error:  # noqa: BLE001 - it is raised where the caller waits
            answer.set_exception(error)

    threading.Thread(target=ask, name="mulligan-ask", daemon=True).start()
    return answer.result(timeout=TIMEOUT)


def run_to_end(steps: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that waits for no loop, on this thread: how sync tools share the code."""
    try:
        steps.send(None)
    except StopIteration as done:
        return cast("R", done.value)
    steps.close()
    raise RuntimeError("A synchronous tool was handed something that waits for an event loop.")


def run_apart(steps: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine to its end on an event loop of its own, beside one that may run here.

    Who has set an event loop for this thread finds it again afterwards.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run_on_new_loop(steps)
    answer: Future[R] = Future()

    def run() -> None:
        try:
            answer.set_result(_run_on_new_loop(steps))
        except BaseException as error:  # noqa: BLE001 - it is raised where the caller waits
            answer.set_exception(error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(run,), name="mulligan-apart", daemon=True).start()
    return answer.result()


def _run_on_new_loop(steps: Coroutine[Any, Any, R]) -> R:
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(steps)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


ON_LOOP = Waiter(wait=_wait_on_loop, sleep=asyncio.sleep, ask=_ask_aside, aside=asyncio.to_thread)
ON_THREAD = Waiter(wait=_wait_here, sleep=_sleep_here, ask=_ask_here, aside=_run_here)


class BootTime(NamedTuple):
    """A moment since a machine was started. Of another start it tells nothing."""

    boot: str
    seconds: float


SteadyClock = Callable[[], BootTime]
"""Tells the moment; it never jumps, and goes on while the machine or the process sleeps."""


def read_steady() -> BootTime:
    """Now."""
    source = getattr(time, "CLOCK_BOOTTIME", None)
    seconds = time.monotonic() if source is None else time.clock_gettime(source)
    return BootTime(_identify_boot(), seconds)


def choose_steady(clock: object) -> SteadyClock:
    """The steady clock beside a wall clock: its own, where it brings one, as those of tests do."""
    own = getattr(clock, "read_steady", None)
    return read_steady if own is None else lambda: BootTime(*own())


def read_stamp(kept: object) -> BootTime | None:
    """A moment that was written down."""
    if isinstance(kept, list) and len(kept) == 2 and isinstance(kept[1], int | float):
        return BootTime(str(kept[0]), float(kept[1]))
    return None


@cache
def _identify_boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        # Not Linux: only this process knows when its clock began.
        return secrets.token_hex(8)


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
