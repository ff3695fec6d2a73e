"""One tool that does two things is undone as two, and found as two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, event, insert, text

from mulligan import Effect, Mulligan, State, Undoing
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.declaration import Declared, declare
from mulligan.runtime.promises import list_promises
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError, ConflictError
from mulligan_packs import sql
from mulligan_packs.compose import compose
from mulligan_testing.fakes import FixedClock
from mulligan_testing.proof import Trial, prove_undo
from tests.packs.proving import act, reject
from tests.packs.sql.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    engine: Engine = create_engine(f"sqlite:///{tmp_path}/rows.db")
    made = World(engine=engine)
    made.create()
    yield made
    engine.dispose()


def build_tool(m: Mulligan, world: World):
    note, engine = world.load("note"), world.engine

    @m.tool(
        **compose(
            sql.update(engine, "task", id="task_id", version="rev"), sql.insert(engine, "note")
        )
    )
    async def finish(task_id: int) -> None:
        with engine.begin() as connection:
            connection.execute(
                text("UPDATE task SET title = 'done', rev = rev + 1 WHERE task_id = :task"),
                {"task": task_id},
            )
            connection.execute(insert(note).values(note_id=7, said="done", task_id=task_id))

    return finish


@pytest.mark.full
async def test_both_parts_are_proven(world: World) -> None:
    def build(**proving):
        world.fill()
        m = Mulligan("memory:", **proving)
        finish = build_tool(m, world)
        return Trial(m=m, call=lambda: finish(1), look=lambda: world.read("task", "note"))

    proof = await prove_undo(build)

    assert proof.runs >= 20
    assert proof.for_a_person == {}


async def test_an_edit_of_one_part_is_left_alone(world: World) -> None:
    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        finish = build_tool(m, world)

        async def work() -> None:
            await finish(1)
            world.run("UPDATE task SET title = 'theirs', rev = rev + 1 WHERE task_id = 1")

        assert await act(m, work) == [State.CONFLICT]
    assert (1, "theirs") in world.read("task")


def test_what_cannot_be_undone_is_not_composed() -> None:
    with pytest.raises(ConfigurationError, match="can be undone"):
        compose({"effect": Effect.IRREVERSIBLE})


async def test_what_one_part_was_refused_does_not_speak_for_the_other(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = World(engine=create_engine(f"sqlite:///{tmp_path}/other/rows.db"))
    other.create()
    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        parts = [sql.update(each.engine, "task", id="task_id") for each in (world, other)]

        @m.tool(**compose(*parts))
        async def finish(task_id: int) -> None:
            change = text("UPDATE task SET title = 'done' WHERE task_id = 1")
            with world.engine.begin() as connection:
                connection.execute(change)
            with other.engine.begin() as connection:
                connection.execute(change)
                connection.execute(text("UPDATE note SET said = 'x'"))

        async def work() -> None:
            with suppress(sql.UndeclaredWriteError):  # unless it is found to have been done
                await finish(1)
            assert (1, "done") in world.read("task")

        states = await act(m, work)
    other.engine.dispose()

    assert (1, "milk") in world.read("task") or states, "either undone, or told of"


async def test_where_all_parts_were_refused_nothing_was_done(world: World) -> None:
    before = world.read("task", "note")
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(
            **compose(
                sql.update(world.engine, "task", id="task_id"), sql.insert(world.engine, "note")
            )
        )
        async def finish(task_id: int) -> None:
            with world.engine.begin() as connection:
                connection.execute(text("DELETE FROM person"))

        async def work() -> None:
            with pytest.raises(sql.UndeclaredWriteError):
                await finish(1)

        assert await act(m, work) == []
    assert world.read("task", "note") == before


@dataclass
class Pages:
    """Two pages with versions, of which one may be away."""

    there: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {name: {"text": "old", "rev": 1} for name in "ab"}
    )
    away: str = ""

    def write(self, name: str, text: str) -> None:
        if name == self.away:
            raise TimeoutError(f"{name} is away")
        self.there[name] = {"text": text, "rev": self.there[name]["rev"] + 1}

    def declare(self, name: str) -> Declared:
        def put_back(record: Record) -> None:
            if str(self.there[name]["rev"]) != record.version:
                raise ConflictError(f"{name} was changed since")
            self.write(name, record.before["text"])

        def find(record: Record) -> dict[str, Any] | None:
            there = self.there[name]
            return dict(there) if there["text"] == record.arguments["text"] else None

        def read_version(record: Record) -> object:
            found = record.result if isinstance(record.result, dict) else self.there[name]
            return found["rev"]

        return Declared(
            effect=Effect.REVERSIBLE,
            before=lambda _: dict(self.there[name]),
            undo=put_back,
            probe=find,
            version=read_version,
            undoing=Undoing(same=lambda was, now: was["text"] == now["text"]),
            about=lambda _: name,
        )

    async def live(self, *, call_lacks: str = "", undo_lacks: str = "") -> list[State]:
        """One call for both pages, which is found wrong; what is open in the end."""
        clock = FixedClock(datetime(2026, 11, 15, 9, 0, tzinfo=UTC))

        async def agent(turn: OpenTurn) -> str:
            self.away = call_lacks
            if turn.attempt.number == 1:
                with suppress(TimeoutError):  # the remote gave no answer
                    await write_both("new")
            self.away = undo_lacks
            return "Written."

        async with Mulligan("memory:", checks=[reject], clock=clock, recover=False) as m:

            @m.tool(**compose(self.declare("a"), self.declare("b")))
            async def write_both(text: str) -> None:
                for name in "ab":
                    self.write(name, text)

            await m.act("Write both", agent)
            self.away = ""
            clock.move(timedelta(minutes=10))
            await m.recover()
            return [action.state for action in m.insights.open_list.actions()]


@pytest.mark.full
@pytest.mark.parametrize("lacks", [{"undo_lacks": "a"}, {"undo_lacks": "b"}, {"call_lacks": "b"}])
async def test_half_of_a_call_or_of_its_undo_is_known_as_ours_and_undone(
    lacks: dict[str, str],
) -> None:
    pages = Pages()

    assert await pages.live(**lacks) == []
    assert [page["text"] for page in pages.there.values()] == ["old", "old"]


def test_doctor_says_what_an_undo_of_rows_covers_and_what_it_leaves(world: World) -> None:
    def remove(task_id: int) -> None:
        """A tool."""

    rows = sql.delete(world.engine, "task", id="task_id", leaves=["audit"])

    said = " ".join(list_promises(declare(remove, **compose(rows))))

    assert "rests on the declared rows of task, and what goes with them by foreign keys" in said
    assert "makes the database write anything else, also by a trigger, is refused" in said
    assert "An undo does not bring back: rows that it also wrote to audit." in said


@pytest.mark.full
@pytest.mark.parametrize("first", [0, 1])
async def test_a_part_that_rests_on_another_is_undone_after_it_in_whatever_order(
    world: World, first: int
) -> None:
    engine = world.engine
    event.listen(engine, "connect", lambda driver, _: driver.execute("PRAGMA foreign_keys = ON"))
    engine.dispose()
    world.run("CREATE TABLE crate (id INTEGER PRIMARY KEY)")
    world.run("CREATE TABLE jar (id INTEGER PRIMARY KEY, crate INTEGER REFERENCES crate (id))")
    world.run("INSERT INTO crate VALUES (1)")
    world.run("INSERT INTO jar VALUES (1, 1), (2, 1)")
    parts = [
        sql.delete(engine, "crate", id="crate"),
        sql.rows(engine, "jar", where=lambda _: ("crate = 1", {})),
    ]
    async with Mulligan("memory:", checks=[reject], recover=False) as m:

        @m.tool(**compose(parts[first], parts[1 - first]))
        async def drop(crate: int) -> None:
            with engine.begin() as connection:
                connection.execute(text("DELETE FROM jar WHERE crate = 1"))
                connection.execute(text("DELETE FROM crate WHERE id = 1"))

        assert await act(m, lambda: drop(1)) == []
    with engine.begin() as connection:
        found = connection.execute(text("SELECT id, crate FROM jar ORDER BY id")).all()
    assert found == [(1, 1), (2, 1)]


async def test_an_undo_of_one_part_alone_is_told_as_that(world: World) -> None:
    async with Mulligan("memory:", checks=[reject], recover=False) as m:

        def refuse(_: Record) -> None:
            raise ConflictError("it is locked")

        kept = {"text": "old"}
        plain = Declared(
            effect=Effect.REVERSIBLE,
            before=lambda _: dict(kept),
            undo=refuse,
            version=lambda record: record.result["text"] if record.result else "new",
        )
        changed = sql.update(world.engine, "task", id="task_id", version="rev")

        @m.tool(**compose(plain, changed))
        async def finish(task_id: int) -> None:
            kept["text"] = "new"
            world.run("UPDATE task SET title = 'done', rev = rev + 1 WHERE task_id = 1")

        assert await act(m, lambda: finish(1)) == [State.UNDO_FAILED]
        [action] = m.insights.open_list.actions()
        assert "1 of the 2 parts" in str(action.detail["why"])


@pytest.mark.parametrize("first", [0, 1])
async def test_parts_in_one_database_are_undone_all_or_none(world: World, first: int) -> None:
    engine = world.engine
    world.run("CREATE TABLE crate (id INTEGER PRIMARY KEY)")
    world.run("CREATE TABLE jar (id INTEGER PRIMARY KEY, crate INTEGER)")
    world.run("CREATE TABLE sent (id INTEGER PRIMARY KEY, crate INTEGER REFERENCES crate (id))")
    parts = [sql.insert(engine, "crate"), sql.insert(engine, "jar")]
    async with Mulligan("memory:", checks=[reject], recover=False) as m:

        @m.tool(**compose(parts[first], parts[1 - first]))
        async def fill() -> None:
            with engine.begin() as connection:
                connection.execute(text("INSERT INTO crate VALUES (7) RETURNING id"))
                connection.execute(text("INSERT INTO jar VALUES (1, 7) RETURNING id"))

        async def work() -> None:
            await fill()
            world.run("INSERT INTO sent VALUES (1, 7)")  # by somebody else

        assert await act(m, work) == [State.UNDO_FAILED]
    with engine.begin() as connection:
        found = connection.execute(text("SELECT crate.id, jar.id FROM crate, jar")).all()
    assert found == [(7, 1)]
