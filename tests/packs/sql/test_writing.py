"""A lost answer is found by its mark, and what a killed process left is decided by looking."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, event, text

from bench.packs.life import Case
from bench.packs.rows import RowWorld
from bench.suites.packs import run_kills
from mulligan import Mulligan
from mulligan.packs import sql
from mulligan.packs.sql.writing import TableOptions, TableWriter
from mulligan.runtime.tool_identity import find_binding
from tests.packs.sql.world import World, act


@pytest.mark.parametrize("landed", [True, False])
async def test_a_lost_answer_to_a_commit_is_found_out_about(
    world: World, m: Mulligan, landed: bool
) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev"))
    async def change(task_id: int) -> None:
        with world.engine.begin() as connection:
            connection.execute(text("UPDATE task SET title = 'beer', rev = 2 WHERE task_id = 1"))
            if not landed:
                event.listen(connection, "commit", lose_line)
        raise TimeoutError("the answer was lost")

    def lose_line(connection) -> None:
        raise ConnectionResetError("the line was lost")

    async def work():
        try:
            found = await change(1)
        except (ConnectionResetError, sql.VoidCallError):
            assert not landed
        else:
            assert landed
            assert found["title"] == "beer"

    assert await act(m, work) == []
    assert world.read() == before


def test_a_few_kills_leave_nothing_lost_doubled_or_for_a_person(tmp_path) -> None:
    """The short form of `python -m bench packs --kills 1000`, also with `--on postgres`."""
    cases = [Case(kind=kind, version="rev", wrong=True) for kind in ("update", "insert")]
    world = RowWorld(f"sqlite:///{tmp_path}/rows.db")
    tally = run_kills(world, tmp_path, kills=4, seed=3, cases=cases)

    assert tally.kills >= 4
    assert tally.examples == []
    assert tally.for_a_person == tally.lost == tally.duplicates == tally.overwritten == 0


def test_a_tool_is_not_known_by_its_connections(tmp_path) -> None:
    engines = [create_engine(f"sqlite:///{tmp_path}/rows.db") for _ in range(2)]
    with engines[0].connect():
        marks = {
            find_binding(
                lambda: None, [TableWriter(engine, "task", TableOptions(id="task_id")).take_back]
            ).mark
            for engine in engines
        }

    assert len(marks) == 1
