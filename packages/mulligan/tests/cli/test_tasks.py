"""What the command line shows of tasks that learn, and what a person may do about them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from mulligan import Mulligan
from mulligan.cli.main import main
from mulligan.loops.reflection import Optimized
from mulligan.loops.tasks import TaskDone
from mulligan.types.notes import Refinement
from mulligan.types.task import Experience, Reflect, Task
from tests.cli.running import read_json


def propose(experience: Experience) -> Refinement:
    return Refinement(suggestions=(f"Learned in run {experience.runs}.",))


ORDERS = Task(
    description="Count the orders.",
    id="orders",
    reflect=Reflect(gate="accept", strategy=propose),
)

PROVEN = replace(ORDERS, reflect=Reflect(strategy=propose, every=1))


async def work(prompt: str) -> str:
    return "Twelve orders."


def run(store: str, *tasks: Task) -> list[TaskDone]:
    """Run tasks one after the other, in an application of their own."""

    async def learn() -> list[TaskDone]:
        async with Mulligan(store) as m:
            return [await m.run_task(task, work) for task in tasks]

    return asyncio.run(learn())


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store in which one task was run three times, learning each time."""
    url = f"sqlite:///{tmp_path}/family.db"
    run(url, ORDERS, ORDERS, ORDERS)
    return url


def test_a_history_has_every_version_and_how_it_did(store: str, capsys) -> None:
    history = read_json(capsys, "tasks", "history", "ord", "--store", store)

    assert [notes["version"] for notes in history["versions"]] == [0, 1, 2, 3]
    assert [result["card"]["runs"] for result in history["results"]] == [1, 1, 1, 0]


def test_two_versions_can_be_compared(store: str, capsys) -> None:
    lines = read_json(capsys, "tasks", "diff", "orders", "1", "2", "--store", store)["diff"]

    assert "-- Learned in run 1." in lines
    assert "+- Learned in run 2." in lines


@pytest.mark.parametrize("task", [ORDERS, PROVEN], ids=["accept", "evidence"])
def test_what_a_person_pins_is_what_the_next_runs_get(store: str, capsys, task: Task) -> None:
    read_json(capsys, "tasks", "pin", "orders", "1", "--store", store)
    shown = read_json(capsys, "tasks", "show", "orders", "--store", store)

    done = run(store, task, task, task)

    assert (shown["notes"]["version"], shown["task"]["pinned"]) == (1, True)
    assert [each.version for each in done] == [1, 1, 1]
    assert all("> - Learned in run 1." in each.prompt for each in done)


@pytest.mark.parametrize("task", [ORDERS, PROVEN], ids=["accept", "evidence"])
def test_after_a_rollback_the_next_run_gets_what_the_owner_wrote(
    store: str, capsys, task: Task
) -> None:
    gone = read_json(capsys, "tasks", "rollback", "orders", "--store", store)
    shown = read_json(capsys, "tasks", "show", "orders", "--store", store)

    [done] = run(store, task)

    assert gone == {"retired": 3, "on_top": 0}
    assert shown["notes"]["version"] == 0
    assert (done.version, done.prompt) == (0, task.text)


def test_a_pin_that_is_let_go_leaves_its_version_on_top(store: str, capsys) -> None:
    read_json(capsys, "tasks", "pin", "orders", "1", "--store", store)

    let_go = read_json(capsys, "tasks", "pin", "orders", "--store", store)

    assert let_go == {"pinned": None, "on_top": 1}
    assert [each.version for each in run(store, ORDERS, ORDERS)] == [1, 4]


def test_each_model_has_a_version_on_top_of_its_own(store: str, capsys) -> None:
    run(store, replace(ORDERS, model="small"))

    read_json(capsys, "tasks", "pin", "orders", "0", "--model", "small", "--store", store)

    tasks = read_json(capsys, "tasks", "list", "--store", store)["tasks"]
    assert {task["ground"]["model"]: task["on_top"] for task in tasks} == {"": 3, "small": 0}
    assert (
        read_json(capsys, "tasks", "show", "orders", "--store", store)["task"]["ground"]["model"]
        == "small"
    )
    assert main(["tasks", "show", "orders", "--model", "huge", "--store", store]) == 2
    assert "never run on 'huge', only on ['', 'small']" in capsys.readouterr().err


def test_a_task_of_several_tenants_needs_one_named(store: str, capsys) -> None:
    async def elsewhere() -> None:
        async with Mulligan(store, tenant="smiths") as m:
            await m.run_task(ORDERS, work)

    asyncio.run(elsewhere())
    tenants = [
        t["ground"]["tenant"] for t in read_json(capsys, "tasks", "list", "--store", store)["tasks"]
    ]

    unclear = main(["tasks", "show", "orders", "--store", store])
    shown = capsys.readouterr()
    theirs = read_json(capsys, "tasks", "show", "orders", "--tenant", tenants[1], "--store", store)

    assert unclear == 2
    assert "2 tenants: name one of" in shown.err
    assert theirs["task"]["runs"] == 1


def test_an_export_is_everything_but_the_runs(store: str, capsys) -> None:
    exported = read_json(capsys, "tasks", "export", "orders", "--store", store)

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


pytest.importorskip("pydantic_ai")

SCORED = Task(
    description="Count the orders.",
    id="orders",
    reflect=Reflect(strategy=propose, score=lambda _: 0.5, every=3),
)


@pytest.fixture
def scored(tmp_path: Path) -> str:
    """A store in which one task was run eight times, with a score."""
    url = f"sqlite:///{tmp_path}/family.db"

    async def learn() -> None:
        async with Mulligan(url) as m:
            for _ in range(8):
                await m.run_task(SCORED, work)

    asyncio.run(learn())
    return url


def test_a_search_puts_notes_on_trial_and_says_which(scored: str, capsys) -> None:
    async def search() -> Optimized:
        async with Mulligan(scored) as m:
            reflect = Reflect(strategy=lambda _: Refinement(description="Count twice."))
            return await m.optimize_task("orders", rounds=1, reflect=reflect)

    found = asyncio.run(search())

    assert found.runs == 8
    assert main(["tasks", "history", "orders", "--json", "--store", scored]) == 0
    newest = json.loads(capsys.readouterr().out)["versions"][-1]
    assert [newest["version"]] == list(found.proposed)
    assert newest["refinement"]["description"] == "Count twice."


def test_a_search_that_proposes_nothing_says_why_and_fails(scored: str, capsys) -> None:
    arguments = ["tasks", "optimize", "orders", "--judge", "test", "--rounds", "1"]

    code = main([*arguments, "--json", "--store", scored])

    told = json.loads(capsys.readouterr().out)
    assert (code, told["proposed"], told["runs"]) == (1, [], 8)
    assert "notes.empty" in told["rejected"][0]
    assert told["front"][0]["at"]["overall"] == 0.5


def test_how_often_proposals_helped_is_listed(scored: str, capsys) -> None:
    assert main(["tasks", "reflectors", "--json", "--store", scored]) == 0

    [reflector] = json.loads(capsys.readouterr().out)["reflectors"]
    assert reflector["by"].endswith("propose")
    assert 0 <= reflector["trust"] <= 1


def test_a_task_can_be_forgotten(scored: str, capsys) -> None:
    assert main(["tasks", "clear", "orders", "--json", "--store", scored]) == 0
    gone = json.loads(capsys.readouterr().out)["versions"]
    assert main(["tasks", "list", "--json", "--store", scored]) == 0

    assert gone >= 2
    assert json.loads(capsys.readouterr().out)["tasks"] == []
