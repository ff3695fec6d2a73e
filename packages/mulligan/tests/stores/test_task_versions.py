"""Versions of tasks beside other processes, and in an archive of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mulligan import Mulligan
from mulligan.stores.opening import open_store
from mulligan.stores.relational import task_versions
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import Store
from mulligan.types.notes import Refinement
from mulligan.types.task import Reflect, Task
from mulligan_testing.store_contract.task_versions import GROUND, make_task_run
from tests.stores.beside import Interruption


@pytest.fixture
def stores(postgres_url: str) -> Iterator[tuple[Store, Store]]:
    pair = open_store(postgres_url), open_store(postgres_url)
    yield pair
    for store in pair:
        store.close()


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> Interruption:
    return Interruption(monkeypatch, postgres_url)


def test_a_run_that_two_rate_at_once_is_scored_once(stores, meanwhile) -> None:
    one, other = (store.task_versions for store in stores)
    one.count(GROUND, run=make_task_run(score=None, id="run"))
    meanwhile.after(task_versions, "fetch_one", lambda: other.rate("run", score=1.0, tenant="home"))

    assert one.rate("run", score=0.5, tenant="home")

    assert meanwhile.finish() == [True]
    [card] = one.list_scorecards(GROUND)
    assert (card.scored, card.score, card.squares) == (1, 1.0, 1.0)


def test_a_task_is_cleared_beside_a_process_that_runs_it(stores, meanwhile) -> None:
    one, other = (store.task_versions for store in stores)
    one.count(GROUND, run=make_task_run())
    meanwhile.after(task_versions, "_see", lambda: one.clear(GROUND.task, tenant=GROUND.tenant))

    other.count(GROUND, run=make_task_run())

    meanwhile.finish()
    assert one.list_grounds() == []
    assert one.list_scorecards(GROUND) == []


TASK = Task(
    id="orders",
    description="Summarise the orders.",
    reflect=Reflect(gate="accept", strategy=lambda _: Refinement(description="Add up first.")),
)


async def work(prompt: str) -> str:
    return "Total: 12"


async def test_what_is_learned_goes_to_the_archive_that_was_given():
    task_versions = open_store("memory:").task_versions

    async with Mulligan("memory:", task_versions=task_versions) as m:
        await m.run_task(TASK, work)
        listed = [task.ground.task for task in m.insights.task_list.list_tasks()]

    assert [notes.version for notes in task_versions.list_versions("orders")] == [1, 0]
    assert listed == ["orders"]


def test_what_is_no_archive_is_refused_with_what_it_lacks():
    with pytest.raises(ConfigurationError, match="has no append, list_versions"):
        Mulligan("memory:", task_versions={})


async def test_a_thumb_is_the_score_of_a_run():
    task_versions = open_store("memory:").task_versions

    async with Mulligan("memory:", task_versions=task_versions) as m:
        done = await m.run_task(TASK, work)
        m.rate(done.id, up=False, note="no currency")

    [ground] = task_versions.list_grounds()
    [card] = [card for card in task_versions.list_scorecards(ground) if card.scored]
    assert (done.score, card.scored, card.score) == (None, 1, 0.0)
