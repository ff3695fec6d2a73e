from __future__ import annotations

import asyncio
import threading
import time
from contextvars import ContextVar
from functools import partial

import pytest

from mulligan.process.event_loop import (
    await_value,
    call_aside,
    call_function,
    is_async,
    takes_arguments,
)


async def later() -> str:
    return "an answer"


async def test_a_readers_answer_is_waited_for_where_it_must_be() -> None:
    assert await await_value("an answer") == "an answer"
    assert await await_value(later()) == "an answer"


def test_what_only_begins_something_is_told_from_what_does_it() -> None:
    class Begins:
        async def __call__(self) -> None: ...

    assert all(is_async(each) for each in (later, Begins(), partial(later)))
    assert not is_async(len)


async def test_a_plain_function_runs_beside_the_loop_in_the_same_context() -> None:
    told: ContextVar[str] = ContextVar("told")
    told.set("this")

    def look() -> tuple[str, bool]:
        return told.get(), threading.current_thread() is threading.main_thread()

    assert await call_function(look) == ("this", False)
    assert await call_function(later) == "an answer"
    assert await call_function(lambda: later()) == "an answer"


@pytest.mark.parametrize("error", [ValueError, KeyError])
async def test_what_it_raises_comes_through(error: type[Exception]) -> None:
    def fail() -> None:
        raise error("x")

    with pytest.raises(error):
        await call_function(fail)


@pytest.mark.parametrize("error", [StopIteration, SystemExit, KeyboardInterrupt])
async def test_what_would_end_whoever_waits_is_an_error_like_others(
    error: type[BaseException],
) -> None:
    def fail() -> None:
        raise error("x")

    with pytest.raises((RuntimeError, ConnectionAbortedError), match=error.__name__):
        await call_function(fail)


async def test_what_keeps_the_loop_for_itself_is_named(caplog, monkeypatch) -> None:
    monkeypatch.setattr("mulligan.process.event_loop.HELD_UP", 0.02)

    async def block() -> str:
        await asyncio.sleep(0)
        time.sleep(0.03)  # noqa: ASYNC251 - that is what it is about
        return "an answer"

    assert await call_function(block) == "an answer"
    assert "block held up the event loop for " in caplog.text


async def test_what_waits_long_but_lets_others_go_on_is_not(caplog, monkeypatch) -> None:
    monkeypatch.setattr("mulligan.process.event_loop.HELD_UP", 0.3)

    async def wait() -> str:
        await asyncio.sleep(0.4)
        return "an answer"

    assert await call_function(wait) == "an answer"
    assert caplog.text == ""


async def test_what_is_watched_can_be_cancelled_and_raises_as_ever() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("closed")

    watched = asyncio.create_task(call_function(work))
    await asyncio.sleep(0)
    watched.cancel()

    with pytest.raises(asyncio.CancelledError):
        await watched
    assert ended == ["closed"]


def test_whether_a_function_takes_what_it_is_given_is_known_before() -> None:
    assert takes_arguments(lambda one: one, 1)
    assert takes_arguments(print, 1)
    assert not takes_arguments(lambda: None, 1)
    assert not takes_arguments(lambda one, two: one, 1)


async def test_one_that_hangs_holds_nobody_up() -> None:
    go_on = threading.Event()
    hanging = asyncio.create_task(call_aside(go_on.wait))

    assert await call_function(lambda: "meanwhile") == "meanwhile"

    hanging.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await hanging
