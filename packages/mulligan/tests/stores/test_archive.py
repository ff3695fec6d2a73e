"""An archive that several processes rate runs in, and clear."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.relational import task_versions
from mulligan.types.interfaces import Store
from mulligan_testing.store_contract.archives import GROUND, make_task_run
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
    one, other = (store.archive for store in stores)
    one.count(GROUND, run=make_task_run(score=None, id="run"))
    meanwhile.after(task_versions, "fetch_one", lambda: other.rate("run", score=1.0, tenant="home"))

    assert one.rate("run", score=0.5, tenant="home")

    assert meanwhile.finish() == [True]
    [card] = one.list_scorecards(GROUND)
    assert (card.scored, card.score, card.squares) == (1, 1.0, 1.0)


def test_a_task_is_cleared_beside_a_process_that_runs_it(stores, meanwhile) -> None:
    one, other = (store.archive for store in stores)
    one.count(GROUND, run=make_task_run())
    meanwhile.after(task_versions, "_see", lambda: one.clear(GROUND.task, tenant=GROUND.tenant))

    other.count(GROUND, run=make_task_run())

    meanwhile.finish()
    assert one.list_grounds() == []
    assert one.list_scorecards(GROUND) == []
