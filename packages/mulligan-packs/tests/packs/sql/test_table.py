"""Tables, columns and engines of every kind: values come back exactly."""

from __future__ import annotations

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from mulligan import Mulligan, State
from mulligan.types.errors import ConfigurationError
from mulligan_packs import sql
from mulligan_packs.sql.database import Database
from mulligan_packs.sql.table import load_table
from tests.packs.proving import act
from tests.packs.sql.world import World


@pytest.mark.parametrize("way", ["update", "delete"])
async def test_a_row_is_found_by_a_key_of_two_columns(world: World, m: Mulligan, way: str) -> None:
    before = world.read()
    statement = {
        "update": "UPDATE step SET said = 'wrong' WHERE task_id = 1 AND number = 2",
        "delete": "DELETE FROM step WHERE task_id = 1 AND number = 2",
    }[way]

    @m.tool(**getattr(sql, way)(world.engine, "step", id=("task_id", "number")))
    async def change(task_id: int, number: int) -> None:
        world.run(statement)

    assert await act(m, lambda: change(1, 2)) == []
    assert world.read() == before


@pytest.mark.parametrize("sets", [["rev"], []], ids=["declared", "seen"])
async def test_what_a_trigger_sets_by_itself_stops_no_undo(
    sqlite_engine, m: Mulligan, sets: list[str]
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TRIGGER bump AFTER UPDATE OF title ON task BEGIN "
        "UPDATE task SET rev = rev + 10 WHERE task_id = NEW.task_id; END"
    )

    @m.tool(**sql.update(world.engine, "task", id="task_id", sets=sets))
    async def rename(task_id: int, title: str) -> None:
        with world.engine.begin() as connection:
            given = {"title": title, "task": task_id}
            statement = "UPDATE task SET title = :title WHERE task_id = :task AND rev = 1"
            connection.execute(text(statement), given)

    assert await act(m, lambda: rename(1, "beer")) == []
    assert (1, "milk") in world.read("task")


async def test_a_trigger_that_undoes_the_undo_is_told_of(sqlite_engine, m: Mulligan) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TRIGGER stays AFTER UPDATE OF title ON task BEGIN "
        "UPDATE task SET title = 'always' WHERE task_id = NEW.task_id; END"
    )

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename(task_id: int) -> None:
        world.run("UPDATE task SET title = 'beer' WHERE task_id = 1")

    states = await act(m, lambda: rename(1))

    assert states == [State.UNDO_FAILED]
    [left] = m.insights.open_list.actions()
    assert "The database itself, by a trigger, makes another value" in left.detail["why"]
    assert "since" not in left.detail["why"]


def test_an_undo_has_a_version_of_its_own(world: World) -> None:
    with world.engine.begin() as connection:
        table = load_table(connection, "task", version="rev")
        table.dialect.prepare(connection)
        values, _ = table.read_row(connection, [1])
        assert values is not None

        table.update_row(connection, [1], values=values)

        assert table.read_print(connection, [1], lock=False).startswith("2:")


async def test_an_edit_by_hand_that_leaves_the_version_alone_stays(
    world: World, m: Mulligan
) -> None:
    @m.tool(**sql.update(world.engine, "task", id="task_id", version="rev"))
    async def rename(task_id: int) -> None:
        world.run("UPDATE task SET title = 'beer', rev = rev + 1 WHERE task_id = 1")

    async def work():
        await rename(1)
        world.run("UPDATE task SET title = 'theirs' WHERE task_id = 1")

    assert await act(m, work) == [State.CONFLICT]
    assert (1, "theirs") in world.read("task")


@pytest.mark.parametrize("way", ["update", "delete"])
async def test_names_may_have_any_sign(world: World, m: Mulligan, way: str) -> None:
    quote = world.engine.dialect.identifier_preparer.quote_identifier
    page, odd = quote("My Page"), quote("a.b:50%")
    page, odd = (each.replace("%%", "%").replace(":", "\\:") for each in (page, odd))
    world.run(
        f"CREATE TABLE {page} (id INTEGER PRIMARY KEY, {odd} VARCHAR(9))",
        f"INSERT INTO {page} VALUES (1, 'milk')",
    )
    statement = {
        "update": f"UPDATE {page} SET {odd} = 'beer' WHERE id = 1",
        "delete": f"DELETE FROM {page} WHERE id = 1",
    }[way]

    @m.tool(**getattr(sql, way)(world.engine, "My Page", id="page_id"))
    async def change(page_id: int) -> None:
        world.run(statement)
        assert (1, "milk") not in world.read(page)

    assert await act(m, lambda: change(1)) == []
    assert world.read(page) == [(1, "milk")]


async def test_a_table_that_is_changed_meanwhile_is_read_again(sqlite_engine, m: Mulligan) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE page (page_id INTEGER PRIMARY KEY, said TEXT)",
        "INSERT INTO page VALUES (1, 'milk')",
    )

    @m.tool(**sql.delete(world.engine, "page", id="page_id"))
    async def remove(page_id: int) -> None:
        world.run("DELETE FROM page WHERE page_id = 1")

    assert await act(m, lambda: remove(1)) == []
    world.run("ALTER TABLE page ADD COLUMN due TEXT", "UPDATE page SET due = 'friday'")
    assert await act(m, lambda: remove(1)) == []
    world.run("ALTER TABLE page RENAME COLUMN said TO title")
    assert await act(m, lambda: remove(1)) == []

    assert world.read("page") == [(1, "milk", "friday")]


async def test_a_column_that_is_gone_leaves_the_row_to_a_person(sqlite_engine, m: Mulligan) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE page (page_id INTEGER PRIMARY KEY, said TEXT)",
        "INSERT INTO page VALUES (1, 'milk')",
    )

    @m.tool(**sql.update(world.engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        world.run("UPDATE page SET said = 'beer' WHERE page_id = 1")

    async def work():
        await change(1)
        world.run("ALTER TABLE page RENAME COLUMN said TO title")

    assert await act(m, work) == [State.UNDO_FAILED]
    [left] = m.insights.open_list.actions()
    assert "page has no column said any more" in str(left.detail["why"])
    assert world.read("page") == [(1, "beer")]


async def test_two_edits_of_one_second_are_two_versions(sqlite_engine, m: Mulligan) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE page (page_id INTEGER PRIMARY KEY, said TEXT, at TIMESTAMP)",
        "INSERT INTO page VALUES (1, 'milk', '2026-11-16 10:00:00')",
    )

    @m.tool(**sql.update(sqlite_engine, "page", id="page_id", version="at"))
    async def change(page_id: int) -> None:
        with sqlite_engine.begin() as connection:
            connection.execute(text("UPDATE page SET said = 'beer' WHERE page_id = 1"))

    async def work():
        await change(1)
        world.run("UPDATE page SET said = 'theirs'")

    assert await act(m, work) == [State.CONFLICT]
    assert world.read("page")[0][1] == "theirs"


def test_a_table_without_a_key_is_refused(sqlite_engine) -> None:
    World(engine=sqlite_engine).run("CREATE TABLE IF NOT EXISTS heap (said TEXT)")

    with sqlite_engine.connect() as connection, pytest.raises(ConfigurationError, match="primary"):
        load_table(connection, "heap")


COLUMNS = {
    "sqlite": {
        "data": ("BLOB", "x'00ff27'"),
        "said": ("JSON", """'{"a": [1, 2.50, null], "b": "ü"}'"""),
        "price": ("NUMERIC", "12.30"),
        "ratio": ("REAL", "0.1"),
        "at": ("TIMESTAMP", "'2026-10-25 02:30:00.123456'"),
        "twice": ("INTEGER GENERATED ALWAYS AS (id * 2)", None),
        "quote": ("TEXT", "'it''s, \"so\"'"),
    },
    "mysql": {
        "data": ("BLOB", "x'00ff27'"),
        "much": ("LONGBLOB", "x'00ff27ed'"),
        "hash": ("BINARY(3)", "x'00ffed'"),
        "uuid": ("VARBINARY(16)", "x'00ffed27'"),
        "said": ("JSON", """'{"a": [1, 2.50, null], "b": "ü"}'"""),
        "price": ("NUMERIC(10, 3)", "12.300"),
        "ratio": ("DOUBLE", "0.1"),
        "small": ("FLOAT", "0.1"),
        "bits": ("BIT(9)", "b'101'"),
        "at": ("TIMESTAMP(6) NULL", "'2026-10-25 02:30:00.123456'"),
        "then": ("DATETIME(6)", "'2026-10-25 02:30:00.123456'"),
        "long": ("TIME", "'100:00:01'"),
        "twice": ("INTEGER GENERATED ALWAYS AS (id * 2) STORED", None),
        "quote": ("TEXT", "'it''s, \"so\"'"),
    },
    "postgresql": {
        "data": ("BYTEA", "'\\x00ff27'"),
        "said": ("JSON", """'{"a": [1, 2.50,   null], "b": "ü"}'"""),
        "more": ("JSONB", """'{"a": {"b": [1]}}'"""),
        "price": ("NUMERIC(10, 3)", "12.300"),
        "ratio": ("DOUBLE PRECISION", "0.1"),
        "odd": ("DOUBLE PRECISION", "'NaN'"),
        "at": ("TIMESTAMPTZ", "'2026-10-25 02:30:00.123456+02'"),
        "ever": ("TIMESTAMPTZ", "'infinity'"),
        "words": ("TEXT[]", "ARRAY['a,b', NULL, 'c']"),
        "span": ("TSTZRANGE", "'[2026-01-01 00:00+00,2026-02-01 00:00+00)'"),
        "who": ("UUID", "'a1e307df-7c73-4384-8fcc-06fddf314800'"),
        "net": ("INET", "'10.0.0.1/8'"),
        "twice": ("INTEGER GENERATED ALWAYS AS (id * 2) STORED", None),
        "counted": ("INTEGER GENERATED ALWAYS AS IDENTITY", None),
    },
}


@pytest.fixture
def kinds(world: World) -> World:
    columns = COLUMNS[world.engine.dialect.name.replace("mariadb", "mysql")]
    given = {name: value for name, (_, value) in columns.items() if value is not None}
    with world.engine.begin() as connection:
        quote = connection.dialect.identifier_preparer.quote
        declared = ", ".join(f"{quote(name)} {kind}" for name, (kind, _) in columns.items())
        connection.exec_driver_sql(f"CREATE TABLE kind (id INTEGER PRIMARY KEY, {declared})")
        names, values = ", ".join(map(quote, given)), ", ".join(given.values())
        connection.exec_driver_sql(f"INSERT INTO kind (id, {names}) VALUES (1, {values})")
    return world


def read_exactly(world: World) -> list[str]:
    postgres = world.engine.dialect.name == "postgresql"
    whole = "kind" if postgres else "*"
    with world.engine.connect() as connection:
        return [repr(tuple(row)) for row in connection.execute(text(f"SELECT {whole} FROM kind"))]


@pytest.mark.parametrize("way", ["update", "delete"])
async def test_a_row_of_every_kind_of_column_comes_back(
    kinds: World, m: Mulligan, way: str
) -> None:
    before = read_exactly(kinds)
    set_null = "data = NULL, said = NULL, price = 0, at = NULL"
    statement = {
        "update": f"UPDATE kind SET {set_null} WHERE id = 1",
        "delete": "DELETE FROM kind WHERE id = 1",
    }[way]

    @m.tool(**getattr(sql, way)(kinds.engine, "kind", id="kind_id"))
    async def change(kind_id: int) -> None:
        kinds.run(statement)
        assert read_exactly(kinds) != before

    assert await act(m, lambda: change(1)) == []
    assert read_exactly(kinds) == before


async def test_a_time_is_the_same_in_every_zone(postgres_engine, kinds: World, m: Mulligan) -> None:
    if kinds.engine.dialect.name != "postgresql":
        pytest.skip("only Postgres has zones of sessions")
    kinds.run("ALTER TABLE kind DROP COLUMN span")  # its text is in the zone of its session
    before = read_exactly(kinds)

    @m.tool(**sql.update(kinds.engine, "kind", id="kind_id"))
    async def change(kind_id: int) -> None:
        with kinds.engine.begin() as connection:
            connection.execute(text("SET LOCAL TIME ZONE 'Asia/Kathmandu'"))
            connection.execute(text("UPDATE kind SET at = at + interval '1 hour'"))

    assert await act(m, lambda: change(1)) == []
    assert read_exactly(kinds) == before


async def test_a_tool_on_an_async_engine_is_undone(postgres_engine, m: Mulligan) -> None:
    world = World(engine=postgres_engine)
    before, engine = world.read(), create_async_engine(postgres_engine.url)

    @m.tool(**sql.update(engine, "task", id="task_id", version="rev"))
    async def rename(task_id: int, title: str) -> None:
        async with AsyncSession(engine) as session, session.begin():
            statement = "UPDATE task SET title = :title, rev = rev + 1 WHERE task_id = :task"
            await session.execute(text(statement), {"title": title, "task": task_id})

    async def work():
        await rename(1, "beer")
        assert (1, "beer") in world.read("task")

    assert await act(m, work) == []
    assert world.read() == before
    await engine.dispose()


def test_a_database_is_known_by_its_place_and_not_by_its_login(sqlite_engine) -> None:
    place = Database(sqlite_engine).place

    assert place.startswith("sqlite://")
    assert place.endswith("rows.db")
