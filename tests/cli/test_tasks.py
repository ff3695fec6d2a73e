"""What the command line shows of tasks that learn."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.cli.main import main
from mulligan.core.notes import Refinement
from mulligan.core.task import Experience, Reflect, Task


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store in which one task was run three times, learning each time."""
    url = f"sqlite:///{tmp_path}/family.db"

    def propose(experience: Experience) -> Refinement:
        return Refinement(suggestions=(f"Learned in run {experience.runs}.",))

    async def work(prompt: str) -> str:
        return "Twelve orders."

    task = Task(
        description="Count the orders.",
        id="orders",
        reflect=Reflect(gate="accept", strategy=propose),
    )

    async def learn() -> None:
        async with Mulligan(url) as m:
            for _ in range(3):
                await m.run_task(task, work)

    asyncio.run(learn())
    return url


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["tasks", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_task_is_listed_with_its_versions(store: str, capsys) -> None:
    [task] = told(capsys, "list", "--store", store)["tasks"]

    assert task["ground"]["task"] == "orders"
    assert (task["runs"], task["versions"]) == (3, 4)


def test_a_history_has_every_version_and_how_it_did(store: str, capsys) -> None:
    history = told(capsys, "history", "ord", "--store", store)

    assert [notes["version"] for notes in history["versions"]] == [0, 1, 2, 3]
    assert [result["card"]["runs"] for result in history["results"]] == [1, 1, 1]


def test_two_versions_can_be_compared(store: str, capsys) -> None:
    lines = told(capsys, "diff", "orders", "1", "2", "--store", store)["diff"]

    assert "-- Learned in run 1." in lines
    assert "+- Learned in run 2." in lines


def test_a_person_can_pin_a_version_and_go_back(store: str, capsys) -> None:
    told(capsys, "pin", "orders", "1", "--store", store)
    pinned = told(capsys, "show", "orders", "--store", store)
    told(capsys, "rollback", "orders", "--store", store)
    after = told(capsys, "show", "orders", "--store", store)

    assert pinned["notes"]["version"] == 1
    assert after["notes"]["version"] == 0


def test_an_export_is_everything_but_the_runs(store: str, capsys) -> None:
    exported = told(capsys, "export", "orders", "--store", store)

    assert [version["version"] for version in exported["versions"]] == [0, 1, 2, 3]


@pytest.mark.parametrize("verb", ["list", "show", "history"])
def test_people_get_text(store: str, capsys, verb: str) -> None:
    arguments = [verb] if verb == "list" else [verb, "orders"]

    code = main(["tasks", *arguments, "--store", store])

    told = capsys.readouterr().out
    assert code == 0
    assert "orders" in told
    assert "\\x0a" not in told


@pytest.mark.parametrize("wrong", [["show", "nothing"], ["diff", "orders", "0", "9"]])
def test_what_is_not_there_is_one_sentence(store: str, capsys, wrong: list[str]) -> None:
    code = main(["tasks", *wrong, "--store", store])

    assert code == 2
    assert capsys.readouterr().err.count("\n") == 1
