"""The four tools with a line above each."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, Table, delete, insert, update

from mulligan import Mulligan
from mulligan_packs import sql


def build_tools(m: Mulligan, engine: Engine, task: Table) -> list[Any]:
    @m.tool(**sql.insert(engine, "task", version="rev"))
    def create_task(title: str) -> None:
        with engine.begin() as connection:
            connection.execute(insert(task).values(title=title, made=1, rev=1))

    @m.tool(**sql.update(engine, "task", id="task_id", version="rev"))
    def rename_task(task_id: int, title: str) -> None:
        with engine.begin() as connection:
            changed = update(task).values(title=title, rev=task.c.rev + 1)
            connection.execute(changed.where(task.c.task_id == task_id))

    @m.tool(**sql.delete(engine, "task", id="task_id", version="rev"))
    def delete_task(task_id: int) -> None:
        with engine.begin() as connection:
            connection.execute(delete(task).where(task.c.task_id == task_id))

    @m.tool(**sql.rows(engine, "task", where=lambda r: ("task_id < :below", dict(r.arguments))))
    def rename_tasks(below: int, title: str) -> None:
        with engine.begin() as connection:
            changed = update(task).values(title=title, rev=task.c.rev + 1)
            connection.execute(changed.where(task.c.task_id < below))

    return [create_task, rename_task, delete_task, rename_tasks]
