"""Several calls of one turn on rows that a foreign key joins: undone in reverse, one by one."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from mulligan import Mulligan, State
from mulligan.types.action import ActionQuery
from mulligan_packs import sql
from tests.packs.sql.world import World, act

DEEDS = {
    "say": "UPDATE step SET said = 'stir' WHERE task_id = 1 AND number = 1",
    "jot": "UPDATE note SET said = 'warm' WHERE note_id = 1",
    "drop": "DELETE FROM task WHERE task_id = 1",
    "forget": "DELETE FROM note WHERE note_id = 1",
}


def declare(m: Mulligan, world: World) -> dict[str, Any]:
    engine = world.engine
    step = {"id": lambda _: [1, 1]}
    ways = {
        "say": sql.update(engine, "step", **step),
        "jot": sql.update(engine, "note", id=lambda _: 1),
        "drop": sql.delete(engine, "task", id=lambda _: 1),
        "forget": sql.delete(engine, "note", id=lambda _: 1),
    }

    def make(name: str) -> Any:
        async def work() -> None:
            with engine.begin() as connection:
                connection.execute(text(DEEDS[name]))

        work.__name__ = name
        return m.tool(**ways[name])(work)

    return {name: make(name) for name in ways}


@pytest.mark.parametrize(
    "names", ["say drop", "jot drop", "drop jot", "drop forget", "say jot drop forget"]
)
async def test_calls_on_rows_that_go_with_others_are_undone_one_by_one(
    world: World, m: Mulligan, names: str
) -> None:
    before, tools = world.read(), declare(m, world)

    async def work() -> None:
        for name in names.split():
            await tools[name]()

    assert await act(m, work) == []
    states = {each.state for each in m.insights.open_list.search(ActionQuery())}
    assert (world.read(), states) == (before, {State.UNDONE})
