"""A database with a row of every tenant in every table, and roles of a server to look at it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import psycopg
from psycopg import sql

from mulligan.stores.postgres.roles import BY_COLUMN, BY_PARENT, HIDDEN

TENANTS = [
    "acme",
    "Acme",
    "3f2b8c1e-0f5b-4a51-9f0c-7d1f6b1f2a10",
    "3f2b8c1e-0f5b-4a51-9f0c-7d1f6b1f2a11",
    "ann@example.com",
    "ann+b@example.com",
    "42",
    "042",
    "two words",
    "two  words",
    "o'brien",
    'she said "all"',
    "' or true --",
    "%",
    "_",
    "żółw 🐢",
    "x" * 5000,
    "x" * 5001,
]
"""Names of every shape, and pairs that are almost the same."""

PASSWORD = "look"
_COLUMNS = """
select column_name, data_type from information_schema.columns
where table_schema = 'mulligan' and table_name = %s and is_identity = 'NO'
order by ordinal_position
"""


def fill(url: str) -> None:
    """Write two rows of every tenant into every table that has room for them."""
    with psycopg.connect(url, autocommit=True, options="-csearch_path=mulligan") as connection:
        for number, tenant in enumerate(TENANTS, start=1):
            for turn in (1, 2):
                _fill_for(connection, tenant, number * 10 + turn)


def _fill_for(connection: psycopg.Connection, tenant: str, number: int) -> None:
    keys = {parent: f"{parent}-{number}" for parent in ("action", "lesson")}
    for table in [*sorted(BY_COLUMN), *sorted(BY_PARENT), *sorted(HIDDEN)]:
        if table == "migration":
            continue
        values = {
            column: _make_value(column, kind, table=table, number=number)
            for column, kind in connection.execute(_COLUMNS, [table]).fetchall()
        }
        values |= {"tenant": tenant} if "tenant" in values else {}
        if table in keys:
            values["id"] = keys[table]
        if table in BY_PARENT:
            parent, joined = BY_PARENT[table]
            values[joined.rpartition(".")[2]] = keys[parent]
        returned = _insert(connection, table, values)
        if table in ("ground", "pattern", "row_kind"):
            keys[table] = returned


def _make_value(column: str, kind: str, *, table: str, number: int) -> object:
    if (table, column) in {("secret", "number"), ("key_check", "number")}:
        return 1
    if kind == "bytea":
        return str(number).encode()
    if kind == "smallint":
        return number % 2
    return number if kind in ("bigint", "integer", "double precision") else f"{column}-{number}"


def _insert(connection: psycopg.Connection, table: str, values: dict[str, object]) -> object:
    form = sql.SQL("insert into {} ({}) values ({}) on conflict do nothing returning *").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join([sql.Placeholder()] * len(values)),
    )
    row = connection.execute(form, list(values.values())).fetchone()
    return None if row is None else row[0]


@contextmanager
def make_role(url: str, stem: str = "reader") -> Iterator[str]:
    """A role that may log in and was given nothing, dropped afterwards."""
    role = f"{stem} {uuid.uuid4().hex[:12]}"
    name = sql.Identifier(role)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("create role {} login password {}").format(name, sql.Literal(PASSWORD))
        )
        try:
            yield role
        finally:
            connection.execute(sql.SQL("drop owned by {} cascade").format(name))
            connection.execute(sql.SQL("drop role {}").format(name))


def build_url_of(url: str, role: str) -> str:
    """The URL of a store as another role opens it."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{quote(role, safe='')}:{PASSWORD}@{rest.partition('@')[2]}"


@contextmanager
def connect_as(url: str, role: str) -> Iterator[psycopg.Connection]:
    """A connection for SQL written by hand."""
    options = "-csearch_path=mulligan"
    with psycopg.connect(build_url_of(url, role), autocommit=True, options=options) as connection:
        yield connection
