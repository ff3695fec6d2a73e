"""What was not seen is not called done, and what has failed is not made again by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from mulligan import Mulligan, State
from mulligan.types.action import ActionQuery
from mulligan_packs import sql
from mulligan_packs.compose import compose
from tests.packs.proving import act, act_refused
from tests.packs.sql.world import World

CHANGE = "UPDATE page SET said = 'new' WHERE id = 2"


@pytest.fixture
def pages(world: World) -> World:
    """Two pages, of which a tool is declared for the first."""
    world.run(
        "CREATE TABLE page (id INTEGER PRIMARY KEY, said VARCHAR(20) UNIQUE, n INTEGER DEFAULT 7)",
        "INSERT INTO page (id, said) VALUES (1, 'one'), (2, 'two')",
    )
    return world


def write_raw(engine: Engine) -> None:
    """By the engine's pool, past SQLAlchemy's connections."""
    raw = engine.raw_connection()
    try:
        raw.cursor().execute(CHANGE)
        raw.commit()
    finally:
        raw.close()


def write_apart(engine: Engine) -> None:
    """By an engine of its own."""
    other = create_engine(engine.url)
    with other.begin() as connection:
        connection.execute(text(CHANGE))
    other.dispose()


WAYS = {"raw": write_raw, "apart": write_apart, "nothing": lambda _: None}
KINDS: dict[str, Callable[[Engine], Any]] = {
    "update": lambda engine: sql.update(engine, "page", id="page_id"),
    "insert": lambda engine: sql.insert(engine, "page", id="page_id"),
    "made": lambda engine: sql.insert(engine, "page"),
    "delete": lambda engine: sql.delete(engine, "page", id="page_id"),
    "none": lambda engine: sql.rows(engine, "page", where=lambda _: ("id > 8", {})),
    "parts": lambda engine: compose(
        sql.update(engine, "page", id="page_id"), sql.update(engine, "task", id="page_id")
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_call_that_was_not_seen_to_write_is_never_called_undone(
    pages: World, m: Mulligan, kind: str, way: str
) -> None:
    @m.tool(**KINDS[kind](pages.engine))
    async def change(page_id: int) -> None:
        WAYS[way](pages.engine)

    assert await act(m, lambda: change(1)) == [State.UNDO_FAILED]
    assert pages.read("page")[1][1] == ("two" if way == "nothing" else "new")


@pytest.mark.parametrize("first", [True, False])
async def test_a_write_by_the_drivers_own_connection_beside_one_that_was_seen_is_a_doubt(
    pages: World, m: Mulligan, first: bool
) -> None:
    if pages.engine.dialect.name != "sqlite":
        pytest.skip("Only SQLite's driver counts what it writes.")

    @m.tool(**sql.update(pages.engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        if first:
            write_raw(pages.engine)
        pages.run("UPDATE page SET n = 8 WHERE id = 1")
        if not first:
            write_raw(pages.engine)

    assert await act(m, lambda: change(1)) == [State.UNDO_FAILED]
    assert pages.read("page") == [(1, "one", 8), (2, "new", 7)]


async def test_a_call_that_fails_after_an_unseen_write_is_not_on_record_as_not_made(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run("CREATE TABLE page (id INTEGER PRIMARY KEY, said TEXT)")
    world.run("INSERT INTO page (id, said) VALUES (1, 'one'), (2, 'two')")

    @m.tool(**sql.update(sqlite_engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        write_raw(sqlite_engine)
        raise ValueError("after that")

    states = await act_refused(m, lambda: change(1), ValueError, match="after that")
    assert states == [State.UNKNOWN]


DRIVERS: dict[str, Callable[[Connection], Any]] = {
    "cursor": lambda connection: connection.connection.cursor(),
    "driver": lambda connection: connection.connection.driver_connection,
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("statement", [CHANGE, "INSERT INTO leaf VALUES (1)"])
async def test_what_the_driver_writes_in_the_calls_own_transaction_is_rolled_back(
    sqlite_engine: Engine, m: Mulligan, first: bool, driver: str, statement: str
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE page (id INTEGER PRIMARY KEY, said TEXT)",
        "CREATE TABLE leaf (id INTEGER PRIMARY KEY)",
        "INSERT INTO page (id, said) VALUES (1, 'one'), (2, 'two')",
    )
    before = world.read("page")

    @m.tool(**sql.update(sqlite_engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        with sqlite_engine.begin() as connection:
            if first:
                DRIVERS[driver](connection).execute(statement)
            connection.execute(text("UPDATE page SET said = 'x' WHERE id = 1"))
            if not first:
                DRIVERS[driver](connection).execute(statement)

    refused = act_refused(m, lambda: change(1), sql.UndeclaredWriteError, match="driver's own")
    assert await refused == []
    with closing(sqlite3.connect(str(sqlite_engine.url.database))) as connection:
        assert connection.execute("SELECT count(*) FROM leaf").fetchone() == (0,)
    assert world.read("page") == before


async def test_a_statement_that_returns_rows_is_not_taken_for_the_drivers(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run("CREATE TABLE page (id INTEGER PRIMARY KEY, said TEXT)")
    world.run("INSERT INTO page (id, said) VALUES (1, 'one'), (2, 'two')")
    before = world.read("page")

    @m.tool(**sql.update(sqlite_engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        with sqlite_engine.begin() as connection:
            rows = connection.execute(text("UPDATE page SET said = 'x' WHERE id = 1 RETURNING id"))
            assert rows.all() == [(1,)]
            connection.execute(text("UPDATE page SET said = 'y' WHERE id = 1"))

    assert await act(m, lambda: change(1)) == []
    assert world.read("page") == before


FEE = "UPDATE account SET balance = balance - 5 WHERE id = NEW.id"


@pytest.mark.parametrize("of", [" OF title", ""])
async def test_a_fee_that_a_trigger_takes_from_the_row_itself_comes_back_or_is_told(
    sqlite_engine: Engine, m: Mulligan, of: str
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE account (id INTEGER PRIMARY KEY, title TEXT, balance INTEGER, edits INTEGER, "
        "updated_at TEXT, lock_version INTEGER)",
        "INSERT INTO account VALUES (1, 'old', 100, 0, 'then', 1)",
        f"CREATE TRIGGER fee AFTER UPDATE{of} ON account BEGIN {FEE}; END",
        "CREATE TRIGGER stamp AFTER UPDATE OF title ON account BEGIN UPDATE account "
        "SET lock_version = lock_version + 1, updated_at = 'now' WHERE id = NEW.id; END",
    )

    @m.tool(**sql.update(sqlite_engine, "account", id="account_id"))
    async def rename(account_id: int) -> None:
        world.run("UPDATE account SET title = 'new' WHERE id = 1")

    states = await act(m, lambda: rename(1))
    [row] = world.read("account")
    world.run("DROP TABLE account")

    if of:
        assert states == []
        assert row == (1, "old", 100, 0, "now", 2)
    else:
        assert states == [State.UNDO_FAILED]
        [left] = m.insights.open_list.actions()
        assert "balance" in left.detail["why"]


# What has failed.


@pytest.mark.parametrize("error", [ValueError, RuntimeError, IntegrityError, TimeoutError])
async def test_a_tool_that_fails_is_made_once_and_heard_in_its_own_words(
    pages: World, m: Mulligan, error: type[Exception]
) -> None:
    mails: list[int] = []

    @m.tool(**sql.insert(pages.engine, "page"))
    async def add_and_mail(said: str) -> None:
        mails.append(1)
        if error is IntegrityError:
            pages.run("INSERT INTO page (id, said) VALUES (3, 'one')")
        raise error("no more: too many requests, rate limit, service unavailable")

    assert await act_refused(m, lambda: add_and_mail("one"), error) == []
    assert mails == [1]
    assert [each.state for each in m.insights.open_list.search(ActionQuery())] == [
        State.NOT_EXECUTED
    ]


async def test_a_commit_that_the_database_refuses_is_told_in_its_words(
    world: World, m: Mulligan
) -> None:
    if world.engine.dialect.name == "mysql":
        pytest.skip("MariaDB checks foreign keys at once.")
    world.run(
        "CREATE TABLE twig (id INTEGER PRIMARY KEY)",
        "CREATE TABLE leaf (id INTEGER PRIMARY KEY, "
        "twig INTEGER REFERENCES twig (id) DEFERRABLE INITIALLY DEFERRED)",
        "INSERT INTO twig VALUES (1)",
        "INSERT INTO leaf VALUES (1, 1)",
    )
    tries: list[int] = []

    @m.tool(**sql.update(world.engine, "leaf", id="leaf_id"))
    async def move(leaf_id: int) -> None:
        tries.append(1)
        world.run("UPDATE leaf SET twig = 9 WHERE id = 1")

    assert await act_refused(m, lambda: move(1), DBAPIError, match=r"(?i)foreign key") == []
    assert tries == [1]


@pytest.mark.parametrize("given", [{}, {"id": "page_id"}], ids=["made", "given"])
@pytest.mark.parametrize("said", ["one", "three"])
@pytest.mark.parametrize("written", [False, True], ids=["savepoint", "text"])
async def test_get_or_create_finds_what_is_there_and_undoes_what_it_made(
    pages: World, m: Mulligan, given: dict[str, Any], said: str, written: bool
) -> None:
    before, found = pages.read("page"), list[int]()
    insert = text("INSERT INTO page (id, said) VALUES (:id, :said) RETURNING id")

    @m.tool(**sql.insert(pages.engine, "page", **given))
    async def get_or_create(page_id: int, said: str) -> int:
        with pages.engine.begin() as connection:
            made = {"id": page_id, "said": said}
            try:
                if written:
                    connection.execute(text("SAVEPOINT attempt"))
                    return connection.execute(insert, made).scalar_one()
                with connection.begin_nested():
                    return connection.execute(insert, made).scalar_one()
            except IntegrityError:
                if written:
                    connection.execute(text("ROLLBACK TO SAVEPOINT attempt"))
                there = text("SELECT id FROM page WHERE said = :said")
                return connection.execute(there, {"said": said}).scalar_one()

    async def work() -> None:
        found.append(await get_or_create(7, said))

    assert await act(m, work) == []
    assert found == [1 if said == "one" else 7]
    assert pages.read("page") == before
