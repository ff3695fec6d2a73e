"""How code that is written once waits: on an event loop, or on the thread of a sync tool."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """The two things that differ between a sync and an async tool."""

    wait: Callable[[Future[None]], Awaitable[None]]
    sleep: Callable[[float], Awaitable[None]]


async def _wait_on_loop(future: Future[None]) -> None:
    await asyncio.wrap_future(future)


async def _wait_here(future: Future[None]) -> None:
    future.result()


async def _sleep_here(seconds: float) -> None:
    """Wait on this thread; but never make an event loop that runs on it wait."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        time.sleep(seconds)  # noqa: ASYNC251 - there is no loop on this thread to hold up


ON_LOOP = Hands(wait=_wait_on_loop, sleep=asyncio.sleep)
ON_THREAD = Hands(wait=_wait_here, sleep=_sleep_here)
