"""What a tool of `packs/sql` sends to its database beyond its own statement: counted, not timed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Engine,
    MetaData,
    Table,
    create_engine,
    delete,
    event,
    insert,
    text,
    update,
)

from bench.packs.rows import create_world
from mulligan import Mulligan
from mulligan.packs import sql

AS_TEXT = "update as text"
WAYS = ("update", "insert", "delete", AS_TEXT)


def count_statements(folder: Path) -> dict[str, int]:
    """For each way of writing, the statements of one call beyond the bare one."""
    url = f"sqlite:///{folder}/cost.db"
    return {way: _count(url, way) for way in WAYS}


def _count(url: str, way: str) -> int:
    create_world(url)
    engine = create_engine(url)
    statement = _build_statement(engine, way)

    async def change(task_id: int) -> None:  # noqa: ARG001
        with engine.begin() as connection:
            connection.execute(statement)

    if way == "insert":
        declared = sql.insert(engine, "task", version="rev")
    elif way == "delete":
        declared = sql.delete(engine, "task", id="task_id", version="rev")
    else:
        declared = sql.update(engine, "task", id="task_id", version="rev")
    with Mulligan("memory:", recover=False) as m:
        tool = m.tool(**declared)(change)
        # The first call also reads what the table is like.
        asyncio.run(_call_in_turn(m, tool))
        create_world(url)
        with _counted(engine) as ours:
            asyncio.run(_call_in_turn(m, tool))
    create_world(url)
    with _counted(engine) as bare:
        asyncio.run(change(1))
    engine.dispose()
    return len(ours) - len(bare)


async def _call_in_turn(m: Mulligan, tool: Any) -> None:
    async with m.turn("Do it"):
        await tool(task_id=1)


def _build_statement(engine: Engine, way: str) -> Any:
    task = Table("task", MetaData(), autoload_with=engine)
    return {
        "update": update(task).where(task.c.task_id == 1).values(title="x", rev=task.c.rev + 1),
        "insert": insert(task).values(title="new", made=1, rev=1),
        "delete": delete(task).where(task.c.task_id == 1),
        AS_TEXT: text("UPDATE task SET title = 'x', rev = rev + 1 WHERE task_id = 1"),
    }[way]


@contextmanager
def _counted(engine: Engine) -> Iterator[list[str]]:
    sent: list[str] = []

    def hear(_: Any, __: Any, statement: str, *rest: Any) -> None:  # noqa: ARG001
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", hear)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", hear)
