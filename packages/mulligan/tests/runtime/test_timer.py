"""What runs beside the calls: passes, the thread of a program, leases, and news of a store."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import timedelta
from itertools import pairwise

import pytest

from mulligan import Effect, Mulligan
from mulligan.runtime.recovery import AbandonableTask, start_part
from mulligan.runtime.timer import LeaseRenewer, News, RecoveryThread, RecoveryTimer
from mulligan.types.action import Action
from mulligan.types.call import Record


class Passes:
    """Counts passes, and fails the first of them."""

    def __init__(self, *, failing: int = 0) -> None:
        self.made = 0
        self.only: list[Collection[str] | None] = []
        self.failing = failing
        self.again = asyncio.Event()

    async def run(self, only: Collection[str] | None = None) -> None:
        self.made += 1
        self.only.append(only)
        self.again.set()
        if self.made <= self.failing:
            raise OSError("s3cret")

    async def wait(self) -> None:
        await asyncio.wait_for(self.again.wait(), 60)
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


async def test_before_everything_is_due_again_only_what_was_left_is_looked_at() -> None:
    passes = Passes()
    keeping = RecoveryTimer(passes, every=3_600)

    keeping.start()
    await passes.wait()
    await asyncio.sleep(0)
    keeping.wake(["a1", "a2"])
    await passes.wait()
    await asyncio.sleep(0)
    keeping.wake()
    await passes.wait()
    await keeping.stop()

    assert passes.only == [None, {"a1", "a2"}, None]


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

    async def run(self, only: Collection[str] | None = None) -> int:
        self.threads.append(threading.current_thread().name)
        self.made.release()
        return 0


def test_a_keeper_runs_passes_without_a_loop_and_at_once_when_somebody_left_something() -> None:
    passes = Counted()
    keeper = RecoveryThread(RecoveryTimer(passes, every=3_600))

    keeper.start()
    keeper.start()
    first = passes.made.acquire(timeout=60)
    keeper.wake()
    second = passes.made.acquire(timeout=60)
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
    made = [await asyncio.to_thread(passes.made.acquire, timeout=60) for _ in range(5)]
    await asyncio.to_thread(keeper.close)
    await timer.stop()

    assert made == [True] * 5
    assert "mulligan-recovery" not in passes.threads


def find_threads(name: str, *, but: set[threading.Thread]) -> list[threading.Thread]:
    """Those of a name that have come since: what other tests left may start and end meanwhile."""
    return [each for each in {*threading.enumerate()} - but if each.name == name]


def test_a_keeper_ends_with_the_application_that_it_looks_after() -> None:
    passes = Counted()
    keeper = RecoveryThread(RecoveryTimer(passes, every=0.01))
    before = set(threading.enumerate())
    keeper.start()
    [thread] = find_threads("mulligan-recovery", but=before)
    passes.made.acquire(timeout=60)

    del passes

    thread.join(60)
    assert not thread.is_alive()


class Halting(Counted):
    """Stops in the middle of every pass that runs on an application's loop."""

    async def run(self, only: Collection[str] | None = None) -> int:
        await super().run(only)
        if threading.current_thread() is threading.main_thread():
            await asyncio.sleep(3_600)
        return 0


async def test_the_thread_goes_on_at_once_when_a_loop_has_ended() -> None:
    passes = Halting()
    timer = RecoveryTimer(passes, every=3_600)
    thread = RecoveryThread(timer)
    thread.start()
    passes.made.acquire(timeout=60)

    async def answer() -> None:
        timer.start()
        await asyncio.to_thread(passes.made.acquire, timeout=60)

    await asyncio.to_thread(asyncio.run, answer())
    went_on = await asyncio.to_thread(passes.made.acquire, timeout=60)
    await asyncio.to_thread(thread.close)

    on_a_thread = [name == "mulligan-recovery" for name in passes.threads]
    assert went_on
    assert on_a_thread == [True, False, True]


def leave_standing(timer: RecoveryTimer, passes: Counted) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()

    async def begin() -> None:
        timer.start()
        assert await asyncio.to_thread(passes.made.acquire, timeout=60)

    loop.run_until_complete(begin())
    return loop


def test_a_loop_that_was_closed_or_is_another_s_is_waited_for_no_more() -> None:
    passes = Halting()
    timer = RecoveryTimer(passes)

    leave_standing(timer, passes).close()
    closed = timer.take_over()
    first, second = leave_standing(timer, passes), leave_standing(timer, passes)
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
        await asyncio.to_thread(self.begun.wait, 60)

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


@pytest.mark.full
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


asked_by: ContextVar[str] = ContextVar("asked_by", default="nobody")


class Work:
    """A pass of two parts, each of which waits between two steps."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.at_work: set[str] = set()
        self.left_for: list[str] = []
        self.begun = asyncio.Event()

    async def run(self, only: Collection[str] | None = None) -> int:
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


async def test_a_pass_comes_to_its_end_with_its_parts_and_no_loop_cancels_it() -> None:
    work = Work()
    task = AbandonableTask().start(work.run())
    await work.begun.wait()

    others = asyncio.all_tasks() - {asyncio.current_task()}
    done = await task

    assert others == set()
    assert done == await Work().run() == 2
    assert work.steps == ["a begins", "b begins", "a ends", "b ends"]


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


@pytest.mark.full
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
    # By asyncio, of a task that was destroyed: applications of other tests may log meanwhile.
    assert [each.getMessage() for each in caplog.records if each.name == "asyncio"] == []


def test_a_lease_is_renewed_until_that_is_stopped_whatever_the_store_says(caplog) -> None:
    before, beats, thrice = set(threading.enumerate()), [], threading.Event()

    def beat() -> None:
        beats.append(1)
        if len(beats) == 3:
            thrice.set()
        raise OSError("no store")

    renewer = LeaseRenewer(beat, lease=timedelta(milliseconds=3))

    renewer.start()
    renewer.start()
    came, [thread] = thrice.wait(60), find_threads("mulligan-lease", but=before)
    renewer.stop()
    thread.join(60)
    renewer.start()

    assert came
    assert "No sign of life" in caplog.text
    assert find_threads("mulligan-lease", but=before) == []


def test_an_operator_who_cannot_be_heard_is_no_missing_sign_of_life(caplog) -> None:
    asked = threading.Event()

    def obey() -> None:
        if caplog.records:
            asked.set()
        raise OSError("no table")

    renewer = LeaseRenewer(lambda: None, lease=timedelta(milliseconds=3), obey=obey)
    renewer.start()
    came = asked.wait(60)
    renewer.stop()

    assert came
    assert "No sign of life" not in caplog.text
    assert "no table" in caplog.text


def test_a_slow_beat_does_not_make_the_next_one_late() -> None:
    beats: list[float] = []

    def beat() -> None:
        beats.append(time.monotonic())
        time.sleep(0.08)

    renewer = LeaseRenewer(beat, lease=timedelta(seconds=0.3))
    renewer.start()
    end = time.monotonic() + 10
    while len(beats) < 8 and time.monotonic() < end:
        time.sleep(0.02)
    renewer.stop()

    gaps = [later - before for before, later in pairwise(beats)]
    # One after the other they would be 0.18 s apart; a busy machine makes none come sooner.
    assert min(gaps) < 0.15


class Telling:
    """A store that can be listened to."""

    def __init__(self) -> None:
        self.listeners: list[object] = []
        self.ended = 0

    def listen(self, on_news):
        self.listeners.append(on_news)
        return self.end

    def end(self) -> None:
        self.ended += 1


def test_it_listens_once_until_it_is_stopped_where_there_is_something_to_hear() -> None:
    store = Telling()
    news = News(store, wake=print)

    news.start()
    news.start()
    news.stop()
    news.stop()

    deaf = News(object(), wake=print)
    deaf.start()
    deaf.stop()
    assert (store.listeners, store.ended) == ([print], 1)


def test_a_child_of_a_fork_listens_for_itself(monkeypatch) -> None:
    store = Telling()
    news = News(store, wake=print)
    news.start()

    monkeypatch.setattr(os, "getpid", lambda: -1)
    news.start()

    assert store.listeners == [print, print]
