"""Waiting without an event loop, beside one, and on the thread of a host."""

from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import threading
from concurrent.futures import Future

import pytest

from mulligan.process.event_loop import WaitingThread
from mulligan.process.user_functions import call_here
from mulligan.runtime import waiting as waiter
from mulligan.runtime.waiting import LOOP, ON_LOOP, ON_THREAD, run_apart, run_to_end


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


@pytest.fixture
def interruptible():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt():
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def test_who_is_interrupted_stops_what_is_waited_for(interruptible):
    stopped = threading.Event()

    async def work():
        await call_here(int)  # the thread is waiting now
        interrupt()
        try:
            await asyncio.sleep(60)
        finally:
            stopped.set()

    with pytest.raises(KeyboardInterrupt):
        WaitingThread().run_on(LOOP.load(), work())
    assert stopped.wait(60)


def test_an_undo_that_an_interrupt_calls_for_runs_on_its_thread_as_any_other(interruptible):
    seen = []

    async def work():
        await call_here(lambda: seen.append(threading.get_ident()))
        interrupt()
        try:
            await asyncio.sleep(60)
        finally:
            await call_here(lambda: seen.append(threading.get_ident()))

    with pytest.raises(KeyboardInterrupt):
        WaitingThread().run(work)
    assert seen == [threading.get_ident()] * 2


def test_who_is_cancelled_waits_for_what_has_begun_on_the_thread():
    begun, go_on, steps = threading.Event(), threading.Event(), []

    def undo():
        begun.set()
        go_on.wait(60)
        steps.append("undone")

    async def work():
        undoing = asyncio.ensure_future(call_here(undo))
        await asyncio.to_thread(begun.wait, 60)
        undoing.cancel()
        go_on.set()
        await asyncio.wait({undoing})
        steps.append("cancelled" if undoing.cancelled() else "done")

    WaitingThread().run(work)

    assert steps == ["undone", "cancelled"]


def test_what_is_called_once_the_thread_waits_no_longer_runs_where_it_is_called():
    seen, go_on = [], asyncio.Event()

    async def call_later():
        await go_on.wait()
        await call_here(lambda: seen.append(threading.get_ident()))

    async def begin():
        return asyncio.ensure_future(call_later())

    loop = LOOP.load()
    later = WaitingThread().run_on(loop, begin())
    asyncio.run_coroutine_threadsafe(_finish(go_on, later), loop).result(60)

    assert len(seen) == 1
    assert threading.get_ident() not in seen


async def _finish(go_on, later):
    go_on.set()
    await later


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, StopIteration])
def test_what_wants_to_end_a_program_ends_no_loop_that_others_wait_for(raised):
    def fail():
        raise raised

    async def work(here):
        await here.bring(fail)()

    for _ in range(2):
        here = WaitingThread()
        with pytest.raises((raised, RuntimeError)):
            here.run_on(LOOP.load(), work(here))
    assert WaitingThread().run_on(LOOP.load(), asyncio.sleep(0, "well")) == "well"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_fork_has_a_loop_of_its_own():
    LOOP.load()
    child = os.fork()
    if child == 0:
        done = WaitingThread().run_on(LOOP.load(), asyncio.sleep(0, "well"))
        os._exit(0 if done == "well" else 1)

    assert os.waitpid(child, 0)[1] == 0
