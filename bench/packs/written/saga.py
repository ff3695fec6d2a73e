"""The four tools on agent-saga's ready connector for Postgres, by the signatures of 2.3.11."""

from __future__ import annotations

from typing import Any

from agent_saga.connectors.postgres import delete_row, insert_row, update_row

DATABASE = "TASKS_URL"


def build_tools(ctx: Any, pool: Any) -> list[Any]:
    async def create_task(title: str) -> None:
        await insert_row(
            ctx,
            pool=pool,
            table="task",
            values={"title": title, "made": 1, "rev": 1},
            pk_columns=["task_id"],
            credential_ref=DATABASE,
        )

    async def rename_task(task_id: int, title: str) -> None:
        await update_row(
            ctx,
            pool=pool,
            table="task",
            pk_column="task_id",
            pk_value=task_id,
            updates={"title": title},
            credential_ref=DATABASE,
        )

    async def delete_task(task_id: int) -> None:
        await delete_row(
            ctx, pool=pool, table="task", pk={"task_id": task_id}, credential_ref=DATABASE
        )

    async def rename_tasks(below: int, title: str) -> None:
        found = await pool.fetch("SELECT task_id FROM task WHERE task_id < $1", below)
        for row in found:
            await update_row(
                ctx,
                pool=pool,
                table="task",
                pk_column="task_id",
                pk_value=row["task_id"],
                updates={"title": title},
                credential_ref=DATABASE,
            )

    return [create_task, rename_task, delete_task, rename_tasks]
