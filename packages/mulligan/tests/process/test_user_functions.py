"""The door to users' functions: bounded, on a thread of their own, and never their caller's end."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from contextlib import suppress
from datetime import timedelta

import pytest

from mulligan.process.user_functions import call_function, call_function_now, call_here

SOON, LATE = timedelta(seconds=0.05), timedelta(minutes=1)


async def _finish_later() -> str:
    await asyncio.sleep(0)
    return "done"


async def _exit_later() -> None:
    sys.exit(3)


@pytest.mark.parametrize("function", [lambda: "done", _finish_later, lambda: _finish_later()])
async def test_an_answer_is_the_same_whoever_gives_it(function) -> None:
    assert await call_function(function, within=LATE, read=str.upper) == "DONE"


@pytest.mark.parametrize("function", [lambda: sys.exit(3), _exit_later, lambda: _exit_later()])
async def test_one_that_exits_has_failed_and_ends_nobody(function) -> None:
    with pytest.raises(ConnectionAbortedError, match="SystemExit"):
        await call_function(function)


async def test_one_that_cancels_itself_has_failed_and_its_caller_goes_on() -> None:
    async def cancel() -> None:
        raise asyncio.CancelledError

    for function in (cancel, lambda: cancel()):
        with pytest.raises(ConnectionAbortedError, match="CancelledError"):
            await call_function(function)


async def test_an_answer_that_hangs_when_it_is_read_is_late() -> None:
    class Slow:
        def __float__(self) -> float:
            threading.Event().wait()
            return 1.0

    with pytest.raises(TimeoutError):
        await call_function(Slow, within=SOON, read=float)


def test_who_awaits_nothing_has_the_same_limit() -> None:
    with pytest.raises(TimeoutError):
        call_function_now(threading.Event().wait, within=SOON)
    with pytest.raises(ConnectionAbortedError):
        call_function_now(sys.exit, within=LATE)


async def test_a_function_that_belongs_to_the_callers_thread_stays_there() -> None:
    assert await call_here(threading.get_ident) == threading.get_ident()
    with pytest.raises(ConnectionAbortedError):
        await call_here(sys.exit)


@pytest.mark.parametrize("late", [False, True])
async def test_what_a_function_has_only_begun_for_nobody_is_put_away(late) -> None:
    begun, ask, go_on = [], threading.Event(), threading.Event()

    def begin() -> object:
        begun.append(_finish_later())
        ask.set()
        go_on.wait() if late else None
        return begun[0]

    waiting = asyncio.create_task(call_function(begin))
    await asyncio.to_thread(ask.wait)
    waiting.cancel()
    with suppress(asyncio.CancelledError):
        await waiting
    go_on.set()

    while inspect.getcoroutinestate(begun[0]) != inspect.CORO_CLOSED:  # noqa: ASYNC110 - no event
        await asyncio.sleep(0)


async def test_a_plain_generator_of_an_async_function_does_not_run_on_the_event_loop() -> None:
    def hang():
        yield threading.Event().wait()

    async def answer():
        return hang()

    with pytest.raises(TimeoutError):
        await call_function(answer, within=SOON, read=list)
