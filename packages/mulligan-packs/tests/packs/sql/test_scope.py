"""What an undo could not put back is refused before it is done."""

from __future__ import annotations

import pytest
from sqlalchemy import text, update

from bench.packs.cost import AS_TEXT, count_commits, count_statements
from mulligan import Mulligan
from mulligan_packs import sql
from tests.packs.proving import act, act_refused
from tests.packs.sql.world import World


def declare(m: Mulligan, world: World, *statements: str, **more: object):
    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev", **more))
    async def change(task_id: int) -> None:
        with world.engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))

    return change


RENAME = "UPDATE task SET title = 'beer', rev = rev + 1 WHERE task_id = 1"


@pytest.mark.parametrize(
    ("statements", "says"),
    [
        ([RENAME, "UPDATE note SET said = 'x'"], "not declared for"),
        ([RENAME, "/* why */ UPDATE note SET said = 'x'"], "not declared for"),
        ([RENAME, "DROP TABLE note"], "What `DROP TABLE` changes is unknown"),
        (
            ["UPDATE task SET title = 'beer'"],
            r"rows? of task .*(not declared|beyond what)",
        ),
    ],
)
async def test_more_than_a_tool_is_declared_for_is_rolled_back(
    world: World, m: Mulligan, statements: list[str], says: str
) -> None:
    before, change = world.read(), declare(m, world, *statements)

    async def work():
        with pytest.raises(sql.UndeclaredWriteError, match=says):
            await change(1)

    assert await act(m, work) == []
    assert world.read() == before


async def test_a_table_that_is_said_to_stay_may_be_written(world: World, m: Mulligan) -> None:
    change = declare(m, world, RENAME, "UPDATE note SET said = 'audit'", leaves=["note"])

    assert await act(m, lambda: change(1)) == []
    assert world.read("task")[0] == (1, "milk")
    assert world.read("note") == [(1, "audit", 1)]
    assert "rows that it also wrote to note" in " ".join(m.insights.tools()[0].promises)


async def test_a_connection_that_commits_by_itself_is_refused(world: World, m: Mulligan) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def change(task_id: int) -> None:
        alone = world.engine.execution_options(isolation_level="AUTOCOMMIT")
        with alone.connect() as connection:
            connection.execute(text(RENAME))

    assert await act_refused(m, lambda: change(1), sql.NoTransactionError) == []
    assert world.read() == before


async def test_a_table_of_the_same_name_elsewhere_is_another(postgres_engine, m: Mulligan) -> None:
    world = World(engine=postgres_engine)
    world.run(
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.task (LIKE task)",
        "INSERT INTO shop.task VALUES (1, 'milk', 1)",
    )
    change = declare(m, world, "UPDATE shop.task SET title = 'beer' WHERE task_id = 1")

    assert (
        await act_refused(
            m, lambda: change(1), sql.UndeclaredWriteError, match=r"writes to shop\.task"
        )
        == []
    )
    assert world.read("shop.task") == [(1, "milk")]


@pytest.mark.parametrize("style", ["text", "construct"])
async def test_an_edit_between_the_look_and_the_call_refuses_the_call(
    world: World, m: Mulligan, style: str
) -> None:
    task = world.load("task")
    wanted = update(task).where(task.c.task_id == 1).values(title="beer", rev=task.c.rev + 1)

    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev"))
    async def change(task_id: int) -> None:
        world_edits()
        with world.engine.begin() as connection:
            connection.execute(text(RENAME) if style == "text" else wanted)

    def world_edits() -> None:
        # Through a connection of their own, as a person's client has one.
        with person_engine(world).begin() as connection:
            connection.execute(text("UPDATE task SET title = 'theirs', rev = 7 WHERE task_id = 1"))

    assert await act_refused(m, lambda: change(1), sql.OutdatedRowError) == []
    assert (1, "theirs") in world.read("task")


def person_engine(world: World):
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    return create_engine(world.engine.url, poolclass=NullPool)


async def test_a_failed_statement_has_done_nothing_and_the_agent_may_go_on(
    world: World, m: Mulligan
) -> None:
    change = declare(m, world, RENAME, "UPDATE task SET rev = NULL WHERE task_id = 1")

    assert await act_refused(m, lambda: change(1), Exception, match=r"(?i)null") == []
    assert (1, "milk") in world.read("task")


def test_a_call_takes_two_statements_more_at_most(tmp_path) -> None:
    more = count_statements(tmp_path)

    assert more == {"update": 2, "insert": 2, "delete": 2, AS_TEXT: 4}


@pytest.mark.full
def test_a_call_takes_one_synced_commit_more_which_is_the_journals(tmp_path) -> None:
    assert count_commits(tmp_path, calls=4) == {"bare": 1, "database": 1, "journal": 1}


async def test_a_row_is_not_given_another_key(world: World, m: Mulligan) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "note", id="note_id"))
    async def renumber(note_id: int) -> None:
        with world.engine.begin() as connection:
            connection.execute(text("UPDATE note SET note_id = 77 WHERE note_id = 1"))

    assert (
        await act_refused(m, lambda: renumber(1), sql.UndeclaredWriteError, match="another key")
        == []
    )
    assert world.read() == before


async def test_a_row_without_a_version_yet_is_changed_and_comes_back(
    sqlite_engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE Page (page_id INTEGER PRIMARY KEY, said TEXT, rev INTEGER)",
        "INSERT INTO Page VALUES (1, 'milk', NULL)",
    )
    page = world.load("Page")

    @m.tool(**sql.update(sqlite_engine, "Page", id="page_id", version="rev"))
    async def change(page_id: int) -> None:
        with sqlite_engine.begin() as connection:
            connection.execute(
                update(page).where(page.c.page_id == page_id).values(said="beer", rev=1)
            )
            connection.execute(text("UPDATE page SET said = 'wine' WHERE page_id = 1"))

    async def work():
        await change(1)
        assert world.read("Page") == [(1, "wine")]

    assert await act(m, work) == []
    assert world.read("Page") == [(1, "milk")]


async def test_what_a_later_transaction_is_refused_does_not_speak_for_the_one_before(
    world: World, m: Mulligan
) -> None:
    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev"))
    async def change(task_id: int) -> None:
        for statement in (RENAME, "UPDATE note SET said = 'x'"):
            with world.engine.begin() as connection:
                connection.execute(text(statement))

    async def work():
        with pytest.raises(sql.UndeclaredWriteError, match="note"):
            await change(1)
        assert (1, "beer") in world.read("task")

    assert await act(m, work) == []
    assert (1, "milk") in world.read("task"), "what it did was found, rejected and undone"
