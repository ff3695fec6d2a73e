"""Waiting for work of others, but not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import ContextVar
from datetime import timedelta
from typing import Any, TypeVar

T = TypeVar("T")

Works = list[asyncio.Future[Any]]

left_behind: ContextVar[Works | None] = ContextVar("mulligan_left", default=None)
"""Where work is noted that was told to end, and that nobody waits for any more."""


async def run_with_timeout(work: Coroutine[Any, Any, T], *, within: timedelta | None) -> T:
    """What the work comes to, or a `TimeoutError`: late work is left behind, even if it goes on.

    `None`: however long it takes. Work that cancels itself has failed, and so has what raises
    beyond exceptions, such as a group of cancellations, or wants to end the program; none of them
    ends whoever waits. Only `KeyboardInterrupt` does, which is a person's.
    """
    task = asyncio.ensure_future(_catch_exit(work))
    try:
        await asyncio.wait({task}, timeout=None if within is None else within.total_seconds())
        if not task.done():
            raise TimeoutError
        if task.cancelled():
            # Its own doing, not ours: our caller goes on.
            raise ConnectionAbortedError("CancelledError")
        return _take_result(task)
    finally:
        if not task.done():
            task.cancel()
            task.add_done_callback(_let_go)
            if (left := left_behind.get()) is not None:
                left.append(task)


async def _catch_exit(work: Coroutine[Any, Any, T]) -> T:
    """A task that raises `SystemExit` would end the event loop, and all who are on it."""
    try:
        return await work
    except SystemExit as error:
        raise ConnectionAbortedError("SystemExit") from error


def _take_result(task: asyncio.Future[T]) -> T:
    try:
        return task.result()
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConnectionAbortedError(type(error).__name__) from error


def _let_go(task: asyncio.Future[Any]) -> None:
    """Take notice of how abandoned work ended, so that nobody complains that no one did."""
    if not task.cancelled():
        task.exception()
