"""A store whose tasks are remembered elsewhere."""

from __future__ import annotations

import pytest

from mulligan import Mulligan
from mulligan.stores.opening import open_store
from mulligan.types.errors import ConfigurationError
from mulligan.types.notes import Refinement
from mulligan.types.task import Reflect, Task

TASK = Task(
    id="orders",
    description="Summarise the orders.",
    reflect=Reflect(gate="accept", strategy=lambda _: Refinement(description="Add up first.")),
)


async def work(prompt: str) -> str:
    return "Total: 12"


async def test_what_is_learned_goes_to_the_archive_that_was_given():
    archive = open_store("memory:").archive

    async with Mulligan("memory:", archive=archive) as m:
        await m.run_task(TASK, work)
        listed = [task.ground.task for task in m.insights.task_list.list_tasks()]

    assert [notes.version for notes in archive.list_versions("orders")] == [1, 0]
    assert listed == ["orders"]


def test_what_is_no_archive_is_refused_with_what_it_lacks():
    with pytest.raises(ConfigurationError, match="has no append, list_versions"):
        Mulligan("memory:", archive={})


async def test_a_thumb_is_the_score_of_a_run():
    archive = open_store("memory:").archive

    async with Mulligan("memory:", archive=archive) as m:
        done = await m.run_task(TASK, work)
        m.rate(done.id, up=False, note="no currency")

    [ground] = archive.list_grounds()
    [card] = [card for card in archive.list_scorecards(ground) if card.scored]
    assert (done.score, card.scored, card.score) == (None, 1, 0.0)
