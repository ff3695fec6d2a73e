"""Work on event loops and threads: called, awaited, timed out, left behind."""

from __future__ import annotations

import asyncio
import gc
import inspect
import logging
import threading
import time
from contextlib import suppress
from contextvars import ContextVar
from datetime import timedelta

import pytest

from mulligan.process.event_loop import run_on_own_loop
from mulligan.process.user_functions import (
    call_function,
    run_with_timeout,
)


async def later() -> str:
    return "an answer"


async def test_a_plain_function_runs_beside_the_loop_in_the_same_context() -> None:
    told: ContextVar[str] = ContextVar("told")
    told.set("this")

    def look() -> tuple[str, bool]:
        return told.get(), threading.current_thread() is threading.main_thread()

    assert await call_function(look) == ("this", False)
    assert await call_function(later) == "an answer"
    assert await call_function(lambda: later()) == "an answer"


async def test_what_keeps_the_loop_for_itself_is_named(caplog, monkeypatch) -> None:
    monkeypatch.setattr("mulligan.process.user_functions.HELD_UP", 0.02)

    async def block() -> str:
        await asyncio.sleep(0)
        time.sleep(0.03)  # noqa: ASYNC251 - that is what it is about
        return "an answer"

    assert await call_function(block) == "an answer"
    assert "block held up the event loop for " in caplog.text


LONG, SHORT = timedelta(minutes=5), timedelta(milliseconds=1)


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


def test_work_whose_loop_ends_before_its_first_step_is_closed():
    async def work() -> None:
        """Nothing: it is never begun."""

    begun = work()

    async def wait() -> None:
        await asyncio.sleep(0)
        await run_with_timeout(begun, within=LONG)

    async def main() -> None:
        waiting.append(asyncio.create_task(wait()))
        await asyncio.sleep(0)

    waiting: list[asyncio.Task[None]] = []
    asyncio.run(main())

    assert inspect.getcoroutinestate(begun) == inspect.CORO_CLOSED


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


SOON = timedelta(milliseconds=20)


async def resist() -> None:
    """Go on whoever wants to stop it."""
    while True:
        with suppress(asyncio.CancelledError):  # as some writers do, too
            await asyncio.sleep(60)


async def give_up(work) -> str:
    with suppress(TimeoutError):  # what is left behind is what is looked at
        await run_with_timeout(work, within=SOON)
    return "an answer"


def test_work_that_swallows_its_cancellation_holds_nobody_up(caplog) -> None:
    began = time.monotonic()

    assert run_on_own_loop(give_up(resist())) == "an answer"

    assert time.monotonic() - began < 30
    assert "1 tasks kept running after their timeout" in caplog.text


@pytest.mark.full
def test_work_that_cannot_be_ended_at_all_holds_nobody_up_later_either() -> None:
    async def never_end() -> None:
        while True:
            try:
                await asyncio.sleep(0.01)
            except BaseException:  # as in many a loop that tries again
                continue

    began = time.monotonic()

    assert run_on_own_loop(give_up(never_end())) == "an answer"
    gc.collect()

    assert time.monotonic() - began < 30


def test_a_thread_that_hangs_behind_such_work_holds_nobody_up() -> None:
    go_on = threading.Event()
    began = time.monotonic()

    assert run_on_own_loop(give_up(asyncio.to_thread(go_on.wait, 60))) == "an answer"

    assert time.monotonic() - began < 30
    go_on.set()


def test_work_that_ends_in_good_order_is_waited_for(caplog) -> None:
    ended: list[str] = []

    async def end_slowly() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            ended.append("closed")

    with caplog.at_level(logging.WARNING):
        assert run_on_own_loop(give_up(end_slowly())) == "an answer"

    assert ended == ["closed"]
    assert "tasks kept running" not in caplog.text


def test_where_nothing_is_late_all_that_was_begun_is_waited_for() -> None:
    ended: list[str] = []

    async def begin_on_a_thread() -> str:
        def work() -> None:
            time.sleep(0.05)
            ended.append("written")

        asyncio.get_running_loop().run_in_executor(None, work)
        return "an answer"

    assert run_on_own_loop(begin_on_a_thread()) == "an answer"
    assert ended == ["written"]
