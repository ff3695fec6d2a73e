"""What the database did is what an undo takes back: nothing more is deleted, nothing less restored.

Rows that were there before an upsert, rows that go with others, and rows that triggers write.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, Integer, String, insert, text
from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

from mulligan import Mulligan, State
from mulligan_packs import sql
from mulligan_packs.compose import compose
from tests.packs.proving import act, act_refused
from tests.packs.sql.world import World

MERGE = (
    "MERGE INTO page USING (SELECT 1 AS i) n ON id = n.i WHEN MATCHED THEN UPDATE SET said = 'new' "
    "WHEN NOT MATCHED THEN INSERT VALUES (1, 'new')"
)
UPSERTS = {
    "sqlite": [
        "INSERT INTO page VALUES (1, 'new') ON CONFLICT (id) DO UPDATE SET said = 'new'",
        "INSERT INTO page VALUES (1, 'new') ON CONFLICT DO NOTHING",
        "INSERT OR IGNORE INTO page VALUES (1, 'new')",
        "INSERT OR REPLACE INTO page VALUES (1, 'new')",
    ],
    "postgresql": [
        "INSERT INTO page VALUES (1, 'new') ON CONFLICT (id) DO UPDATE SET said = 'new'",
        "INSERT INTO page VALUES (1, 'new') ON CONFLICT DO NOTHING",
        MERGE,
    ],
    "mysql": [
        "INSERT INTO page VALUES (1, 'new') ON DUPLICATE KEY UPDATE said = 'new'",
        "INSERT IGNORE INTO page VALUES (1, 'new')",
        "REPLACE INTO page VALUES (1, 'new')",
    ],
}


@pytest.fixture
def pages(world: World) -> World:
    """Tables of which each test says what they are."""
    world.run("CREATE TABLE page (id INTEGER PRIMARY KEY, said VARCHAR(20))")
    return world


@pytest.mark.parametrize(("way", "there"), [(0, True), (1, True), (2, True), (3, True), (0, False)])
async def test_an_upsert_gives_back_the_row_that_was_there(
    pages: World, m: Mulligan, way: int, there: bool
) -> None:
    statements = UPSERTS[pages.engine.dialect.name]
    statement = statements[way % len(statements)]
    if there:
        pages.run("INSERT INTO page VALUES (1, 'old')")
    before = pages.read("page")

    @m.tool(**sql.insert(pages.engine, "page", id="page_id"))
    async def save(page_id: int) -> None:
        pages.run(statement)

    assert await act(m, lambda: save(1)) == []
    assert pages.read("page") == before


async def test_an_upsert_whose_key_nobody_names_is_refused_where_a_row_is_there(
    pages: World, m: Mulligan
) -> None:
    pages.run("INSERT INTO page VALUES (1, 'old')")
    page, name = pages.load("page"), pages.engine.dialect.name
    module = __import__(f"sqlalchemy.dialects.{name}", fromlist=["insert"])
    wanted = module.insert(page).values(id=1, said="new")
    if name == "mysql":
        wanted = wanted.on_duplicate_key_update(said="new")
    else:
        wanted = wanted.on_conflict_do_update(index_elements=["id"], set_={"said": "new"})

    @m.tool(**sql.insert(pages.engine, "page"))
    async def save() -> None:
        with pages.engine.begin() as connection:
            connection.execute(wanted)

    assert (
        await act_refused(
            m,
            save,
            sql.UndeclaredWriteError,
            match=r"there before|keys are known|beyond what",
        )
        == []
    )
    assert pages.read("page") == [(1, "old")]


async def test_replace_is_refused_where_it_may_take_another_row_away(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE mail (id INTEGER PRIMARY KEY, address TEXT UNIQUE)",
        "INSERT INTO mail VALUES (7, 'ann@example.com')",
    )

    @m.tool(**sql.insert(sqlite_engine, "mail", id="mail_id"))
    async def save(mail_id: int) -> None:
        world.run("INSERT OR REPLACE INTO mail VALUES (1, 'ann@example.com')")

    assert (
        await act_refused(
            m, lambda: save(1), sql.UndeclaredWriteError, match="REPLACE may delete rows"
        )
        == []
    )
    assert world.read("mail") == [(7, "ann@example.com")]


async def test_a_tree_comes_back_with_its_root(pages: World, m: Mulligan) -> None:
    pages.run(
        "CREATE TABLE twig (id INTEGER PRIMARY KEY, up INTEGER, "
        "FOREIGN KEY (up) REFERENCES twig (id) ON DELETE CASCADE)",
        *(f"INSERT INTO twig VALUES ({at}, {at - 1 or 'NULL'})" for at in range(1, 6)),
    )
    before = pages.read("twig")

    @m.tool(**sql.delete(pages.engine, "twig", id="twig_id"))
    async def cut(twig_id: int) -> None:
        pages.run("DELETE FROM twig WHERE id = 1")
        assert pages.read("twig") == []

    assert await act(m, lambda: cut(1)) == []
    assert pages.read("twig") == before


async def test_rows_that_went_by_two_ways_come_back(pages: World, m: Mulligan) -> None:
    pages.run(
        "INSERT INTO page VALUES (1, 'milk')",
        "CREATE TABLE twig (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, "
        "FOREIGN KEY (page) REFERENCES page (id) ON DELETE CASCADE)",
        "CREATE TABLE leaf (id INTEGER PRIMARY KEY, page INTEGER, twig INTEGER NOT NULL, "
        "FOREIGN KEY (page) REFERENCES page (id) ON DELETE CASCADE, "
        "FOREIGN KEY (twig) REFERENCES twig (id) ON DELETE CASCADE)",
        "INSERT INTO twig VALUES (1, 1), (2, 1)",
        "INSERT INTO leaf VALUES (1, 1, 2), (2, NULL, 1)",
    )
    before = pages.read("page", "twig", "leaf")

    @m.tool(**sql.delete(pages.engine, "page", id="page_id"))
    async def remove(page_id: int) -> None:
        pages.run("DELETE FROM page WHERE id = 1")

    assert await act(m, lambda: remove(1)) == []
    assert pages.read("page", "twig", "leaf") == before


async def test_a_reference_beside_its_column_is_followed_to_the_end(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE page (id INTEGER PRIMARY KEY, said TEXT)",
        "CREATE TABLE twig (id INTEGER PRIMARY KEY, page REFERENCES Page ON DELETE CASCADE)",
        "CREATE TABLE leaf (id INTEGER PRIMARY KEY, twig REFERENCES twig (ID) ON DELETE CASCADE)",
        "INSERT INTO page VALUES (1, 'milk')",
        "INSERT INTO twig VALUES (1, 1)",
        "INSERT INTO leaf VALUES (1, 1)",
    )

    @m.tool(**sql.delete(sqlite_engine, "page", id="page_id"))
    async def remove(page_id: int) -> None:
        world.run("DELETE FROM page WHERE id = 1")
        assert world.read("page", "twig", "leaf") == []

    assert await act(m, lambda: remove(1)) == []
    assert world.read("page", "twig", "leaf") == [(1, "milk"), (1, 1), (1, 1)]


TAKE = "UPDATE stock SET left_over = left_over - 4 WHERE id = NEW.id"
FUNCTION = (
    "CREATE OR REPLACE FUNCTION sell() RETURNS trigger LANGUAGE plpgsql "
    f"AS $$ BEGIN {TAKE}; RETURN NEW; END $$"
)
TRIGGERS = {
    "sqlite": [f"CREATE TRIGGER sold AFTER INSERT ON page BEGIN {TAKE}; END"],
    "postgresql": [
        FUNCTION,
        "CREATE TRIGGER sold AFTER INSERT ON page FOR EACH ROW EXECUTE FUNCTION sell()",
    ],
    "mysql": [f"CREATE TRIGGER sold AFTER INSERT ON page FOR EACH ROW {TAKE}"],
}


@pytest.fixture
def stocked(pages: World) -> World:
    """A page that is made takes four of the stock."""
    pages.run(
        "CREATE TABLE stock (id INTEGER PRIMARY KEY, left_over INTEGER)",
        "INSERT INTO stock VALUES (1, 10)",
        *TRIGGERS[pages.engine.dialect.name],
    )
    return pages


SELL = "INSERT INTO page VALUES (1, 'sold')"


@pytest.mark.parametrize("leaves", [[], ["note"]])
async def test_what_a_trigger_writes_elsewhere_is_refused_by_its_table(
    stocked: World, m: Mulligan, leaves: list[str]
) -> None:
    named = "page" if stocked.engine.dialect.name == "mysql" and not leaves else "stock"

    @m.tool(**sql.insert(stocked.engine, "page", id="page_id", leaves=leaves))
    async def sell(page_id: int) -> None:
        stocked.run(SELL)

    assert (
        await act_refused(
            m, lambda: sell(1), sql.UndeclaredWriteError, match=rf"leaves=\['{named}'\]"
        )
        == []
    )
    assert stocked.read("page", "stock") == [(1, 10)]


async def test_what_a_trigger_writes_is_undone_where_it_is_declared(
    stocked: World, m: Mulligan
) -> None:
    engine = stocked.engine
    parts = sql.update(engine, "stock", id="item"), sql.insert(engine, "page", id="item")

    @m.tool(**compose(*parts))
    async def sell(item: int) -> None:
        stocked.run(SELL)
        assert stocked.read("stock") == [(1, 6)]

    assert await act(m, lambda: sell(1)) == []
    assert stocked.read("page", "stock") == [(1, 10)]


AUDIT = "INSERT INTO stock (said) VALUES ('seen')"
AUDITS = {
    "sqlite": "CREATE TRIGGER audit_{0} AFTER {0} ON page BEGIN " + AUDIT + "; END",
    "postgresql": "CREATE TRIGGER audit_{0} AFTER {0} ON page FOR EACH ROW EXECUTE FUNCTION note()",
    "mysql": "CREATE TRIGGER audit_{0} AFTER {0} ON page FOR EACH ROW " + AUDIT,
}
COUNTED = {
    "sqlite": "",
    "postgresql": "GENERATED BY DEFAULT AS IDENTITY",
    "mysql": "AUTO_INCREMENT",
}


@pytest.mark.parametrize("way", ["update", "insert", "delete"])
async def test_what_triggers_write_into_a_table_that_may_stay_hinders_no_undo(
    pages: World, m: Mulligan, way: str
) -> None:
    name = pages.engine.dialect.name
    pages.run(
        f"CREATE TABLE stock (id INTEGER PRIMARY KEY {COUNTED[name]}, said VARCHAR(20))",
        "INSERT INTO page VALUES (1, 'old')",
    )
    if name == "postgresql":
        body = f"$$ BEGIN {AUDIT}; RETURN NULL; END $$"
        pages.run(f"CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS {body}")
    pages.run(*(AUDITS[name].format(event) for event in ("INSERT", "UPDATE", "DELETE")))
    statements = {
        "update": "UPDATE page SET said = 'new' WHERE id = 1",
        "insert": "INSERT INTO page VALUES (2, 'new')",
        "delete": "DELETE FROM page WHERE id = 1",
    }

    @m.tool(**getattr(sql, way)(pages.engine, "page", id="page_id", leaves=["stock"]))
    async def change(page_id: int) -> None:
        pages.run(statements[way])

    assert await act(m, lambda: change(2 if way == "insert" else 1)) == []
    assert pages.read("page") == [(1, "old")]
    assert [said for _, said in pages.read("stock")] == ["seen", "seen"]


async def test_what_an_inner_tool_writes_in_the_transaction_around_it_is_refused_by_that_reason(
    world: World, m: Mulligan
) -> None:
    before, rename = world.read("task"), "UPDATE task SET title = 'beer' WHERE task_id = {}"
    used: list[Any] = []

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def inner(task_id: int) -> None:
        used[0].execute(text(rename.format(task_id)))

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def outer(task_id: int) -> None:
        with world.engine.begin() as connection:
            used.append(connection)
            connection.execute(text(rename.format(task_id)))
            await inner(2)

    refused = sql.NoTransactionError
    assert await act_refused(m, lambda: outer(1), refused, match="of the tool around it") == []
    assert world.read("task") == before


async def test_what_is_set_to_what_it_was_is_refused_by_that_reason_where_it_is_counted(
    pages: World, m: Mulligan
) -> None:
    pages.run("INSERT INTO page VALUES (1, 'old')")

    @m.tool(**sql.update(pages.engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        pages.run("UPDATE page SET said = 'old' WHERE id = 1")

    if pages.engine.dialect.name == "mysql":
        refused = sql.UndeclaredWriteError
        states = await act_refused(m, lambda: change(1), refused, match="what it is already")
    else:
        states = await act(m, lambda: change(1))

    assert states == []
    assert pages.read("page") == [(1, "old")]


async def test_what_an_undo_would_make_a_trigger_write_is_left_to_a_person(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE page (id INTEGER PRIMARY KEY, said TEXT)",
        "CREATE TABLE stock (id INTEGER PRIMARY KEY, left_over INTEGER)",
        "INSERT INTO stock VALUES (1, 10)",
        "CREATE TRIGGER back AFTER DELETE ON page BEGIN "
        "UPDATE stock SET left_over = left_over + 4 WHERE id = OLD.id; END",
    )

    @m.tool(**sql.insert(sqlite_engine, "page", id="page_id"))
    async def write(page_id: int) -> None:
        world.run(SELL)

    states = await act(m, lambda: write(1))

    assert states == [State.UNDO_FAILED]
    [left] = m.insights.open_list.actions()
    assert "stock 1" in str(left.detail["why"])
    assert world.read("page", "stock") == [(1, "sold"), (1, 10)]


async def test_another_row_than_the_declared_one_is_not_changed(pages: World, m: Mulligan) -> None:
    pages.run("INSERT INTO page VALUES (1, 'one'), (2, 'two')")

    @m.tool(**sql.update(pages.engine, "page", id="page_id"))
    async def change(page_id: int) -> None:
        pages.run(
            "UPDATE page SET said = 'x' WHERE id = 1", "UPDATE page SET said = 'x' WHERE id = 2"
        )

    assert await act_refused(m, lambda: change(1), sql.UndeclaredWriteError, match="page") == []
    assert pages.read("page") == [(1, "one"), (2, "two")]


async def test_a_column_without_a_type_is_as_good_as_any(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    rows = [(1, "a", 1.5), (2, b"\x00\xff", None)]
    world.run("CREATE TABLE bare (id PRIMARY KEY, one, two NUMERIC)")
    with sqlite_engine.begin() as connection:
        for row in rows:
            connection.exec_driver_sql("INSERT INTO bare VALUES (?, ?, ?)", row)

    @m.tool(**sql.rows(sqlite_engine, "bare", where=lambda _: ("id < 3", {})))
    async def change() -> None:
        world.run("UPDATE bare SET one = 7 WHERE id = 1", "DELETE FROM bare WHERE id = 2")

    assert await act(m, change) == []
    assert world.read("bare") == rows


async def test_a_session_that_makes_a_row_and_changes_it_takes_both_back(
    world: World, m: Mulligan
) -> None:
    before, task = world.read("task"), world.load("task")

    @m.tool(**sql.insert(world.engine, "task"))
    async def create() -> None:
        with Session(world.engine) as session:
            made = session.execute(insert(task).values(title="new", rev=1))
            [number] = made.inserted_primary_key
            session.execute(task.update().where(task.c.task_id == number).values(title="newer"))
            session.commit()

    assert await act(m, create) == []
    assert world.read("task") == before


@pytest.mark.parametrize("fails", [False, True])
async def test_what_a_tool_leaves_uncommitted_does_not_land_later(
    world: World, m: Mulligan, fails: bool
) -> None:
    before = world.read("task")
    session = Session(world.engine)

    @m.tool(**sql.update(world.engine, "task", id="task_id"))
    async def rename(task_id: int) -> None:
        session.execute(text("UPDATE task SET title = 'beer' WHERE task_id = 1"))
        if fails:
            raise ValueError("too late")

    async def work():
        # Made again after its error, it meets what it has left itself.
        refused = (ValueError, sql.OutdatedRowError) if fails else sql.NoTransactionError
        with pytest.raises(refused):
            await rename(1)
        with pytest.raises(sql.NoTransactionError, match="before its transaction was committed"):
            session.commit()

    with session:
        assert await act(m, work) == []
    assert world.read("task") == before


class Mapped(DeclarativeBase):
    pass


class Task(Mapped):
    __tablename__ = "task"
    task_id = mapped_column(Integer, primary_key=True)
    title = mapped_column(String)
    rev = mapped_column(Integer)


def add(session: Session) -> None:
    session.add(Task(task_id=7, title="new", rev=1))


def change(session: Session) -> None:
    session.get_one(Task, 1).title = "beer"


def remove(session: Session) -> None:
    session.delete(session.get_one(Task, 1))


@pytest.mark.parametrize(
    ("declare", "write"), [(sql.insert, add), (sql.update, change), (sql.delete, remove)]
)
async def test_what_a_session_has_not_even_written_yet_does_not_land_later(
    world: World, m: Mulligan, declare: Any, write: Callable[[Session], None]
) -> None:
    before, session = world.read("task"), Session(world.engine)

    @m.tool(**declare(world.engine, "task", id="task_id"))
    async def work(task_id: int) -> None:
        write(session)

    async def leave_to_others():
        with pytest.raises(sql.NoTransactionError, match=r"session\.commit\(\)` inside the tool"):
            await work(7 if write is add else 1)

    with session:
        assert await act(m, leave_to_others) == []
        with pytest.raises(sql.NoTransactionError):
            session.commit()
    assert world.read("task") == before


async def test_a_session_is_used_again_once_it_has_let_go_of_what_a_call_had_left(
    world: World, m: Mulligan
) -> None:
    session = Session(world.engine)

    @m.tool(**sql.insert(world.engine, "task", id="task_id"))
    async def create(task_id: int) -> None:
        session.add(Task(task_id=task_id, title="new", rev=1))

    await act_refused(m, lambda: create(7), sql.NoTransactionError)
    session.close()
    session.add(Task(task_id=8, title="mine", rev=1))
    session.commit()
    session.close()

    assert [row for row in world.read("task") if "new" in row] == []
    assert [row for row in world.read("task") if "mine" in row] != []


async def test_a_call_that_does_nothing_is_not_blamed_for_a_session_of_another_thread(
    world: World, m: Mulligan
) -> None:
    with Session(world.engine) as others:

        @m.tool(**sql.update(world.engine, "task", id="task_id"))
        async def look(task_id: int) -> str:
            beside = threading.Thread(target=add, args=(others,))
            beside.start()
            beside.join()
            return "nothing to do"

        async def work():
            assert await look(1) == "nothing to do"

        await act(m, work)
        others.commit()

    assert [row for row in world.read("task") if "new" in row] != []


async def test_what_somebody_else_changes_meanwhile_is_theirs_to_commit(
    world: World, m: Mulligan
) -> None:
    with Session(world.engine) as others:
        theirs = others.get_one(Task, 1)

        @m.tool(**sql.update(world.engine, "task", id="task_id"))
        async def look(task_id: int) -> None:
            # As from another task: nothing of it was seen with the call.
            theirs.title = "theirs"

        async def work():
            with pytest.raises(sql.NoTransactionError):
                await look(1)

        states = await act(m, work)
        others.commit()

    assert State.UNDONE not in states
    assert "theirs" in world.read("task")[0]


@pytest.mark.parametrize("again", [False, True], ids=["once", "always"])
async def test_rows_that_a_trigger_changes_as_others_come_back_are_not_called_restored(
    sqlite_engine: Engine, m: Mulligan, again: bool
) -> None:
    world = World(engine=sqlite_engine)
    shift = "BEGIN UPDATE page SET place = place + 1 WHERE id <> NEW.id; END"
    world.run(
        "CREATE TABLE page (id INTEGER PRIMARY KEY, place INTEGER)",
        "INSERT INTO page VALUES (1, 1), (2, 2)",
        f"CREATE TRIGGER shift AFTER INSERT ON page {shift}",
        *([f"CREATE TRIGGER shift_too AFTER UPDATE ON page {shift}"] if again else []),
    )
    before = world.read("page")

    @m.tool(**sql.rows(sqlite_engine, "page", where=lambda _: ("id < 3", {})))
    async def clear() -> None:
        world.run("DELETE FROM page WHERE id < 3")

    states = await act(m, clear)

    assert bool(states) is again
    assert set(states) <= {State.UNDO_FAILED, State.CONFLICT}
    assert world.read("page") == ([] if again else before)


@pytest.mark.parametrize(
    ("event", "statement"),
    [
        ("AFTER UPDATE OF said", "UPDATE folio SET said = 'x' WHERE id = 1"),
        ("AFTER DELETE", "DELETE FROM folio WHERE id = 1"),
    ],
)
async def test_what_a_trigger_does_to_a_row_that_depends_on_another_is_refused(
    sqlite_engine: Engine, m: Mulligan, event: str, statement: str
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE folio (id INTEGER PRIMARY KEY, said TEXT)",
        "CREATE TABLE sheet (id INTEGER PRIMARY KEY, n INTEGER, "
        "folio INTEGER REFERENCES folio (id) ON DELETE SET NULL)",
        "INSERT INTO folio VALUES (1, 'milk')",
        "INSERT INTO sheet VALUES (1, 7, 1)",
        f"CREATE TRIGGER count_up {event} ON folio BEGIN UPDATE sheet SET n = n + 1; END",
    )

    @m.tool(**sql.rows(sqlite_engine, "folio", where=lambda _: ("id = 1", {})))
    async def change() -> None:
        world.run(statement)

    assert await act_refused(m, change, sql.UndeclaredWriteError, match="sheet 1") == []
    assert world.read("folio", "sheet") == [(1, "milk"), (1, 7, 1)]


@pytest.mark.parametrize("titles", [["old"], ["new", "new"], ["new", "old"]])
async def test_what_a_trigger_sets_again_with_the_undo_is_not_taken_for_the_calls_work(
    sqlite_engine: Engine, m: Mulligan, titles: list[str]
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE folio (id INTEGER PRIMARY KEY, said TEXT, n INTEGER)",
        "INSERT INTO folio VALUES (1, 'old', 7)",
        "CREATE TRIGGER count_up AFTER UPDATE OF said ON folio BEGIN UPDATE folio SET n = n + 1; "
        "END",
    )

    @m.tool(**sql.update(sqlite_engine, "folio", id="folio"))
    async def change(folio: int, said: str, number: int) -> None:
        world.run(f"UPDATE folio SET said = '{said}' WHERE id = {folio}")

    async def work() -> None:
        for number, said in enumerate(titles):
            await change(1, said, number)

    assert await act(m, work) == []
    assert world.read("folio")[0][:2] == (1, "old")


async def test_a_row_that_loses_one_reference_and_goes_by_another_comes_back(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        "CREATE TABLE folio (id INTEGER PRIMARY KEY, said TEXT)",
        "CREATE TABLE sheet (id INTEGER PRIMARY KEY, "
        "above INTEGER REFERENCES folio (id) ON DELETE SET NULL, "
        "beside INTEGER REFERENCES folio (id) ON DELETE CASCADE)",
        "INSERT INTO folio VALUES (1, 'one'), (2, 'two')",
        "INSERT INTO sheet VALUES (1, 1, 2)",
    )
    before = world.read("folio", "sheet")

    @m.tool(**sql.rows(sqlite_engine, "folio", where=lambda _: ("id < 3", {})))
    async def clear() -> None:
        world.run("DELETE FROM folio WHERE id < 3")

    assert await act(m, clear) == []
    assert world.read("folio", "sheet") == before


@pytest.mark.full
@pytest.mark.parametrize("error", [TimeoutError, ValueError])
async def test_what_a_savepoint_has_written_goes_with_its_transaction(
    pages: World, m: Mulligan, error: type[Exception]
) -> None:
    runs: list[int] = []

    @m.tool(**sql.insert(pages.engine, "page"))
    async def create() -> None:
        runs.append(1)
        with pages.engine.begin() as connection:
            with connection.begin_nested():
                connection.execute(text(f"INSERT INTO page VALUES ({len(runs)}, 'new')"))
            raise error("lost")

    await act_refused(m, create, error)

    assert pages.read("page") == []


@pytest.mark.parametrize("created", ["", " ON CONFLICT REPLACE"])
async def test_a_row_is_not_replaced_where_nobody_says_which_it_is(
    sqlite_engine: Engine, m: Mulligan, created: str
) -> None:
    world = World(engine=sqlite_engine)
    world.run(
        f"CREATE TABLE sheet (id INTEGER PRIMARY KEY{created}, said TEXT)",
        "INSERT INTO sheet VALUES (7, 'theirs')",
    )
    way = "INSERT" if created else "INSERT OR REPLACE"

    @m.tool(**sql.insert(sqlite_engine, "sheet"))
    async def save() -> None:
        world.run(f"{way} INTO sheet VALUES (7, 'new')")

    await act_refused(m, save, sql.UndeclaredWriteError, match="REPLACE may delete rows")

    assert world.read("sheet") == [(7, "theirs")]


async def test_what_stands_behind_a_nul_is_part_of_a_row(
    sqlite_engine: Engine, m: Mulligan
) -> None:
    world = World(engine=sqlite_engine)
    world.run("CREATE TABLE sheet (id INTEGER PRIMARY KEY, said TEXT)")
    put = text("INSERT OR REPLACE INTO sheet VALUES (1, :said)")

    def write(said: str) -> None:
        with sqlite_engine.begin() as connection:
            connection.execute(put, {"said": said})

    write("a\0old")

    @m.tool(**sql.update(sqlite_engine, "sheet", id="page_id"))
    async def change(page_id: int) -> None:
        with sqlite_engine.begin() as connection:
            connection.execute(text("UPDATE sheet SET said = :said"), {"said": "a\0agent"})

    async def work():
        await change(1)
        write("a\0theirs")

    states = await act(m, work)

    assert world.read("sheet") == [(1, "a\0theirs")]
    assert len(states) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "WITH u AS (UPDATE sheet SET said = 'new' RETURNING id) SELECT count(*) FROM u",
        "WITH u AS (DELETE FROM sheet WHERE id = 2) UPDATE sheet SET said = 'new' WHERE id = 1",
        "UPDATE sheet SET said = 'new' WHERE id = 1; UPDATE sheet SET said = 'new' WHERE id = 2",
        "SELECT * INTO spare FROM sheet",
    ],
)
async def test_what_a_statement_writes_beside_its_row_is_refused(
    postgres_engine: Engine, m: Mulligan, statement: str
) -> None:
    world = World(engine=postgres_engine)
    world.run(
        "CREATE TABLE sheet (id INTEGER PRIMARY KEY, said TEXT)",
        "INSERT INTO sheet VALUES (1, 'old'), (2, 'old')",
    )

    @m.tool(**sql.update(postgres_engine, "sheet", id="page_id"))
    async def change(page_id: int) -> None:
        world.run(statement)

    await act_refused(m, lambda: change(1), sql.UndeclaredWriteError)

    assert world.read("sheet") == [(1, "old"), (2, "old")]
