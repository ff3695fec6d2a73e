"""How code that is written once waits: on an event loop, or on the thread of a sync tool."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar, cast

from mulligan.core.runtime.dataclass import dataclass

R = TypeVar("R")

TIMEOUT = 1.0
"""Seconds that an answer which is only good to have is waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiter:
    """The things that differ between a sync and an async tool."""

    wait: Callable[[Future[None]], Awaitable[None]]
    sleep: Callable[[float], Awaitable[None]]
    ask: Callable[[Callable[[], Any]], Awaitable[Any]]
    """Ask what answers from a disk or a network, for as long as `TIMEOUT`."""
    aside: Callable[[Callable[[], Any]], Awaitable[Any]]
    """Do what takes a while of reading, so that no event loop waits for it."""


async def _wait_on_loop(future: Future[None]) -> None:
    # Shielded: a cancelled caller must not take back an entry that is on its way to the disk.
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
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
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
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
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
