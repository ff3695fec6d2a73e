"""Values of every kind come back exactly, also those that no driver gives back as they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from mulligan import Mulligan
from mulligan_packs import sql
from tests.packs.sql.world import World, act

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
def kinds(world: World) -> Iterator[World]:
    columns = COLUMNS[world.engine.dialect.name.replace("mariadb", "mysql")]
    given = {name: value for name, (_, value) in columns.items() if value is not None}
    with world.engine.begin() as connection:
        quote = connection.dialect.identifier_preparer.quote
        declared = ", ".join(f"{quote(name)} {kind}" for name, (kind, _) in columns.items())
        connection.exec_driver_sql(f"CREATE TABLE kind (id INTEGER PRIMARY KEY, {declared})")
        names, values = ", ".join(map(quote, given)), ", ".join(given.values())
        connection.exec_driver_sql(f"INSERT INTO kind (id, {names}) VALUES (1, {values})")
    yield world
    world.run("DROP TABLE kind")


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
