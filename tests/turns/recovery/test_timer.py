from __future__ import annotations

import asyncio
import logging
import threading
import time

import pytest

from mulligan.turns.recovery.timer import RecoveryThread, RecoveryTimer


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
    time.sleep(0.1)
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
