"""Waiting for work of others, but not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, TypeVar

T = TypeVar("T")


async def run_with_timeout(work: Coroutine[Any, Any, T], *, within: timedelta | None) -> T:
    """What the work comes to, or a `TimeoutError`: late work is left behind, even if it goes on.

    `None`: however long it takes. Work that cancels itself has failed, and so has what raises
    beyond exceptions, such as a group of cancellations; neither ends whoever waits.
    """
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=None if within is None else within.total_seconds())
        if not task.done():
            raise TimeoutError
        if task.cancelled():
            # Its own doing, not ours: our caller goes on.
            raise ConnectionAbortedError
        return _take_result(task)
    finally:
        if not task.done():
            task.cancel()
            task.add_done_callback(_let_go)


def _take_result(task: asyncio.Future[T]) -> T:
    try:
        return task.result()
    except (Exception, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise ConnectionAbortedError(type(error).__name__) from error


def _let_go(task: asyncio.Future[Any]) -> None:
    """Take notice of how abandoned work ended, so that nobody complains that no one did."""
    if not task.cancelled():
        task.exception()
