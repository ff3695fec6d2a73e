"""A call is found by its mark, told for what it is, and undone in order with what it made."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import create_engine, insert, inspect, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session

from bench.packs.life import Case
from bench.packs.rows import RowWorld
from bench.suites.packs import run_kills
from mulligan import Mulligan, State
from mulligan.runtime.tool_identity import find_binding
from mulligan.types.action import ActionQuery
from mulligan.types.call import Record, Snapshot
from mulligan.types.errors import AlreadyDoneError, NothingDone
from mulligan_packs import sql
from mulligan_packs.compose import compose
from mulligan_packs.sql.marks import find_mark
from mulligan_packs.sql.writing import TableOptions, TableWriter
from mulligan_testing.postgres import to_sqlalchemy_url
from tests.packs.proving import act, act_refused
from tests.packs.sql.world import World

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


@pytest.mark.full
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
        assert "It took effect before the error" in "".join(told.value.__notes__)
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

    assert await act_refused(m, lambda: change(1), sql.UndeclaredWriteError, match="task") == []
    assert world.read() == before


@pytest.mark.full
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
                lambda: None, [TableWriter(engine, "task", TableOptions(id="task_id")).undo]
            ).mark
            for engine in engines
        }

    assert len(marks) == 1


def build_writing(world: World) -> TableWriter:
    return TableWriter(world.engine, "task", TableOptions(id="task_id", version="rev"))


def test_a_call_that_was_not_found_cannot_come_late(world: World) -> None:
    writing = build_writing(world)
    record = Record(arguments={"task_id": 1}, key="k1")
    record = Record(
        arguments={"task_id": 1}, key="k1", snapshot=Snapshot(writing.read_before(record))
    )

    def call():
        with writing.enter_call([record]), world.engine.begin() as connection:
            connection.execute(text("UPDATE task SET title = 'late' WHERE task_id = 1"))

    assert writing.find_call(record) is None
    with pytest.raises(sql.VoidCallError):
        call()
    assert (1, "milk") in world.read("task")


def test_a_bulk_that_was_not_found_is_read_all_the_same(world: World) -> None:
    options = TableOptions(where=lambda _: ("task_id > 0", {}))
    writing = TableWriter(world.engine, "task", options)
    before = writing.read_before(Record(arguments={}, key="k4"))
    record = Record(arguments={}, key="k4", snapshot=Snapshot(before), version="1")

    assert writing.find_call(record) is None
    assert writing.is_same(before, writing.read_current(record))


def test_a_call_is_found_by_its_mark_with_the_version_it_left(world: World) -> None:
    writing = build_writing(world)
    record = Record(arguments={"task_id": 1}, key="k2")
    record = Record(
        arguments={"task_id": 1}, key="k2", snapshot=Snapshot(writing.read_before(record))
    )
    with writing.enter_call([record]), world.engine.begin() as connection:
        connection.execute(text("UPDATE task SET title = 'beer', rev = 2 WHERE task_id = 1"))

    elsewhere = build_writing(world)

    assert elsewhere.find_call(record) is not None
    assert str(elsewhere.read_version(record)).startswith("2:")


async def test_our_table_is_made_through_an_async_engine_too(empty_postgres_url: str) -> None:
    engine = create_async_engine(to_sqlalchemy_url(empty_postgres_url))

    await sql.create_marks_async(engine)

    async with engine.connect() as connection:
        assert await connection.run_sync(lambda here: inspect(here).has_table("mulligan_mark"))
    await engine.dispose()


async def test_a_database_without_our_table_is_told_how_to_get_it(m: Mulligan, tmp_path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/bare.db")
    World(engine=engine).run("CREATE TABLE task (task_id INTEGER PRIMARY KEY, title TEXT)")

    @m.tool(**sql.update(engine, "task", id="task_id"))
    async def rename(task_id: int) -> str:
        raise AssertionError("it must not run")

    await act(m, lambda: rename(1))

    [held] = m.insights.open_list.actions()
    assert "create_marks" in str(held.detail["why"])
    engine.dispose()


def test_old_marks_go_when_they_are_told_to(world: World) -> None:
    build_writing(world).find_call(Record(arguments={"task_id": 1}, key="k3"))

    assert sql.prune_marks(world.engine, older_than=timedelta(days=1)) == 0
    assert sql.prune_marks(world.engine, older_than=timedelta(seconds=-1)) == 1
    with world.engine.connect() as connection:
        assert find_mark(connection, "k3") is None


DEEDS = {
    "say": "UPDATE step SET said = 'stir' WHERE task_id = 1 AND number = 1",
    "jot": "UPDATE note SET said = 'warm' WHERE note_id = 1",
    "drop": "DELETE FROM task WHERE task_id = 1",
    "forget": "DELETE FROM note WHERE note_id = 1",
}


def declare_joined(m: Mulligan, world: World) -> dict[str, Any]:
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
    before, tools = world.read(), declare_joined(m, world)

    async def work() -> None:
        for name in names.split():
            await tools[name]()

    assert await act(m, work) == []
    states = {each.state for each in m.insights.open_list.search(ActionQuery())}
    assert (world.read(), states) == (before, {State.UNDONE})


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
    """Have a tool run a statement. What it got, after all was undone."""
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

    await make(world, m, statement)


@pytest.mark.parametrize("statement", [MADE, *OTHERWISE])
async def test_a_row_whose_key_nobody_tells_is_refused(
    postgres_engine, m: Mulligan, statement: str
) -> None:
    world = World(engine=postgres_engine)
    before = world.read()

    @m.tool(**sql.insert(world.engine, "task"))
    async def create() -> None:
        world.run(statement)

    assert await act_refused(m, create, sql.UndeclaredWriteError, match="RETURNING task_id") == []
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
