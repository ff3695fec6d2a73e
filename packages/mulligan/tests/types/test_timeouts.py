"""Work that is waited for comes in time, or is left behind."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from mulligan.process.event_loop import run_with_timeout

LONG, SHORT = timedelta(minutes=5), timedelta(milliseconds=1)


async def test_what_comes_in_time_is_handed_on():
    async def work() -> str:
        return "done"

    assert await run_with_timeout(work(), within=LONG) == "done"
    assert await run_with_timeout(work(), within=None) == "done"


async def test_what_fails_in_time_fails():
    async def work() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        await run_with_timeout(work(), within=LONG)


async def test_late_work_is_cancelled_and_left_behind():
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(TimeoutError):
        await run_with_timeout(work(), within=SHORT)

    await ended.wait()


async def test_work_that_cancels_itself_does_not_cancel_whoever_waits():
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(ConnectionAbortedError):
        await run_with_timeout(work(), within=LONG)


@pytest.mark.parametrize(
    "error",
    [BaseExceptionGroup("several", [asyncio.CancelledError()]), GeneratorExit(), SystemExit(7)],
)
async def test_work_that_raises_beyond_exceptions_has_failed_and_ends_nobody(error):
    async def work() -> None:
        raise error

    with pytest.raises(ConnectionAbortedError, match=type(error).__name__):
        await run_with_timeout(work(), within=LONG)


async def test_whoever_waits_can_be_cancelled_and_takes_the_work_along():
    started, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    waiting = asyncio.create_task(run_with_timeout(work(), within=LONG))
    await started.wait()
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    await ended.wait()
