from __future__ import annotations

import asyncio
import logging
import threading
import time
from datetime import timedelta

import pytest

from mulligan.turns.recovery.timer import Heart, Keeper, RecoveryTimer


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

    assert passes.made == 2
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


def find_hearts(*, but: set[threading.Thread]) -> list[threading.Thread]:
    others = set(threading.enumerate()) - but
    return [each for each in others if each.name == "mulligan-heart"]


def test_a_heart_beats_until_it_is_stopped_whatever_the_store_says() -> None:
    before, beats, thrice = set(threading.enumerate()), [], threading.Event()

    def beat() -> None:
        beats.append(1)
        if len(beats) == 3:
            thrice.set()
        raise OSError("no store")

    heart = Heart(beat, lease=timedelta(milliseconds=3))

    heart.start()
    heart.start()
    came, [thread] = thrice.wait(5), find_hearts(but=before)
    heart.stop()
    thread.join(5)
    heart.start()

    assert came
    assert find_hearts(but=before) == []


def test_a_heart_beats_three_times_in_a_lease_and_is_silent_once_stopped() -> None:
    beats: list[float] = []
    enough = threading.Event()

    def beat() -> None:
        beats.append(time.monotonic())
        if len(beats) >= 6:
            enough.set()

    heart = Heart(beat, lease=timedelta(seconds=0.5))
    began = time.monotonic()
    heart.start()
    in_time = enough.wait(10)
    heart.stop()
    took = beats[5] - began
    time.sleep(0.4)
    left = len(beats)
    time.sleep(0.4)

    assert in_time
    assert 0.95 <= took < 3
    assert len(beats) == left


def test_a_slow_beat_does_not_make_the_next_one_late() -> None:
    beats: list[float] = []

    def beat() -> None:
        beats.append(time.monotonic())
        time.sleep(0.08)

    heart = Heart(beat, lease=timedelta(seconds=0.3))
    heart.start()
    time.sleep(1.05)
    heart.stop()

    assert len(beats) >= 8


def test_a_beat_that_fails_is_not_the_last(caplog) -> None:
    beats: list[int] = []

    def beat() -> None:
        beats.append(1)
        raise RuntimeError("the store is away")

    heart = Heart(beat, lease=timedelta(seconds=0.15))
    heart.start()
    time.sleep(0.4)
    heart.stop()

    assert len(beats) > 2
    assert "No sign of life" in caplog.text


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
    keeper = Keeper(RecoveryTimer(passes, every=3_600))

    keeper.start()
    keeper.start()
    first = passes.made.acquire(timeout=5)
    time.sleep(0.1)
    keeper.wake()
    second = passes.made.acquire(timeout=5)
    keeper.close()
    keeper.start()

    assert (first, second) == (True, True)
    assert passes.threads == ["mulligan-keeper"] * 2


async def test_a_keeper_leaves_the_passes_to_a_loop_that_runs_them() -> None:
    passes = Counted()
    timer = RecoveryTimer(passes, every=0.01)
    keeper = Keeper(timer)

    timer.start()
    keeper.start()
    await asyncio.sleep(0.2)
    await asyncio.to_thread(keeper.close)
    await timer.stop()

    assert "mulligan-keeper" not in passes.threads
    assert len(passes.threads) > 1


def test_a_keeper_ends_with_the_application_that_it_looks_after() -> None:
    passes = Counted()
    keeper = Keeper(RecoveryTimer(passes, every=0.01))
    before = set(threading.enumerate())
    keeper.start()
    (thread,) = set(threading.enumerate()) - before
    passes.made.acquire(timeout=5)

    del passes

    thread.join(5)
    assert not thread.is_alive()
