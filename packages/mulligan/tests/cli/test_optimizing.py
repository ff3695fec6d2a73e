"""`mulligan tasks optimize`, and what else a person may do about reflectors."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.cli.main import main
from mulligan.loops.reflection import Optimized
from mulligan.types.notes import Refinement
from mulligan.types.task import Experience, Reflect, Task

pytest.importorskip("pydantic_ai")


def propose(experience: Experience) -> Refinement:
    return Refinement(suggestions=(f"Learned in run {experience.runs}.",))


ORDERS = Task(
    description="Count the orders.",
    id="orders",
    reflect=Reflect(strategy=propose, score=lambda _: 0.5, every=3),
)


async def work(prompt: str) -> str:
    return "Twelve orders."


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store in which one task was run eight times, with a score."""
    url = f"sqlite:///{tmp_path}/family.db"

    async def learn() -> None:
        async with Mulligan(url) as m:
            for _ in range(8):
                await m.run_task(ORDERS, work)

    asyncio.run(learn())
    return url


def test_a_search_puts_notes_on_trial_and_says_which(store: str, capsys) -> None:
    async def search() -> Optimized:
        async with Mulligan(store) as m:
            reflect = Reflect(strategy=lambda _: Refinement(description="Count twice."))
            return await m.optimize_task("orders", rounds=1, reflect=reflect)

    found = asyncio.run(search())

    assert found.runs == 8
    assert main(["tasks", "history", "orders", "--json", "--store", store]) == 0
    newest = json.loads(capsys.readouterr().out)["versions"][-1]
    assert [newest["version"]] == list(found.proposed)
    assert newest["refinement"]["description"] == "Count twice."


def test_a_search_that_proposes_nothing_says_why_and_fails(store: str, capsys) -> None:
    arguments = ["tasks", "optimize", "orders", "--judge", "test", "--rounds", "1"]

    code = main([*arguments, "--json", "--store", store])

    told = json.loads(capsys.readouterr().out)
    assert (code, told["proposed"], told["runs"]) == (1, [], 8)
    assert "notes.empty" in told["rejected"][0]
    assert told["front"][0]["at"]["overall"] == 0.5


def test_how_often_proposals_helped_is_listed(store: str, capsys) -> None:
    assert main(["tasks", "reflectors", "--json", "--store", store]) == 0

    [reflector] = json.loads(capsys.readouterr().out)["reflectors"]
    assert reflector["by"].endswith("propose")
    assert 0 <= reflector["trust"] <= 1


def test_a_task_can_be_forgotten(store: str, capsys) -> None:
    assert main(["tasks", "clear", "orders", "--json", "--store", store]) == 0
    gone = json.loads(capsys.readouterr().out)["versions"]
    assert main(["tasks", "list", "--json", "--store", store]) == 0

    assert gone >= 2
    assert json.loads(capsys.readouterr().out)["tasks"] == []
