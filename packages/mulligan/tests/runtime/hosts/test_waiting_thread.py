from __future__ import annotations

import asyncio
import contextvars
import os
import threading

import pytest

from mulligan.runtime.waiting import LOOP, WaitingThread

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


def test_the_loop_goes_on_from_one_wait_to_the_next():
    async def find_loop():
        return asyncio.get_running_loop()

    first, second = (WaitingThread().run_on(LOOP.load(), find_loop()) for _ in range(2))

    assert first is second


def test_an_error_of_either_side_comes_to_who_waits():
    here = WaitingThread()

    def fail():
        raise ValueError("here")

    with pytest.raises(ValueError, match="here"):
        here.run_on(LOOP.load(), here.bring(fail)())


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
    assert stopped.wait(5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_a_fork_has_a_loop_of_its_own():
    LOOP.load()
    child = os.fork()
    if child == 0:
        done = WaitingThread().run_on(LOOP.load(), asyncio.sleep(0, "well"))
        os._exit(0 if done == "well" else 1)

    assert os.waitpid(child, 0)[1] == 0
