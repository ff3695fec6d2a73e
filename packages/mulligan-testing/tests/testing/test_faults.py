"""The fault kit must do what it says at the point it says, and nothing elsewhere."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from mulligan.process.fault_points import Point, checkpoint
from mulligan_testing.faults import (
    Deed,
    Faults,
    PlannedError,
    Strike,
    cancel_when_hung,
    let_go_on,
    wait_until_paused,
)


async def program() -> str:
    for point in (Point.SNAPSHOT_TAKEN, Point.INTENDED, Point.CALLED, Point.INTENDED):
        await checkpoint(point)
    return "done"


async def test_a_dry_run_counts_the_points_and_disturbs_nothing() -> None:
    with Faults() as seen:
        done = await program()

    assert done == "done"
    assert seen.path == ["snapshot_taken", "intended", "called", "intended"]
    await checkpoint(Point.CALLED)
    assert seen.hits == 4


@pytest.mark.parametrize(
    ("strike", "path"),
    [
        (Strike(deed=Deed.RAISE, hit=3), 3),
        (Strike(deed=Deed.RAISE, point=Point.INTENDED), 2),
        (Strike(deed=Deed.RAISE, point=Point.INTENDED, hit=2), 4),
    ],
)
async def test_it_strikes_at_the_hit_it_was_told(strike: Strike, path: int) -> None:
    with Faults(strike) as struck, pytest.raises(PlannedError):
        await program()

    assert struck.hits == path


async def test_an_edit_lets_the_program_go_on() -> None:
    edits: list[int] = []

    with Faults(Strike(deed=Deed.EDIT, hit=2), edit=lambda: edits.append(1)) as seen:
        done = await program()

    assert (done, edits, seen.hits) == ("done", [1], 4)


async def test_a_cancellation_comes_from_inside_and_a_hang_ends_from_outside() -> None:
    for deed in (Deed.CANCEL, Deed.HANG):
        faults = Faults(Strike(deed=deed, point=Point.CALLED))
        with faults:
            ended = await cancel_when_hung(program(), faults)

        assert isinstance(ended, asyncio.CancelledError)
        assert faults.hits == 3


async def test_what_does_not_hang_comes_to_its_end() -> None:
    faults = Faults()

    assert await cancel_when_hung(program(), faults) is None


async def test_a_kill_is_the_real_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))

    with Faults(Strike(deed=Deed.KILL, hit=1)):
        await program()

    assert sent == [(os.getpid(), signal.SIGKILL)]


PAUSED = """
import asyncio
from mulligan.process.fault_points import Point, checkpoint
from mulligan_testing.faults import Deed, Faults, Strike
async def main():
    with Faults(*(Strike(deed=Deed.PAUSE, hit=1) for _ in range({pauses}))):
        await checkpoint(Point.CALLED)
asyncio.run(main())
"""


@pytest.mark.parametrize("pauses", [0, 1])
def test_a_paused_process_stands_still_until_it_is_told_to_go_on(pauses: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", PAUSED.format(pauses=pauses)])

    paused = wait_until_paused(child.pid)
    if paused:
        let_go_on(child.pid)

    assert paused is bool(pauses)
    assert child.wait(30) == 0
