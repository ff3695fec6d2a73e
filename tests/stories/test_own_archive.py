"""The example of an archive of one's own keeps the contract, and works in the loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.own_archive import ShelfArchive
from mulligan.loops.learning import Learning
from mulligan.loops.tasks import run_task
from mulligan.types.notes import Refinement
from mulligan.types.task import Reflect, Task
from mulligan_testing.fakes import FixedClock
from mulligan_testing.store_contract import ArchiveContract


class TestShelf(ArchiveContract):
    @pytest.fixture
    def archive(self, tmp_path: Path) -> ShelfArchive:
        return ShelfArchive(tmp_path / "notes")


async def test_a_task_learns_in_it(tmp_path: Path) -> None:
    def learning() -> Learning:
        return Learning(
            archive=ShelfArchive(tmp_path / "notes"),
            clock=FixedClock(),
            announce=lambda _event: None,
            scrub=str,
        )

    settings = Reflect(gate="accept", strategy=lambda _: Refinement(description="Add up first."))
    task = Task(description="Write the report.", reflect=settings)

    async def work(prompt: str) -> str:
        return "a report"

    await run_task(task, work, using=learning())
    second = await run_task(task, work, using=learning())

    assert second.version == 1
    assert "> Add up first." in second.prompt
