"""One tool that does two things is taken back as two, and found as two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, insert, text

from mulligan import Effect, Mulligan, State
from mulligan.core.errors import ConfigurationError
from mulligan.packs import sql
from mulligan.packs.compose import compose
from mulligan.testing.proof import Trial, prove_undo
from tests.packs.sql.world import World, act, reject


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    engine: Engine = create_engine(f"sqlite:///{tmp_path}/rows.db")
    made = World(engine=engine)
    made.create()
    yield made
    engine.dispose()


def build_tool(m: Mulligan, world: World):
    note, engine = world.load("note"), world.engine

    @m.tool(
        **compose(
            sql.update(engine, "task", id="task_id", version="rev"), sql.insert(engine, "note")
        )
    )
    async def finish(task_id: int) -> None:
        with engine.begin() as connection:
            connection.execute(
                text("UPDATE task SET title = 'done', rev = rev + 1 WHERE task_id = :task"),
                {"task": task_id},
            )
            connection.execute(insert(note).values(note_id=7, said="done", task_id=task_id))

    return finish


async def test_both_parts_are_proven(world: World) -> None:
    def build(**proving):
        world.fill()
        m = Mulligan("memory:", **proving)
        finish = build_tool(m, world)
        return Trial(m=m, call=lambda: finish(1), look=lambda: world.read("task", "note"))

    proof = await prove_undo(build)

    assert proof.runs >= 20
    assert proof.for_a_person == {}


async def test_an_edit_of_one_part_is_left_alone(world: World) -> None:
    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        finish = build_tool(m, world)

        async def work() -> None:
            await finish(1)
            world.run("UPDATE task SET title = 'theirs', rev = rev + 1 WHERE task_id = 1")

        assert await act(m, work) == [State.CONFLICT]
    assert (1, "theirs") in world.read("task")


def test_what_cannot_be_undone_is_not_composed() -> None:
    with pytest.raises(ConfigurationError, match="can be undone"):
        compose({"effect": Effect.IRREVERSIBLE})


async def test_what_one_part_was_refused_does_not_speak_for_the_other(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = World(engine=create_engine(f"sqlite:///{tmp_path}/other/rows.db"))
    other.create()
    other.fill()
    world.fill()
    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        parts = [sql.update(each.engine, "task", id="task_id") for each in (world, other)]

        @m.tool(**compose(*parts))
        async def finish(task_id: int) -> None:
            change = text("UPDATE task SET title = 'done' WHERE task_id = 1")
            with world.engine.begin() as connection:
                connection.execute(change)
            with other.engine.begin() as connection:
                connection.execute(change)
                connection.execute(text("UPDATE note SET said = 'x'"))

        async def work() -> None:
            with suppress(sql.UndeclaredWriteError):  # unless it is found to have been done
                await finish(1)
            assert (1, "done") in world.read("task")

        states = await act(m, work)
    other.engine.dispose()

    assert (1, "milk") in world.read("task") or states, "either taken back, or told of"


async def test_where_all_parts_were_refused_nothing_was_done(world: World) -> None:
    world.fill()
    before = world.read("task", "note")
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(
            **compose(
                sql.update(world.engine, "task", id="task_id"), sql.insert(world.engine, "note")
            )
        )
        async def finish(task_id: int) -> None:
            with world.engine.begin() as connection:
                connection.execute(text("DELETE FROM person"))

        async def work() -> None:
            with pytest.raises(sql.UndeclaredWriteError):
                await finish(1)

        assert await act(m, work) == []
    assert world.read("task", "note") == before
