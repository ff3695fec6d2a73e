"""A mark is there if its call is, and a call that was looked for and not found never comes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.ext.asyncio import create_async_engine

from mulligan import Mulligan
from mulligan.types.call import Image, Record
from mulligan_packs import sql
from mulligan_packs.sql.marks import find_mark
from mulligan_packs.sql.writing import TableOptions, TableWriter
from mulligan_testing.postgres import to_sqlalchemy_url
from tests.packs.sql.world import World, act


def build_writing(world: World) -> TableWriter:
    return TableWriter(world.engine, "task", TableOptions(id="task_id", version="rev"))


def test_a_call_that_was_not_found_cannot_come_late(world: World) -> None:
    writing = build_writing(world)
    record = Record(arguments={"task_id": 1}, key="k1")
    record = Record(arguments={"task_id": 1}, key="k1", image=Image(writing.read_pre_image(record)))

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
    before = writing.read_pre_image(Record(arguments={}, key="k4"))
    record = Record(arguments={}, key="k4", image=Image(before), version="1")

    assert writing.find_call(record) is None
    assert writing.is_same(before, writing.read_current(record))


def test_a_call_is_found_by_its_mark_with_the_version_it_left(world: World) -> None:
    writing = build_writing(world)
    record = Record(arguments={"task_id": 1}, key="k2")
    record = Record(arguments={"task_id": 1}, key="k2", image=Image(writing.read_pre_image(record)))
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
