"""What a database does otherwise than its schema says, or unseen, is covered or refused."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from contextvars import copy_context
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, insert, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from mulligan import Mulligan, State
from mulligan_packs import sql
from mulligan_packs.sql.scope import Scope
from tests.packs.proving import act, act_refused
from tests.packs.sql.world import World

RENAME = "UPDATE task SET title = 'beer' WHERE task_id = 1"
UNBOUND = {
    "sqlite": "PRAGMA foreign_keys = OFF",
    "postgresql": "SET session_replication_role = replica",
    "mysql": "SET foreign_key_checks = 0",
}


@pytest.fixture
def unbound(world: World) -> Iterator[World]:
    """The same tables, by connections that enforce no foreign key."""
    engine = create_engine(world.engine.url)

    def loosen(connection: Any, _: object) -> None:
        cursor = connection.cursor()
        cursor.execute(UNBOUND[engine.dialect.name])
        connection.commit()

    event.listen(engine, "connect", loosen)
    yield World(engine=engine)
    engine.dispose()
    world.run("DELETE FROM step WHERE task_id NOT IN (SELECT task_id FROM task)")


def read_why(m: Mulligan) -> str:
    """Why actions are left open."""
    return " ".join(str(action.detail["why"]) for action in m.insights.open_list.actions())


async def test_what_no_foreign_key_took_along_is_not_brought_back(
    unbound: World, m: Mulligan
) -> None:
    @m.tool(**sql.delete(unbound.engine, "task", id="task_id"))
    async def remove(task_id: int) -> None:
        unbound.run("DELETE FROM task WHERE task_id = 1")

    async def work():
        await remove(1)
        unbound.run("DELETE FROM step WHERE task_id = 1", "UPDATE note SET task_id = NULL")

    assert await act(m, work) == []
    assert unbound.read() == [(1, "milk"), (2, "tea"), (2, 1, "pour"), (1, "cold", None)]


async def test_rows_that_should_have_gone_and_are_there_refuse_the_call(
    world: World, m: Mulligan
) -> None:
    before, loosen = world.read(), UNBOUND[world.engine.dialect.name]
    bind = loosen.replace("OFF", "ON").replace("= replica", "= origin").replace("= 0", "= 1")

    @m.tool(**sql.delete(world.engine, "task", id="task_id"))
    async def remove(task_id: int) -> None:
        with world.engine.connect() as connection:
            connection.exec_driver_sql(loosen)
            try:
                connection.execute(text("DELETE FROM task WHERE task_id = 1"))
                connection.commit()
            finally:
                connection.rollback()
                connection.exec_driver_sql(bind)
                connection.commit()

    assert (
        await act_refused(m, lambda: remove(1), sql.UndeclaredWriteError, match="foreign keys")
        == []
    )
    assert world.read() == before


@pytest.fixture
def pages(postgres_engine: Engine) -> World:
    """Tables on a Postgres, of which each test says what they are."""
    world = World(engine=postgres_engine)
    world.run(
        "CREATE TABLE page (id INTEGER PRIMARY KEY, said TEXT)",
        "CREATE TABLE stock (id INTEGER PRIMARY KEY, left_over INTEGER)",
        "INSERT INTO page VALUES (1, 'old')",
        "INSERT INTO stock VALUES (1, 10)",
    )
    return world


def defer(does: str) -> list[str]:
    function = "CREATE OR REPLACE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS"
    trigger = "CREATE CONSTRAINT TRIGGER late AFTER UPDATE OF said ON page"
    return [
        f"{function} $$ BEGIN {does}; RETURN NEW; END $$",
        f"{trigger} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late()",
    ]


async def test_a_trigger_that_waits_for_the_commit_is_seen(pages: World, m: Mulligan) -> None:
    pages.run(*defer("UPDATE stock SET left_over = left_over - 4"))

    @m.tool(**sql.update(pages.engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        pages.run("UPDATE page SET said = 'new' WHERE id = 1")

    assert await act_refused(m, lambda: change(1), sql.UndeclaredWriteError, match="stock") == []
    assert pages.read("page", "stock") == [(1, "old"), (1, 10)]


@pytest.mark.parametrize("sets", [["n"], []], ids=["declared", "seen"])
async def test_what_a_late_trigger_adds_to_the_row_itself_is_no_edit(
    pages: World, m: Mulligan, sets: list[str]
) -> None:
    pages.run("ALTER TABLE page ADD n INTEGER DEFAULT 1", *defer("UPDATE page SET n = n + 1"))

    @m.tool(**sql.update(pages.engine, "page", id="page_id", sets=sets))
    async def change(page_id: int) -> None:
        pages.run("UPDATE page SET said = 'new' WHERE id = 1")

    assert await act(m, lambda: change(1)) == []
    assert [row[:2] for row in pages.read("page")] == [(1, "old")]


async def test_what_an_undo_sets_off_at_its_commit_is_left_to_a_person(
    pages: World, m: Mulligan
) -> None:
    @m.tool(**sql.update(pages.engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        pages.run("UPDATE page SET said = 'new' WHERE id = 1")

    async def work():
        await change(1)
        pages.run(*defer("UPDATE stock SET left_over = left_over - 4"))

    assert await act(m, work) == [State.UNDO_FAILED]
    assert pages.read("page", "stock") == [(1, "new"), (1, 10)]


@pytest.mark.parametrize("way", ["update", "delete", "rows"])
async def test_a_table_that_others_inherit_from_is_refused(
    pages: World, m: Mulligan, way: str
) -> None:
    pages.run(
        "CREATE TABLE heir (size INTEGER) INHERITS (page)", "INSERT INTO heir VALUES (2, 'a', 4)"
    )
    which = {"where": lambda _: ("id = 2", {})} if way == "rows" else {"id": lambda _: 2}

    @m.tool(**getattr(sql, way)(pages.engine, "page", **which))
    async def change() -> None:
        pages.run("DELETE FROM page WHERE id = 2")

    assert await act(m, change) == [State.HELD]
    assert "heir" in read_why(m)
    assert pages.read("heir") == [(2, "a", 4)]


@pytest.mark.parametrize(
    "says", ["SET LOCAL search_path = shop", "SET LOCAL search_path = shop, public"]
)
async def test_a_table_of_the_same_name_on_another_path_is_another(
    pages: World, m: Mulligan, says: str
) -> None:
    pages.run(
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.page (LIKE page INCLUDING ALL)",
        "CREATE TABLE shop.mulligan_mark (LIKE mulligan_mark INCLUDING ALL)",
        "INSERT INTO shop.page VALUES (1, 'old')",
    )

    @m.tool(**sql.update(pages.engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        pages.run(says, "UPDATE page SET said = 'new' WHERE id = 1")

    assert await act_refused(m, lambda: change(1), sql.UndeclaredWriteError, match="page") == []
    assert pages.read("shop.page", "page", "shop.mulligan_mark") == [(1, "old"), (1, "old")]


async def test_the_mark_is_left_where_it_is_looked_for(pages: World, m: Mulligan) -> None:
    pages.run(
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.mulligan_mark (LIKE mulligan_mark INCLUDING ALL)",
    )

    @m.tool(**sql.update(pages.engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        pages.run("SET LOCAL search_path = shop, public", "UPDATE page SET said = 'new'")
        raise TimeoutError("after that")

    assert await act_refused(m, lambda: change(1), TimeoutError, match="after that") == []
    assert pages.read("page", "shop.mulligan_mark") == [(1, "old")]


async def test_numbers_that_are_shown_rounded_are_not_read_for_an_undo(
    pages: World, m: Mulligan
) -> None:
    pages.run(
        "ALTER TABLE page ADD share DOUBLE PRECISION", "UPDATE page SET share = 0.1 + 0.2::float8"
    )
    shown = pages.read("page")
    engine = create_engine(
        pages.engine.url, connect_args={"options": "-c extra_float_digits=0"}, poolclass=NullPool
    )
    rounded = World(engine=engine)

    @m.tool(**sql.update(engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        rounded.run("UPDATE page SET share = 7 WHERE id = 1")

    assert await act(m, lambda: change(1)) == [State.HELD]
    assert "extra_float_digits=1" in read_why(m)
    assert pages.read("page") == shown


async def test_a_tool_may_show_its_own_numbers_rounded(pages: World, m: Mulligan) -> None:
    pages.run(
        "ALTER TABLE page ADD share DOUBLE PRECISION", "UPDATE page SET share = 0.1 + 0.2::float8"
    )
    before = pages.read("page")

    @m.tool(**sql.update(pages.engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        pages.run("SET LOCAL extra_float_digits = 0", "UPDATE page SET share = 1.0 / 3.0::float8")

    assert await act(m, lambda: change(1)) == []
    assert pages.read("page") == before


def run_in_two_phases(world: World) -> None:
    with world.engine.connect() as connection:
        transaction = connection.begin_twophase()
        connection.execute(text(RENAME))
        transaction.commit()


def run_driver_autocommit(world: World) -> None:
    with world.engine.connect() as connection:
        driver: Any = connection.connection.dbapi_connection
        (driver.autocommit)(True) if callable(driver.autocommit) else setattr(
            driver, "autocommit", True
        )
        try:
            connection.execute(text(RENAME))
            connection.commit()
        finally:
            connection.rollback()
            (driver.autocommit)(False) if callable(driver.autocommit) else setattr(
                driver, "autocommit", False
            )


@pytest.mark.parametrize("run", [run_in_two_phases, run_driver_autocommit])
async def test_what_is_committed_past_the_transaction_is_refused(
    world: World, m: Mulligan, run: Callable[[World], None]
) -> None:
    if world.engine.dialect.name == "sqlite":
        pytest.skip("It has no two phases, and its driver no such setting before Python 3.12.")
    before = world.read()

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def change(task_id: int) -> None:
        run(world)

    assert await act_refused(m, lambda: change(1), sql.NoTransactionError) == []
    assert world.read() == before


async def test_a_sqlite_driver_that_begins_nothing_by_itself_is_served(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    engine = create_engine(sqlite_engine.url, connect_args={"isolation_level": None})
    world = World(engine=engine)
    before = world.read()

    @m.tool(**sql.update(engine, "task", id="task_id"))
    async def change(task_id: int) -> None:
        world.run(RENAME)

    assert await act(m, lambda: change(1)) == []
    assert world.read() == before
    engine.dispose()


async def test_a_thread_of_the_tool_is_seen_while_another_is_looked_at(
    world: World, m: Mulligan, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, check = world.read(), Scope.check_rows
    refused: list[BaseException] = []

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def change(task_id: int) -> None:
        inside = copy_context()

        def write() -> None:
            try:
                world.run("UPDATE note SET said = 'x'")
            except sql.UndeclaredWriteError as error:
                refused.append(error)

        def look_slowly(scope: Scope, connection: Connection, **more: Any) -> None:
            monkeypatch.setattr(Scope, "check_rows", check)
            with scope.on_our_own(connection):
                thread = threading.Thread(target=inside.run, args=[write])
                thread.start()
                thread.join()
            check(scope, connection, **more)

        monkeypatch.setattr(Scope, "check_rows", look_slowly)
        world.run(RENAME)

    assert await act(m, lambda: change(1)) == []
    assert refused
    assert world.read() == before


async def test_rows_without_a_key_are_refused(sqlite_engine: Engine, m: Mulligan) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE tag (name TEXT PRIMARY KEY, n INTEGER)",
        "INSERT INTO tag VALUES (NULL, 1), ('a', 1)",
    )

    @m.tool(**sql.rows(sqlite_engine, "tag", where=lambda _: ("n = 1", {})))
    async def count_all() -> None:
        world.run("UPDATE tag SET n = 2")

    @m.tool(**sql.update(sqlite_engine, "tag", id=lambda _: (None,)))
    async def count() -> None:
        world.run("UPDATE tag SET n = 2 WHERE name IS NULL")

    async def work():
        await count_all()
        await count()

    assert await act(m, work) == [State.HELD, State.HELD]
    assert "tag have NULL in their key" in read_why(m)
    assert world.read("tag") == [(None, 1), ("a", 1)]


async def test_a_time_that_the_call_set_is_restored_or_left_to_a_person(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE visit (id INTEGER PRIMARY KEY, updated_at DATETIME)",
        "INSERT INTO visit VALUES (1, '2026-01-01 10:00:00')",
    )

    @m.tool(**sql.update(sqlite_engine, "visit", id="visit_id"))
    async def move(visit_id: int, when: str) -> None:
        world.run(f"UPDATE visit SET updated_at = '{when}' WHERE id = 1")

    assert await act(m, lambda: move(1, "2026-02-02 10:00:00")) == []
    assert world.read("visit") == [(1, "2026-01-01 10:00:00")]

    async def work():
        await move(1, "2026-02-02 10:00:00")
        world.run("UPDATE visit SET updated_at = '2026-03-03 10:00:00' WHERE id = 1")

    assert len(await act(m, work)) == 1
    assert world.read("visit") == [(1, "2026-03-03 10:00:00")]


async def test_a_time_that_a_trigger_keeps_from_coming_back_is_not_called_restored(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE visit (id INTEGER PRIMARY KEY, starts DATETIME)",
        "INSERT INTO visit VALUES (1, '2026-01-01')",
        "CREATE TRIGGER only_later AFTER UPDATE ON visit WHEN NEW.starts < OLD.starts "
        "BEGIN UPDATE visit SET starts = OLD.starts WHERE id = OLD.id; END",
    )

    @m.tool(**sql.update(sqlite_engine, "visit", id="visit_id"))
    async def move(visit_id: int) -> None:
        world.run("UPDATE visit SET starts = '2026-02-02' WHERE id = 1")

    assert await act(m, lambda: move(1)) == [State.UNDO_FAILED]
    assert world.read("visit") == [(1, "2026-02-02")]


async def test_what_the_database_makes_of_a_value_is_nobodys_edit(
    world: World, m: Mulligan
) -> None:
    if world.engine.dialect.name != "mysql":
        pytest.skip("Only MariaDB makes another value of one that does not fit.")
    world.run(
        "CREATE TABLE odd (id INTEGER PRIMARY KEY, n TINYINT, day DATE, word VARCHAR(3), f FLOAT)",
        "INSERT INTO odd VALUES (1, 7, '2026-01-01', 'abc', 0.1)",
    )
    before = world.read("odd")

    @m.tool(**sql.update(world.engine, "odd", id="odd_id"))
    async def change(odd_id: int) -> None:
        world.run(
            "SET SESSION sql_mode = ''",
            "UPDATE odd SET n = 999, day = '2026-02-31', word = 'abcdef', f = 0.123456789",
        )

    assert await act(m, lambda: change(1)) == []
    assert world.read("odd") == before


async def test_a_call_inside_a_call_is_undone_once_each(world: World, m: Mulligan) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "note", id="note_id"))
    async def annotate(note_id: int) -> None:
        world.run("UPDATE note SET said = 'warm' WHERE note_id = 1")

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename(task_id: int) -> None:
        await annotate(1)
        world.run(RENAME)

    async def work():
        await rename(1)
        assert world.read() != before

    assert await act(m, work) == []
    assert world.read() == before


async def test_a_call_that_leaves_its_row_to_one_inside_of_it_is_undone_with_that(
    world: World, m: Mulligan
) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename(task_id: int) -> None:
        world.run(RENAME)

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename_all(task_id: int) -> None:
        await rename(1)

    assert await act(m, lambda: rename_all(1)) == []
    assert world.read() == before


async def test_calls_inside_of_each_other_write_a_row_once(world: World, m: Mulligan) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename(task_id: int) -> None:
        world.run(RENAME)

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename_twice(task_id: int) -> None:
        await rename(1)
        world.run("UPDATE task SET title = 'wine' WHERE task_id = 1")

    assert await act_refused(m, lambda: rename_twice(1), sql.SqlPackError) == []
    assert world.read() == before


async def test_an_error_around_a_call_that_has_landed_stays_an_error(
    world: World, m: Mulligan
) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "note", id="note_id"))
    async def annotate(note_id: int) -> None:
        world.run("UPDATE note SET said = 'warm' WHERE note_id = 1")

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename(task_id: int) -> None:
        await annotate(1)
        raise ValueError("nothing of its own")

    assert await act_refused(m, lambda: rename(1), ValueError, match="nothing of its own") == []
    assert world.read() == before


async def test_a_call_may_work_in_the_session_of_the_one_around_it(
    postgres_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=postgres_engine)
    before = world.read()

    with Session(world.engine) as session:

        @m.tool(**sql.update(world.engine, "note", id="note_id"))
        async def annotate(note_id: int) -> None:
            session.execute(text("UPDATE note SET said = 'warm' WHERE note_id = 1"))
            session.commit()

        @m.tool(**sql.update(world.engine, "task", id="task_id"))
        async def rename(task_id: int) -> None:
            session.execute(text(RENAME))
            await annotate(1)

        async def work():
            await rename(1)
            assert world.read()[0] == (1, "beer")

        assert await act(m, work) == []
    assert world.read() == before


@pytest.mark.parametrize("lands", [True, False])
async def test_a_commit_that_fails_and_is_tried_again_leaves_its_mark(
    world: World, m: Mulligan, monkeypatch: pytest.MonkeyPatch, lands: bool
) -> None:
    before, commit = world.read(), world.engine.dialect.do_commit
    tries: list[int] = []

    def fail_once(connection: Any) -> None:
        monkeypatch.setattr(world.engine.dialect, "do_commit", commit)
        if lands:
            commit(connection)
        raise OperationalError("COMMIT", {}, Exception("no answer"))

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename(task_id: int) -> None:
        tries.append(1)
        if len(tries) == 1:
            monkeypatch.setattr(world.engine.dialect, "do_commit", fail_once)
        try:
            world.run(RENAME)
        except OperationalError:
            if lands:
                return
            world.run(RENAME)
        raise TimeoutError("after that")

    async def work():
        with nullcontext() if lands else pytest.raises(TimeoutError, match="after that"):
            await rename(1)
        assert world.read()[0] == (1, "beer")

    assert await act(m, work) == []
    assert world.read() == before
    assert tries == [1]


async def test_a_row_that_is_written_in_the_second_transaction_comes_back(
    world: World, m: Mulligan
) -> None:
    before = world.read("task")

    @m.tool(**sql.update(world.engine, "task", id="task_id", leaves=["note"]))
    async def rename(task_id: int) -> None:
        world.run("UPDATE note SET said = 'seen'")
        world.run(RENAME)

    assert await act(m, lambda: rename(1)) == []
    assert world.read("task") == before


async def test_a_new_row_that_a_second_transaction_would_change_is_undone_as_it_was_made(
    world: World, m: Mulligan
) -> None:
    before, task = world.read("task"), world.load("task")
    refused: list[str] = []

    @m.tool(**sql.insert(world.engine, "task"))
    async def create() -> None:
        with world.engine.begin() as connection:
            connection.execute(insert(task).values(task_id=9, title="new", rev=1))
        try:
            world.run("UPDATE task SET title = 'newer' WHERE task_id = 9")
        except sql.UndeclaredWriteError as error:
            refused.append(str(error))

    assert await act(m, create) == []
    assert "in one transaction" in refused[0]
    assert world.read("task") == before


@pytest.mark.parametrize(
    ("created", "key"),
    [
        ("id INTEGER PRIMARY KEY, said TEXT", "rowid"),
        ("id TEXT PRIMARY KEY, said TEXT) WITHOUT ROWID --", "id"),
        ("id INT PRIMARY KEY, said TEXT", "id"),
    ],
)
async def test_rows_of_every_kind_of_sqlite_table_come_back(
    sqlite_engine: Engine, m: Mulligan, created: str, key: str
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        f"CREATE TABLE hidden ({created}\n)".replace("--\n)", ""),
        "INSERT INTO hidden VALUES (1, 'one'), (2, 'two')",
    )
    before = world.read("hidden")

    @m.tool(**sql.rows(sqlite_engine, "hidden", where=lambda _: (f"{key} <= 2", {})))
    async def clear() -> None:
        world.run(f"DELETE FROM hidden WHERE {key} = 1", "UPDATE hidden SET said = 'x'")

    assert await act(m, clear) == []
    assert world.read("hidden") == before


@pytest.mark.parametrize("way", ["update", "insert"])
async def test_a_table_that_has_only_a_hidden_key_is_refused(
    sqlite_engine: Engine, m: Mulligan, way: str
) -> None:
    world = World(engine=sqlite_engine)
    world.run("CREATE TABLE hidden (said TEXT, n INTEGER)")
    given = {"id": "rowid"} if way == "update" else {}

    @m.tool(**getattr(sql, way)(sqlite_engine, "hidden", **given))
    async def write(rowid: int) -> None:
        world.run("INSERT INTO hidden VALUES ('x', 1)")

    async def work():
        refused = nullcontext() if way == "update" else pytest.raises(sql.UndeclaredWriteError)
        with refused:
            await write(1)

    assert await act(m, work) == ([State.HELD] if way == "update" else [])
    assert world.read("hidden") == []


@pytest.mark.parametrize("writes", [False, True])
async def test_a_bulk_of_no_rows_is_undone_and_writes_none(
    world: World, m: Mulligan, writes: bool
) -> None:
    before = world.read()
    refused: list[Exception] = []

    def run() -> None:
        try:
            world.run(RENAME if writes else RENAME.replace("= 1", "> 100"))
        except sql.UndeclaredWriteError as error:
            refused.append(error)

    @m.tool(**sql.rows(world.engine, "task", where=lambda _: ("task_id > 100", {})))
    async def clear() -> None:
        run()

    @m.tool(**sql.update(world.engine, "task", id="task_id", each="task_ids"))
    async def rename(task_ids: list[int]) -> None:
        run()

    async def work():
        await clear()
        await rename([])

    assert await act(m, work) == []
    assert len(refused) == 2 * writes
    assert world.read() == before


@pytest.mark.full
async def test_a_temporary_table_does_not_take_the_place_of_a_declared_one(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    before = world.read()

    with sqlite_engine.connect() as connection:
        connection.exec_driver_sql("CREATE TEMP TABLE task AS SELECT * FROM main.task")
        connection.commit()

        @m.tool(**sql.update(sqlite_engine, "task", id="task_id"))
        async def rename(task_id: int) -> None:
            connection.execute(text(RENAME))
            connection.commit()

        async def work():
            with pytest.raises(sql.UndeclaredWriteError, match="hides task"):
                await rename(1)

        assert await act(m, work) == []
        connection.rollback()
        connection.exec_driver_sql("DROP TABLE temp.task")
        connection.commit()
    assert world.read() == before


@pytest.mark.parametrize("ends", ["COMMIT", "ROLLBACK", "rollback transaction"])
async def test_a_transaction_is_not_ended_by_a_statement(
    world: World, m: Mulligan, ends: str
) -> None:
    before = world.read()

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename(task_id: int) -> None:
        world.run(RENAME, ends, RENAME.replace("beer", "wine"))

    assert (
        await act_refused(
            m, lambda: rename(1), sql.NoTransactionError, match="ends its transaction"
        )
        == []
    )
    assert world.read() == before
