"""Whoever opens the connection: a session, a library or another engine takes part."""

from __future__ import annotations

from typing import ClassVar

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from mulligan import Mulligan, State
from mulligan_packs import sql
from tests.packs.proving import act
from tests.packs.sql.world import World


class Base(DeclarativeBase):
    pass


class Task(Base):
    __tablename__ = "task"
    task_id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    rev: Mapped[int] = mapped_column()
    __mapper_args__: ClassVar = {"version_id_col": rev}


@pytest.mark.parametrize("way", ["update", "insert", "delete"])
async def test_a_session_takes_part_by_itself(world: World, m: Mulligan, way: str) -> None:
    before = world.read()
    given = {} if way == "insert" else {"id": "task_id"}

    @m.tool(**getattr(sql, way)(world.engine, "task", version="rev", **given))
    async def change(task_id: int) -> None:
        with Session(world.engine) as session, session.begin():
            if way == "insert":
                session.add(Task(title="new"))
                return
            task = session.get_one(Task, task_id)
            if way == "update":
                task.title = "beer"
            else:
                session.delete(task)

    async def work():
        await change(1)
        assert world.read() != before

    assert await act(m, work) == []
    assert world.read() == before


async def test_a_connection_of_another_engine_joins_in(world: World, m: Mulligan) -> None:
    before, other = world.read(), create_engine(world.engine.url)

    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev"))
    async def change(task_id: int) -> None:
        with other.connect() as connection:
            sql.join(connection)
            connection.execute(text("UPDATE task SET title = 'beer', rev = 2 WHERE task_id = 1"))
            connection.commit()

    async def work():
        await change(1)
        assert (1, "beer") in world.read("task")

    assert await act(m, work) == []
    assert world.read() == before
    other.dispose()


async def test_one_that_does_not_join_is_never_called_undone(world: World, m: Mulligan) -> None:
    other = create_engine(world.engine.url)

    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev"))
    async def change(task_id: int) -> None:
        with other.begin() as connection:
            connection.execute(text("UPDATE task SET title = 'beer', rev = 2 WHERE task_id = 1"))

    states = await act(m, lambda: change(1))

    assert states
    assert State.UNDONE not in states
    assert (1, "beer") in world.read("task")
    other.dispose()
