"""What depends on a row goes with it, and comes back with it, in its order."""

from __future__ import annotations

from typing import Any

import psycopg
from sqlalchemy import event, insert

from mulligan import Mulligan, State
from mulligan_packs import sql
from tests.packs.proving import act
from tests.packs.sql.world import World


def declare_delete(m: Mulligan, world: World):
    @m.tool(**sql.delete(world.engine, "task", id="task_id", version="rev"))
    async def remove(task_id: int) -> None:
        world.run("DELETE FROM task WHERE task_id = 1")

    return remove


async def test_rows_that_went_with_a_row_come_back_with_it(world: World, m: Mulligan) -> None:
    before, remove = world.read(), declare_delete(m, world)

    async def work():
        await remove(1)
        assert world.read("step") == [(2, 1, "pour")]
        assert world.read("note") == [(1, "cold", None)]

    assert await act(m, work) == []
    assert world.read() == before


async def test_a_note_that_somebody_wrote_on_meanwhile_keeps_what_they_wrote(
    world: World, m: Mulligan
) -> None:
    remove = declare_delete(m, world)

    async def work():
        await remove(1)
        world.run("UPDATE note SET said = 'theirs' WHERE note_id = 1")

    assert await act(m, work) == []
    assert world.read("note") == [(1, "theirs", 1)]


async def test_what_others_hung_on_a_new_row_does_not_go_with_it(world: World, m: Mulligan) -> None:
    task, made = world.load("task"), list[int]()

    @m.tool(**sql.insert(world.engine, "task", version="rev"))
    async def create(title: str) -> None:
        with world.engine.begin() as connection:
            done = connection.execute(insert(task).values(title=title, rev=1))
            made.extend(done.inserted_primary_key or ())

    async def work():
        await create("new")
        world.run(f"INSERT INTO step VALUES ({made[0]}, 1, 'theirs')")

    states = await act(m, work)

    assert states
    assert set(states) <= {State.CONFLICT, State.UNDO_FAILED}
    assert (made[0], 1, "theirs") in world.read("step")


async def test_what_goes_with_a_row_is_locked_before_it_goes(postgres_engine, m: Mulligan) -> None:
    world, said = World(engine=postgres_engine), list[str]()
    remove = declare_delete(m, world)

    def edit(*sent: Any) -> None:
        if not sent[2].startswith("DELETE FROM task") or said:
            return
        # A person's client, which does not wait; what it is told is that somebody is at the row.
        with psycopg.connect(to_psycopg_url(world)) as person:
            person.execute("SET lock_timeout = '50ms'")
            try:
                person.execute("UPDATE step SET said = 'theirs' WHERE task_id = 1")
            except psycopg.errors.LockNotAvailable as error:
                said.append(type(error).__name__)

    event.listen(world.engine, "before_cursor_execute", edit)
    try:
        assert await act(m, lambda: remove(1)) == []
    finally:
        event.remove(world.engine, "before_cursor_execute", edit)

    assert said == ["LockNotAvailable"]


def to_psycopg_url(world: World) -> str:
    return world.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
