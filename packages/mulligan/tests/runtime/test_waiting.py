"""Waiting without an event loop, beside one, and on the thread of a host."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from concurrent.futures import Future

import pytest

from mulligan.runtime import waiting as waiter
from mulligan.runtime.waiting import LOOP, ON_LOOP, ON_THREAD, WaitingThread, run_apart, run_to_end


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


def test_an_answer_is_waited_for_no_longer_than_it_is_good_to_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    never = threading.Event()
    monkeypatch.setattr(waiter, "TIMEOUT", 0.01)

    with pytest.raises(TimeoutError):
        run_to_end(ON_THREAD.ask(never.wait))
    never.set()

    assert run_to_end(ON_THREAD.ask(lambda: 7)) == 7


def test_a_coroutine_can_be_run_beside_a_loop_that_runs_here() -> None:
    async def count() -> int:
        await asyncio.sleep(0)
        return 3

    async def call_from_a_loop() -> int:
        return run_apart(count())

    async def fail() -> None:
        raise OSError("no")

    assert run_apart(count()) == 3
    assert asyncio.run(call_from_a_loop()) == 3
    with pytest.raises(OSError, match="no"):
        run_apart(fail())


NAME = contextvars.ContextVar("name", default="nobody")


def test_what_is_brought_runs_on_the_thread_that_waits_in_its_context():
    NAME.set("Ann")
    here, seen = WaitingThread(), []

    def note(word):
        seen.append((word, threading.get_ident(), NAME.get()))
        return word.upper()

    async def work():
        NAME.set("Bea")
        return await here.bring(note)("yes")

    assert here.run_on(LOOP.load(), work()) == "YES"
    assert seen == [("yes", threading.get_ident(), "Bea")]


def test_who_is_interrupted_stops_what_is_waited_for():
    here, stopped = WaitingThread(), threading.Event()

    def interrupt():
        raise KeyboardInterrupt

    async def work():
        here._jobs.put(interrupt)
        try:
            await asyncio.sleep(60)
        finally:
            stopped.set()

    with pytest.raises(KeyboardInterrupt):
        here.run_on(LOOP.load(), work())
    assert stopped.wait(60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_fork_has_a_loop_of_its_own():
    LOOP.load()
    child = os.fork()
    if child == 0:
        done = WaitingThread().run_on(LOOP.load(), asyncio.sleep(0, "well"))
        os._exit(0 if done == "well" else 1)

    assert os.waitpid(child, 0)[1] == 0
