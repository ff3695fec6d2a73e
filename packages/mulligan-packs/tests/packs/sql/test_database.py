"""The same on an async engine, with tools that await it."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from mulligan import Mulligan
from mulligan_packs import sql
from mulligan_packs.sql.database import Database
from tests.packs.sql.world import World, act


async def test_a_tool_on_an_async_engine_is_taken_back(postgres_engine, m: Mulligan) -> None:
    world = World(engine=postgres_engine)
    world.fill()
    before, engine = world.read(), create_async_engine(postgres_engine.url)

    @m.tool(**sql.update(engine, "task", id="task_id", version="rev"))
    async def rename(task_id: int, title: str) -> None:
        async with AsyncSession(engine) as session, session.begin():
            statement = "UPDATE task SET title = :title, rev = rev + 1 WHERE task_id = :task"
            await session.execute(text(statement), {"title": title, "task": task_id})

    async def work():
        await rename(1, "beer")
        assert (1, "beer") in world.read("task")

    assert await act(m, work) == []
    assert world.read() == before
    await engine.dispose()


def test_a_database_is_known_by_its_place_and_not_by_its_login(sqlite_engine) -> None:
    place = Database(sqlite_engine).place

    assert place.startswith("sqlite://")
    assert place.endswith("rows.db")
