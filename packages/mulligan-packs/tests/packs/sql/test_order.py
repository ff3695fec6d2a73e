"""Several calls of one turn on one row: what the undo of one leaves is no edit for another."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import text

from mulligan import Mulligan, State
from mulligan_packs import sql
from mulligan_packs.compose import compose
from tests.packs.proving import act
from tests.packs.sql.world import World


async def test_a_reference_that_comes_back_leaves_the_row_at_the_version_of_an_earlier_call(
    world: World, m: Mulligan
) -> None:
    """The database takes references away without a new version, and so the undo returns them."""
    with world.engine.begin() as connection:
        key = "VARCHAR(9) PRIMARY KEY"
        to = "VARCHAR(9), FOREIGN KEY (above) REFERENCES part (name) ON DELETE SET NULL"
        connection.execute(
            text(f"CREATE TABLE part (name {key}, rev INTEGER, n INTEGER, above {to})")
        )
        connection.execute(
            text("INSERT INTO part VALUES ('car', 1, 1, NULL), ('door', 1, 1, 'car')")
        )

    def list_parts() -> list[tuple[Any, ...]]:
        with world.engine.begin() as connection:
            return [
                tuple(row) for row in connection.execute(text("SELECT * FROM part ORDER BY name"))
            ]

    before, engine = list_parts(), world.engine

    @m.tool(**sql.update(engine, "part", id="name", version="rev"))
    async def count(name: str) -> None:
        with engine.begin() as connection:
            connection.execute(text("UPDATE part SET n = 2 WHERE name = :name"), {"name": name})

    @m.tool(**sql.delete(engine, "part", id="name", version="rev"))
    async def drop(name: str) -> None:
        with engine.begin() as connection:
            connection.execute(text("DELETE FROM part WHERE name = :name"), {"name": name})

    async def work() -> None:
        await count("door")
        await drop("car")

    assert await act(m, work) == []
    assert [row[2:] for row in list_parts()] == [row[2:] for row in before]


@pytest.mark.parametrize("edited", [False, True])
async def test_a_call_that_failed_after_its_commit_is_known_by_its_receipt_and_not_by_its_values(
    world: World, m: Mulligan, edited: bool
) -> None:
    """It was given an amount to add: the row shows the sum, which is nobody's edit."""
    world.run("CREATE TABLE shelf (id INTEGER PRIMARY KEY, n INTEGER)")
    world.run("INSERT INTO shelf VALUES (1, 10)")

    @m.tool(**sql.update(world.engine, "shelf", id="id"))
    async def take(id: int, n: int) -> None:  # noqa: A002 - the column's name
        with world.engine.begin() as connection:
            connection.execute(
                text("UPDATE shelf SET n = n - :n WHERE id = :id"), {"id": id, "n": n}
            )
        raise ConnectionResetError("no receipt was printed")

    async def work() -> None:
        with suppress(ConnectionResetError):
            await take(1, 3)
        if edited:
            world.run("UPDATE shelf SET n = 5 WHERE id = 1")

    states = await act(m, work)

    with world.engine.begin() as connection:
        left = connection.execute(text("SELECT n FROM shelf")).scalar()
    assert (states, left) == (([State.CONFLICT], 5) if edited else ([], 10))


async def test_elements_that_a_bulk_never_came_to_are_not_said_to_have_happened(
    world: World, m: Mulligan
) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "task", id="tasks", each="tasks"))
    async def rename(tasks: list[int], title: str) -> None:
        for task in tasks:
            if task == 2:
                raise RuntimeError("half of it")
            with world.engine.begin() as connection:
                update = "UPDATE task SET title = :title WHERE task_id = :task"
                connection.execute(text(update), {"title": title, "task": task})

    async def work() -> None:
        with suppress(RuntimeError):
            await rename([1, 2], "beer")

    assert await act(m, work) == []
    assert world.read() == before


def write(world: World, statement: str, **bound: object) -> None:
    with world.engine.begin() as connection:
        connection.execute(text(statement), bound)


def fetch(world: World, query: str) -> list[tuple[Any, ...]]:
    with world.engine.begin() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


@pytest.mark.parametrize("later", ["rows", "both"])
@pytest.mark.parametrize("first", ["change", "make"])
async def test_what_a_later_call_on_more_rows_left_undone_is_nobodys_edit(
    world: World, m: Mulligan, first: str, later: str
) -> None:
    """An undo gives each row a new version; the call before it goes by the one that it left."""
    before, engine = world.read(), world.engine
    rename = "UPDATE task SET title = :title, rev = rev + 1 WHERE task_id "

    @m.tool(**sql.update(engine, "task", id="task", version="rev"))
    async def change(task: int) -> None:
        write(world, rename + "= :task", title="beer", task=task)

    @m.tool(**sql.insert(engine, "task", id="task", version="rev"))
    async def make(task: int) -> None:
        write(world, "INSERT INTO task VALUES (:task, 'beer', 1)", task=task)

    @m.tool(**sql.rows(engine, "task", where=lambda _: ("task_id > 0", {}), version="rev"))
    async def rows() -> None:
        write(world, rename + "> 0", title="wine")

    @m.tool(
        **compose(sql.update(engine, "task", id="task", version="rev"), sql.insert(engine, "note"))
    )
    async def both(task: int) -> None:
        with engine.begin() as connection:
            connection.execute(text(rename + "= :task"), {"title": "wine", "task": task})
            insert = "INSERT INTO note VALUES (7, 'x', NULL) RETURNING note_id"
            connection.execute(text(insert)).all()

    async def work() -> None:
        task = 1 if first == "change" else 9
        await (change if first == "change" else make)(task)
        await (rows() if later == "rows" else both(task))

    assert await act(m, work) == []
    assert world.read() == before


async def test_of_rows_that_are_undone_but_for_one_the_person_is_told_which_was_left(
    world: World, m: Mulligan
) -> None:
    @m.tool(**sql.rows(world.engine, "task", where=lambda _: ("task_id > 0", {}), version="rev"))
    async def rename(title: str) -> None:
        write(world, "UPDATE task SET title = :title, rev = rev + 1", title=title)

    async def work() -> None:
        await rename("beer")
        world.run("UPDATE task SET title = 'juice', rev = rev + 1 WHERE task_id = 2")

    assert await act(m, work) == [State.CONFLICT]
    assert world.read("task") == [(1, "milk"), (2, "juice")]
    [left] = m.insights.open_list.actions()
    assert left.detail["why"] == (
        "Only a part of it was undone: changed since, and left alone: task 2."
    )


PUT_RIGHT = {
    "update": "UPDATE task SET title = 'milk', rev = rev + 1 WHERE task_id = 1",
    "insert": "DELETE FROM task WHERE task_id = 9",
    "delete": "INSERT INTO task VALUES (2, 'tea', 5)",
}


@pytest.mark.parametrize("way", PUT_RIGHT)
async def test_what_a_person_has_undone_already_needs_nobody(
    world: World, m: Mulligan, way: str
) -> None:
    world.run("DELETE FROM step WHERE task_id = 2")
    before, options = world.read(), {"id": "task", "version": "rev"}
    statements = {
        "update": "UPDATE task SET title = 'beer', rev = rev + 1 WHERE task_id = :task",
        "insert": "INSERT INTO task VALUES (:task, 'new', 1)",
        "delete": "DELETE FROM task WHERE task_id = :task",
    }

    @m.tool(**getattr(sql, way)(world.engine, "task", **options))
    async def change(task: int) -> None:
        write(world, statements[way], task=task)

    async def work() -> None:
        await change({"update": 1, "insert": 9, "delete": 2}[way])
        world.run(PUT_RIGHT[way])

    assert await act(m, work) == []
    assert world.read() == before


async def test_a_row_that_came_back_without_what_went_with_it_is_left_to_a_person(
    world: World, m: Mulligan
) -> None:
    @m.tool(**sql.delete(world.engine, "task", id="task"))
    async def clear(task: int) -> None:
        write(world, "DELETE FROM task WHERE task_id = :task", task=task)

    async def work() -> None:
        await clear(1)
        world.run("INSERT INTO task VALUES (1, 'milk', 1)")

    assert await act(m, work) == [State.CONFLICT]
    assert (1, 1, "fetch") not in world.read("step")


async def test_a_part_whose_condition_holds_for_no_row_leaves_the_call_undoable(
    world: World, m: Mulligan
) -> None:
    before, engine = world.read(), world.engine
    none = sql.rows(engine, "note", where=lambda _: ("note_id > 90", {}))

    @m.tool(**compose(none, sql.update(engine, "task", id="task")))
    async def change(task: int) -> None:
        with engine.begin() as connection:
            connection.execute(text("DELETE FROM note WHERE note_id > 90"))
            connection.execute(text("UPDATE task SET title = 'x' WHERE task_id = :t"), {"t": task})

    assert await act(m, lambda: change(1)) == []
    assert world.read() == before


async def test_one_row_is_one_however_a_call_spells_its_key(world: World, m: Mulligan) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "task", id="task", version="rev"))
    async def change(task: float, title: str) -> None:
        update = "UPDATE task SET title = :title, rev = rev + 1 WHERE task_id = :task"
        write(world, update, title=title, task=task)

    async def work() -> None:
        await change(1, "beer")
        await change(1.0, "wine")

    assert await act(m, work) == []
    assert world.read() == before


@pytest.mark.parametrize("there", [False, True])
async def test_a_key_of_bytes_is_a_key(world: World, m: Mulligan, there: bool) -> None:
    kind = {"postgresql": "BYTEA", "sqlite": "BLOB"}.get(world.engine.dialect.name, "VARBINARY(9)")
    write(world, f"CREATE TABLE leaf (id {kind} PRIMARY KEY, said VARCHAR(9))")
    key = b"\xc5\x00\n"
    if there:
        write(world, "INSERT INTO leaf VALUES (:id, 'old')", id=key)
    before = fetch(world, "SELECT * FROM leaf")

    @m.tool(**sql.insert(world.engine, "leaf"))
    async def make(leaf: bytes) -> None:
        with world.engine.begin() as connection:
            insert = "INSERT INTO leaf VALUES (:id, 'new') RETURNING id"
            connection.execute(text(insert), {"id": leaf}).all()

    @m.tool(**sql.delete(world.engine, "leaf", id="leaves", each="leaves"))
    async def drop(leaves: list[bytes]) -> None:
        for leaf in leaves:
            write(world, "DELETE FROM leaf WHERE id = :id", id=leaf)

    async def work() -> None:
        if not there:
            await make(key)
        await drop([key])

    assert await act(m, work) == []
    assert fetch(world, "SELECT * FROM leaf") == before
