"""A tool that makes a row, in whatever words: it is known by its key, or the call is refused."""

from __future__ import annotations

import pytest
from sqlalchemy import insert, text
from sqlalchemy.orm import Session

from mulligan import Mulligan
from mulligan_packs import sql
from tests.packs.sql.world import World, act

MADE = "INSERT INTO task (title, rev) VALUES ('new', 1)"
RETURNING = [
    f"{MADE} RETURNING task_id",
    f"{MADE} RETURNING *",
    f"{MADE} RETURNING rev, task.task_id;",
    "INSERT INTO task (title, rev) SELECT 'new', 1 RETURNING title, task_id",
]
OTHERWISE = [
    f"{MADE} RETURNING rev AS task_id",
    f"{MADE} RETURNING rev task_id",
    f"{MADE} RETURNING (SELECT min(task_id) AS task_id FROM task)",
    f"WITH made AS ({MADE} RETURNING task_id) SELECT 1 AS task_id FROM made",
    f"{MADE} RETURNING title",
]
"""What names no key of a row that was made, whatever it calls it."""


async def make(world: World, m: Mulligan, statement: str, *, driver: bool = False) -> object:
    """Have a tool run a statement. What it got, after all was taken back."""
    before, got = world.read(), list[object]()

    @m.tool(**sql.insert(world.engine, "task"))
    async def create() -> None:
        with world.engine.begin() as connection:
            run = (
                connection.exec_driver_sql
                if driver
                else lambda sent: connection.execute(text(sent))
            )
            found = run(statement)
            got.append(found.mappings().all() if found.returns_rows else None)

    async def work() -> None:
        await create()
        assert len(world.read("task")) == 3

    assert await act(m, work) == []
    assert world.read() == before
    return got[0]


@pytest.mark.parametrize("statement", RETURNING)
@pytest.mark.parametrize("driver", [False, True])
async def test_a_row_is_known_by_what_its_statement_returns(
    world: World, m: Mulligan, statement: str, driver: bool
) -> None:
    [row] = await make(world, m, statement, driver=driver)  # type: ignore[misc]

    assert row["task_id"] >= 3


@pytest.mark.parametrize("statement", [MADE, *OTHERWISE[::2]])
async def test_sqlite_tells_the_row_itself(sqlite_engine, m: Mulligan, statement: str) -> None:
    world = World(engine=sqlite_engine)
    world.fill()

    await make(world, m, statement)


@pytest.mark.parametrize("statement", [MADE, *OTHERWISE])
async def test_a_row_whose_key_nobody_tells_is_refused(
    postgres_engine, m: Mulligan, statement: str
) -> None:
    world = World(engine=postgres_engine)
    world.fill()
    before = world.read()

    @m.tool(**sql.insert(world.engine, "task"))
    async def create() -> None:
        world.run(statement)

    async def work() -> None:
        with pytest.raises(sql.UndeclaredWriteError, match="RETURNING task_id"):
            await create()

    assert await act(m, work) == []
    assert world.read() == before


@pytest.mark.parametrize("columns", ["task_id", "title task_id", ""])
async def test_a_construct_may_return_what_it_likes(
    world: World, m: Mulligan, columns: str
) -> None:
    before, task = world.read(), world.load("task")
    wanted = insert(task).values(title="new", rev=1)
    wanted = wanted.returning(*(task.c[name] for name in columns.split())) if columns else wanted

    @m.tool(**sql.insert(world.engine, "task"))
    async def create() -> object:
        with Session(world.engine) as session:
            found = session.execute(wanted)
            key = found.scalars(columns.split().index("task_id")).one() if columns else None
            session.commit()
            return key

    async def work() -> None:
        key = await create()
        assert key is None or key >= 3

    assert await act(m, work) == []
    assert world.read() == before
