from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future

import pytest

from mulligan.runtime import waiting as waiter
from mulligan.runtime.waiting import ON_LOOP, ON_THREAD, run_apart, run_to_end


async def test_a_caller_that_is_cancelled_takes_no_entry_back() -> None:
    written: Future[None] = Future()
    written.set_running_or_notify_cancel()
    waiting = asyncio.ensure_future(ON_LOOP.wait(written))
    await asyncio.sleep(0)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert not written.cancelled()
    written.set_result(None)


def test_a_sync_tool_waits_on_its_own_thread() -> None:
    written: Future[None] = Future()
    threading.Timer(0.01, written.set_result, [None]).start()

    run_to_end(ON_THREAD.wait(written))

    assert written.done()


def test_an_answer_is_waited_for_no_longer_than_it_is_good_to_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    never = threading.Event()
    monkeypatch.setattr(waiter, "TIMEOUT", 0.01)

    with pytest.raises(TimeoutError):
        run_to_end(ON_THREAD.ask(never.wait))
    never.set()

    assert run_to_end(ON_THREAD.ask(lambda: 7)) == 7


def test_a_sync_tool_that_would_wait_for_a_loop_is_told_so() -> None:
    with pytest.raises(RuntimeError, match="waits for an event loop"):
        run_to_end(ON_LOOP.sleep(0))


async def test_what_takes_a_while_is_done_beside_a_loop_and_here_where_there_is_none() -> None:
    here = threading.get_ident()

    beside = await ON_LOOP.aside(threading.get_ident)
    on_thread = run_to_end(ON_THREAD.aside(threading.get_ident))

    assert beside != here
    assert on_thread == here


def test_a_coroutine_can_be_run_beside_a_loop_that_runs_here() -> None:
    async def count() -> int:
        await asyncio.sleep(0)
        return 3

    async def call_from_a_loop() -> int:
        return run_apart(count())

    assert run_apart(count()) == 3
    assert asyncio.run(call_from_a_loop()) == 3


def test_what_is_raised_beside_is_raised_here() -> None:
    async def fail() -> None:
        raise OSError("no")

    async def call_from_a_loop() -> None:
        run_apart(fail())

    with pytest.raises(OSError, match="no"):
        asyncio.run(call_from_a_loop())
    with pytest.raises(OSError, match="no"):
        run_apart(fail())
