"""Every operation proven: undone, stopped at every point, and edited by a person at each."""

from __future__ import annotations

import pytest
from sqlalchemy import Table, delete, insert, text, update

from mulligan import Mulligan, State
from mulligan_packs import sql
from mulligan_testing.proof import Trial, prove_undo
from tests.packs.proving import act, choose_proven
from tests.packs.sql.conftest import DATABASES
from tests.packs.sql.world import World

WAYS = ["update", "update by text", "insert", "delete", "rows", "each"]
PROVEN = [
    (on, way)
    for on in DATABASES
    for way in choose_proven(WAYS, "delete", *(["update"] if on == "sqlite" else []))
]


def declare(world: World, way: str, *, version: str | None = "rev"):
    engine = world.engine
    return {
        "update": lambda: sql.update(engine, "task", id="task_id", version=version),
        "update by text": lambda: sql.update(engine, "task", id="task_id", version=version),
        "insert": lambda: sql.insert(engine, "task", version=version),
        "delete": lambda: sql.delete(engine, "task", id="task_id", version=version),
        "rows": lambda: sql.rows(
            engine,
            "task",
            where=lambda record: ("task_id < :below", {"below": record.arguments["below"]}),
            version=version,
        ),
        "each": lambda: sql.update(engine, "task", id="task_id", version=version, each="ids"),
    }[way]()


def build_tool(
    m: Mulligan, world: World, way: str, *, task: Table | None = None, version: str | None = "rev"
):
    task = world.load("task") if task is None else task
    grown = {"title": "beer", "rev": task.c.rev + 1}
    statements = {
        "update": update(task).where(task.c.task_id == 1).values(grown),
        "update by text": text("UPDATE task SET title = 'beer', rev = rev + 1 WHERE task_id = 1"),
        "insert": insert(task).values(title="new", rev=1),
        "delete": delete(task).where(task.c.task_id == 1),
        "rows": update(task).where(task.c.task_id < 3).values(grown),
        "each": update(task).where(task.c.task_id.in_([1, 2])).values(grown),
    }

    async def change(task_id: int = 0, below: int = 0, ids: list[int] | None = None) -> None:
        with world.engine.begin() as connection:
            connection.execute(statements[way])

    tool = m.tool(**declare(world, way, version=version))(change)
    given = {"rows": {"below": 3}, "each": {"ids": [1, 2]}}.get(way, {"task_id": 1})
    return lambda: tool(**given)


@pytest.mark.full
@pytest.mark.parametrize(("world", "way"), PROVEN, indirect=["world"])
async def test_an_undo_holds_whatever_happens_to_it(world: World, way: str) -> None:
    task = world.load("task")

    def build(**proving):
        world.fill()
        m = Mulligan("memory:", **proving)
        edit = "UPDATE task SET title = 'theirs', rev = rev + 1 WHERE task_id <> 2"
        return Trial(
            m=m,
            call=build_tool(m, world, way, task=task),
            look=lambda: world.read("task"),
            edit=lambda: world.run(edit),
        )

    proof = await prove_undo(build)

    # Only where a person has edited is a person asked: every crash is decided by looking.
    assert proof.runs >= 25
    assert all(what.startswith("edited") for what in proof.for_a_person)
    assert set(proof.for_a_person.values()) <= {"conflict"}


@pytest.mark.parametrize("way", WAYS)
async def test_without_a_version_the_whole_row_is_compared(
    world: World, m: Mulligan, way: str
) -> None:
    before, call = world.read(), build_tool(m, world, way, version=None)

    assert await act(m, call) == []
    assert world.read() == before


@pytest.mark.parametrize("way", ["update", "delete", "rows", "each"])
async def test_what_somebody_has_edited_since_is_theirs(
    world: World, m: Mulligan, way: str
) -> None:
    call = build_tool(m, world, way, version=None)

    async def work():
        await call()
        world.run(
            "DELETE FROM note WHERE task_id = 1",
            "DELETE FROM task WHERE task_id = 1",
            "INSERT INTO task VALUES (1, 'theirs', 9)",
        )

    states = await act(m, work)

    assert states == [State.CONFLICT]
    assert (1, "theirs") in world.read("task")
    assert (2, "tea") in world.read("task")


async def test_calls_on_one_row_are_undone_in_their_order(world: World, m: Mulligan) -> None:
    before, task = world.read(), world.load("task")

    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev"))
    async def rename(task_id: int, title: str) -> None:
        with world.engine.begin() as connection:
            wanted = {"title": title, "rev": task.c.rev + 1}
            connection.execute(update(task).where(task.c.task_id == task_id).values(wanted))

    async def work():
        await rename(1, "one")
        await rename(1, "two")
        await rename(1, "three")

    assert await act(m, work) == []
    assert world.read() == before
