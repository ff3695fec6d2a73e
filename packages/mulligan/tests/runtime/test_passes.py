from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

import pytest

from mulligan.runtime.recovery import AbandonableTask, start_part

asked_by: ContextVar[str] = ContextVar("asked_by", default="nobody")


class Work:
    """A pass of two parts, each of which waits between two steps."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.at_work: set[str] = set()
        self.left_for: list[str] = []
        self.begun = asyncio.Event()

    async def run(self) -> int:
        async with asyncio.TaskGroup() as group:
            tasks = [start_part(self._do(name), group=group) for name in "ab"]
        return sum(task.result() for task in tasks)

    async def _do(self, name: str) -> int:
        self.at_work.add(name)
        async with self._borrow(name):
            self.steps.append(f"{name} begins")
            if name == "b":
                self.begun.set()
            await asyncio.sleep(0.01)
            self.steps.append(f"{name} ends")
        return 1

    @asynccontextmanager
    async def _borrow(self, name: str) -> AsyncIterator[None]:
        token = asked_by.set(name)
        try:
            yield
        finally:
            asked_by.reset(token)
            self.at_work.discard(name)
            self.left_for.append(asked_by.get())


async def test_a_pass_comes_to_its_end_with_its_parts() -> None:
    work = Work()

    done = await AbandonableTask().start(work.run())

    assert done == 2
    assert work.steps == ["a begins", "b begins", "a ends", "b ends"]


async def test_the_end_of_a_loop_does_not_cancel_a_pass() -> None:
    work = Work()
    task = AbandonableTask().start(work.run())
    await work.begun.wait()

    others = asyncio.all_tasks() - {asyncio.current_task()}
    done = await task

    assert others == set()
    assert done == 2


async def test_parts_of_no_pass_run_too() -> None:
    assert await Work().run() == 2


async def test_what_a_part_waits_for_is_told_to_it() -> None:
    async def wait() -> str:
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(5)
        except TimeoutError:
            return await asyncio.to_thread(lambda: "late")
        return "early"

    assert await AbandonableTask().start(wait()) == "late"


def begin_and_stop(one: AbandonableTask, work: Work) -> asyncio.AbstractEventLoop:
    """Leave a loop as `run_until_complete` does, with a pass in the middle of it."""
    loop = asyncio.new_event_loop()

    async def begin() -> None:
        one.start(work.run())
        await work.begun.wait()

    loop.run_until_complete(begin())
    return loop


def test_a_pass_that_was_taken_away_makes_no_step_when_its_loop_goes_on() -> None:
    one, work = AbandonableTask(), Work()
    loop = begin_and_stop(one, work)
    held = set(work.at_work)

    one.take_away()
    free = set(work.at_work)
    loop.run_until_complete(asyncio.sleep(0.05))
    left = asyncio.all_tasks(loop)
    loop.close()

    assert (held, free, left) == ({"a", "b"}, set(), set())
    assert work.steps == ["a begins", "b begins"]
    assert work.left_for == ["nobody", "nobody"]


@pytest.mark.parametrize("steps", [0, 1, 2])
async def test_a_pass_is_taken_away_before_its_first_steps(steps: int) -> None:
    one, work = AbandonableTask(), Work()
    task = one.start(work.run())
    for _ in range(steps):
        await asyncio.sleep(0)

    one.take_away()
    await asyncio.wait([task])
    await asyncio.sleep(0.02)
    gc.collect()

    assert task.cancelled()
    assert not [step for step in work.steps if step.endswith("ends")]


def test_nobody_is_warned_of_a_pass_that_went_with_its_loop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    one, work = AbandonableTask(), Work()
    begin_and_stop(one, work).close()

    one.take_away()
    del one
    gc.collect()

    assert work.at_work == set()
    assert caplog.text == ""
