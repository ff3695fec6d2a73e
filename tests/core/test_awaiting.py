from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar
from functools import partial

import pytest

from mulligan.core.awaiting import await_value, call_aside, call_function, is_async


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


@pytest.mark.parametrize("error", [ValueError, StopIteration, KeyError])
async def test_what_it_raises_comes_through(error: type[Exception]) -> None:
    def fail() -> None:
        raise error("x")

    with pytest.raises(RuntimeError if error is StopIteration else error):
        await call_function(fail)


async def test_one_that_hangs_holds_nobody_up() -> None:
    go_on = threading.Event()
    hanging = asyncio.create_task(call_aside(go_on.wait))

    assert await call_function(lambda: "meanwhile") == "meanwhile"

    hanging.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await hanging
