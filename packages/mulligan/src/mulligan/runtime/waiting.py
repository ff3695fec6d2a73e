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
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from msgspec import Struct

from mulligan.process.event_loop import STEPPED, call_beside, call_on_fork

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
    return call_beside(question, name="mulligan-ask").result(timeout=TIMEOUT)


def run_to_end(steps: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that waits for no loop, on this thread: how sync tools share the code."""
    outer, STEPPED.here = getattr(STEPPED, "here", False), True
    try:
        steps.send(None)
    except StopIteration as done:
        return cast("R", done.value)
    finally:
        STEPPED.here = outer
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
    run = partial(contextvars.copy_context().run, _run_on_new_loop, steps)
    return call_beside(run, name="mulligan-apart").result()


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
                    target=_run_on_and_on, args=(self._loop,), name="mulligan-hosts", daemon=True
                ).start()
            return self._loop

    def forget(self) -> None:
        """A child of a fork has the loop of its parent, but not its thread."""
        self._lock = threading.Lock()
        self._loop = None


def _run_on_and_on(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop that others wait for too: what wants to end the program is its waiter's alone."""
    while not loop.is_closed():
        with suppress(KeyboardInterrupt, SystemExit):
            loop.run_forever()


LOOP = LoopThread()
"""For all that wait in this process."""

call_on_fork(after_in_child=LOOP.forget)
