"""A loop of our own ends with what somebody waits for, whatever else does not."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from contextlib import suppress
from datetime import timedelta

import pytest

from mulligan.process.event_loop import run_on_own_loop, run_with_timeout

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

    assert time.monotonic() - began < 5
    assert "1 tasks went on though their time was up" in caplog.text


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

    assert time.monotonic() - began < 5


def test_what_such_work_has_begun_holds_nobody_up_either(caplog) -> None:
    async def begin_another() -> None:
        another = asyncio.create_task(resist())
        await another

    assert run_on_own_loop(give_up(begin_another())) == "an answer"

    assert "tasks went on" in caplog.text


def test_a_thread_that_hangs_behind_such_work_holds_nobody_up() -> None:
    go_on = threading.Event()
    began = time.monotonic()

    assert run_on_own_loop(give_up(asyncio.to_thread(go_on.wait, 60))) == "an answer"

    assert time.monotonic() - began < 5
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

    assert (ended, caplog.text) == (["closed"], "")


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


def test_what_is_raised_comes_through_from_the_loop_and_from_its_threads() -> None:
    def fail() -> None:
        raise KeyError("x")

    async def fail_aside() -> None:
        await asyncio.to_thread(fail)

    with pytest.raises(KeyError):
        run_on_own_loop(fail_aside())
