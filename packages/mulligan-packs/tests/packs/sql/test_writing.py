"""A lost answer is found by its mark, a tool's own error is told, and what a killed process left is
decided by looking."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, text

from bench.packs.life import Case
from bench.packs.rows import RowWorld
from bench.suites.packs import run_kills
from mulligan import Mulligan, State
from mulligan.runtime.tool_identity import find_binding
from mulligan.types.action import ActionQuery
from mulligan.types.errors import AlreadyDoneError, NothingDone
from mulligan_packs import sql
from mulligan_packs.compose import compose
from mulligan_packs.sql.writing import TableOptions, TableWriter
from tests.packs.sql.world import World, act

RENAME = text("UPDATE task SET title = 'beer', rev = rev + 1 WHERE task_id = 1")


@pytest.mark.parametrize("landed", [True, False])
async def test_a_lost_answer_to_a_commit_is_found_out_about(
    world: World, m: Mulligan, monkeypatch: pytest.MonkeyPatch, landed: bool
) -> None:
    before, dialect = world.read(), world.engine.dialect
    commit = dialect.do_commit

    def lose_line(connection) -> None:
        monkeypatch.setattr(dialect, "do_commit", commit)
        if landed:
            commit(connection)
        raise ConnectionResetError("the line was lost")

    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev"))
    async def change(task_id: int) -> None:
        with world.engine.begin() as connection:
            connection.execute(RENAME)
            monkeypatch.setattr(dialect, "do_commit", lose_line)

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


ERRORS = [
    RuntimeError("the label printer is on fire"),
    TimeoutError("the label printer does not answer"),
    LookupError("printer not found"),
    NothingDone("nothing was printed"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("composed", [False, True])
async def test_what_a_tool_raises_after_its_commit_is_told_and_what_it_did_is_accounted_for(
    world: World, m: Mulligan, error: Exception, composed: bool
) -> None:
    before, made = world.read(), list[int]()
    declared = sql.update(world.engine, "task", id="task_id", version="rev")
    if composed:
        declared = compose(sql.update(world.engine, "note", id=lambda _: 1), declared)

    @m.tool(**declared)
    async def change(task_id: int) -> None:
        made.append(task_id)
        with world.engine.begin() as connection:
            connection.execute(RENAME)
        raise error

    async def work():
        with pytest.raises(type(error)) as told:
            await change(1)
        assert "It took effect all the same" in "".join(told.value.__notes__)
        with pytest.raises(AlreadyDoneError):
            await change(1)
        assert world.read("task")[0] == (1, "beer")

    assert await act(m, work) == []
    assert (world.read(), made) == (before, [1])
    assert [each.state for each in m.insights.open_list.search(ActionQuery())] == [State.UNDONE]


async def test_what_a_tool_returns_of_an_error_after_its_commit_is_returned(
    world: World, m: Mulligan
) -> None:
    before, said = world.read(), {"error": "the label printer is on fire"}

    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev"))
    async def change(task_id: int) -> dict[str, str]:
        with world.engine.begin() as connection:
            connection.execute(RENAME)
        return said

    async def work():
        assert await change(1) == said

    assert await act(m, work) == []
    assert world.read() == before


async def test_a_second_transaction_that_is_refused_is_told_for_what_it_is(
    world: World, m: Mulligan
) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def change(task_id: int) -> None:
        for number in (1, 2):
            with world.engine.begin() as connection:
                connection.execute(text(f"UPDATE task SET title = 'x' WHERE task_id = {number}"))

    async def work():
        with pytest.raises(sql.UndeclaredWriteError, match="task"):
            await change(1)

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
