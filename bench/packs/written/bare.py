"""Four tools of one table, and nothing else."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, Table, delete, insert, update


def build_tools(engine: Engine, task: Table) -> list[Any]:
    def create_task(title: str) -> None:
        with engine.begin() as connection:
            connection.execute(insert(task).values(title=title, made=1, rev=1))

    def rename_task(task_id: int, title: str) -> None:
        with engine.begin() as connection:
            changed = update(task).values(title=title, rev=task.c.rev + 1)
            connection.execute(changed.where(task.c.task_id == task_id))

    def delete_task(task_id: int) -> None:
        with engine.begin() as connection:
            connection.execute(delete(task).where(task.c.task_id == task_id))

    def rename_tasks(below: int, title: str) -> None:
        with engine.begin() as connection:
            changed = update(task).values(title=title, rev=task.c.rev + 1)
            connection.execute(changed.where(task.c.task_id < below))

    return [create_task, rename_task, delete_task, rename_tasks]
