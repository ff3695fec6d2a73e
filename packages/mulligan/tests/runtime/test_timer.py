from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time

import pytest

from mulligan import Effect, Mulligan
from mulligan.runtime.timer import RecoveryThread, RecoveryTimer
from mulligan.types.action import Action
from mulligan.types.call import Record


class Passes:
    """Counts passes, and fails the first of them."""

    def __init__(self, *, failing: int = 0) -> None:
        self.made = 0
        self.failing = failing
        self.again = asyncio.Event()

    async def run(self) -> None:
        self.made += 1
        self.again.set()
        if self.made <= self.failing:
            raise OSError("s3cret")

    async def wait(self) -> None:
        await asyncio.wait_for(self.again.wait(), 5)
        self.again.clear()


async def test_a_pass_runs_at_once_and_again_when_somebody_left_something() -> None:
    passes = Passes()
    keeping = RecoveryTimer(passes, every=3_600)

    keeping.start()
    keeping.start()
    await passes.wait()
    await asyncio.sleep(0)
    keeping.wake()
    await passes.wait()
    await keeping.stop()
    keeping.wake()

    assert (passes.made, keeping.tally.made, keeping.tally.failed) == (2, 2, 0)
    assert "mulligan-recovery" not in {task.get_name() for task in asyncio.all_tasks()}


async def test_a_store_that_is_down_stands_in_nobodys_way(caplog: pytest.LogCaptureFixture) -> None:
    passes = Passes(failing=1)
    keeping = RecoveryTimer(passes, every=0.001)

    with caplog.at_level(logging.WARNING, "mulligan"):
        keeping.start()
        await passes.wait()
        await passes.wait()
        await keeping.stop()

    assert "could not be looked at (OSError)" in caplog.text
    assert "s3cret" not in caplog.text


class Counted:
    """Counts passes, on whichever thread they run."""

    def __init__(self) -> None:
        self.threads: list[str] = []
        self.made = threading.Semaphore(0)

    async def run(self) -> int:
        self.threads.append(threading.current_thread().name)
        self.made.release()
        return 0


def test_a_keeper_runs_passes_without_a_loop_and_at_once_when_somebody_left_something() -> None:
    passes = Counted()
    keeper = RecoveryThread(RecoveryTimer(passes, every=3_600))

    keeper.start()
    keeper.start()
    first = passes.made.acquire(timeout=5)
    keeper.wake()
    second = passes.made.acquire(timeout=5)
    keeper.close()
    keeper.start()

    assert (first, second) == (True, True)
    assert passes.threads == ["mulligan-recovery"] * 2


async def test_a_keeper_leaves_the_passes_to_a_loop_that_runs_them() -> None:
    passes = Counted()
    timer = RecoveryTimer(passes, every=0.01)
    keeper = RecoveryThread(timer)

    timer.start()
    keeper.start()
    await asyncio.sleep(0.2)
    await asyncio.to_thread(keeper.close)
    await timer.stop()

    assert "mulligan-recovery" not in passes.threads
    assert len(passes.threads) > 1


def test_a_keeper_ends_with_the_application_that_it_looks_after() -> None:
    passes = Counted()
    keeper = RecoveryThread(RecoveryTimer(passes, every=0.01))
    before = set(threading.enumerate())
    keeper.start()
    (thread,) = set(threading.enumerate()) - before
    passes.made.acquire(timeout=5)

    del passes

    thread.join(5)
    assert not thread.is_alive()


class Halting(Counted):
    """Stops in the middle of every pass that runs on an application's loop."""

    async def run(self) -> int:
        await super().run()
        if threading.current_thread() is threading.main_thread():
            await asyncio.sleep(3_600)
        return 0


async def test_the_thread_goes_on_at_once_when_a_loop_has_ended() -> None:
    passes = Halting()
    timer = RecoveryTimer(passes, every=3_600)
    thread = RecoveryThread(timer)
    thread.start()
    passes.made.acquire(timeout=5)

    async def answer() -> None:
        timer.start()
        await asyncio.to_thread(passes.made.acquire, timeout=5)

    await asyncio.to_thread(asyncio.run, answer())
    went_on = await asyncio.to_thread(passes.made.acquire, timeout=5)
    await asyncio.to_thread(thread.close)

    on_a_thread = [name == "mulligan-recovery" for name in passes.threads]
    assert went_on
    assert on_a_thread == [True, False, True]


def leave_standing(timer: RecoveryTimer) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()

    async def begin() -> None:
        timer.start()
        await asyncio.sleep(0.01)

    loop.run_until_complete(begin())
    return loop


def test_a_loop_that_stands_still_may_go_on_for_a_while() -> None:
    passes = Halting()
    timer = RecoveryTimer(passes, still=0.2)
    loop = leave_standing(timer)

    at_first = timer.take_over()
    time.sleep(0.3)
    later = timer.take_over()
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()

    assert (at_first, later) == (False, True)


def test_a_loop_that_was_closed_or_is_another_s_is_waited_for_no_more() -> None:
    passes = Halting()
    timer = RecoveryTimer(passes)

    leave_standing(timer).close()
    closed = timer.take_over()
    first, second = leave_standing(timer), leave_standing(timer)
    for loop in (first, second):
        loop.close()
    timer.stop_waiting()

    assert closed
    assert len(passes.threads) == 3


class Diary:
    """A day that is moved wrongly, and whose undo takes as long as a loop may not live."""

    def __init__(self, *, lasts: float = 0.1) -> None:
        self.day, self.undone, self.lasts = 18, 0, lasts
        self.begun = threading.Event()
        self.m = Mulligan("memory:")
        undo = self._undo

        @self.m.tool(effect=Effect.REVERSIBLE, before=lambda _: self.day, undo=undo)
        async def move(day: int) -> str:
            self.day = day
            return "moved"

        self.m.check("move")(lambda call: "Friday is the 20th." if call else None)
        self.move = move

    async def _undo(self, record: Record) -> None:
        self.begun.set()
        await asyncio.sleep(self.lasts)
        self.day, self.undone = record.before, self.undone + 1

    async def answer(self) -> None:
        """A request that fails after its call, and ends in the middle of the undo."""
        with pytest.raises(ConnectionError):
            await self._fail()
        await asyncio.to_thread(self.begun.wait, 5)

    def wait_for(self, state: str) -> Action:
        while not (found := self.m.insights.open_list.actions()) or found[0].state != state:
            time.sleep(0.01)
        return found[0]

    async def _fail(self) -> None:
        async with self.m.turn("Move it to Friday"):
            await self.move(21)
            raise ConnectionError


def list_warned_by_loops(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Of tasks that nobody waits for. What applications of other tests say is not theirs."""
    return [each.getMessage() for each in caplog.records if each.name == "asyncio"]


def test_an_undo_comes_to_its_end_before_the_loop_of_one_request_does(
    caplog: pytest.LogCaptureFixture,
) -> None:
    diary = Diary()

    asyncio.run(diary.answer())
    left = diary.m.insights.open_list.actions()
    diary.m.close()

    assert (diary.day, diary.undone, left) == (18, 1, [])
    assert list_warned_by_loops(caplog) == []


def test_what_a_loop_leaves_half_undone_is_put_before_a_person_and_nobody_is_warned(
    caplog: pytest.LogCaptureFixture,
) -> None:
    diary = Diary(lasts=60)

    loop = asyncio.new_event_loop()
    loop.run_until_complete(diary.answer())
    loop.close()
    left = diary.wait_for("undo_failed")
    gc.collect()
    diary.m.close()

    assert "An undo was sent before" in str(left.detail["why"])
    assert (diary.day, diary.undone) == (21, 0)
    assert list_warned_by_loops(caplog) == []
