"""Our own table beside the user's: which calls are in the database, and what they left.

A mark is written in the transaction of the call itself, so that both are there or neither is. Who
looks for a call and does not find its mark writes one that voids it: the call cannot come late.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    Engine,
    MetaData,
    String,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from mulligan.types.errors import ConfigurationError
from mulligan_packs.sql.dialects import choose_dialect
from mulligan_packs.sql.errors import VoidCallError
from mulligan_packs.sql.table import ABSENT, UserTable

MARKS = Table(
    "mulligan_mark",
    MetaData(),
    Column("id", String(120), primary_key=True),
    Column("about", Text, nullable=False),
    Column("left_at", Text),
    Column("made_at", DateTime, nullable=False),
)

VOID = "void"
"""What a mark is about where a call was looked for and not found."""


class CallMark(Struct, frozen=True, kw_only=True):
    """That a call is in the database."""

    about: str
    """The keys of its rows, as JSON."""
    left_at: str
    """What it left: a version, or as JSON one for each row."""

    @property
    def void(self) -> bool:
        """Whether it says that the call did not happen."""
        return self.about == VOID


def create_marks(engine: Engine) -> None:
    """Create our table beside the user's own: once, with the rights of a migration."""
    MARKS.metadata.create_all(engine)


async def create_marks_async(engine: AsyncEngine) -> None:
    """`create_marks` on an async engine."""
    async with engine.begin() as connection:
        await connection.run_sync(MARKS.metadata.create_all)


def prune_marks(engine: Engine, *, older_than: timedelta) -> int:
    """Delete old marks of calls. How many there were."""
    until = datetime.now(UTC).replace(tzinfo=None) - older_than
    with engine.begin() as connection:
        return connection.execute(delete(MARKS).where(MARKS.c.made_at < until)).rowcount


def load_marks(connection: Connection) -> Table:
    """Our table, in any schema; refuse to work where it was not created."""
    if not inspect(connection).has_table(MARKS.name):
        raise ConfigurationError(
            f"The database has no table {MARKS.name}, in which each call leaves its mark. Create "
            "it once: mulligan_packs.sql.create_marks(engine)."
        )
    # A tool may have names mean other tables than they do where its mark is looked for.
    schema = choose_dialect(connection.dialect.name).find_schema(connection, MARKS.name)
    return MARKS if schema is None else MARKS.to_metadata(MetaData(), schema=schema)


def find_mark(connection: Connection, mark: str, marks: Table = MARKS) -> CallMark | None:
    """The mark of a call."""
    found = connection.execute(select(marks).where(marks.c.id == mark)).first()
    return None if found is None else CallMark(about=found.about, left_at=found.left_at or ABSENT)


def find_undos(connection: Connection, left: str, *, tail: str, marks: Table) -> list[CallMark]:
    """The marks of undos that have left something, of which this is a part: their names end so."""
    wanted = marks.c.id.endswith(tail, autoescape=True) & marks.c.left_at.contains(left)
    found = connection.execute(select(marks).where(wanted)).all()
    return [CallMark(about=each.about, left_at=each.left_at) for each in found]


def drop_mark(connection: Connection, mark: str, marks: Table) -> None:
    """Make room for another of the same call."""
    connection.execute(delete(marks).where(marks.c.id == mark))


def leave_mark(
    connection: Connection,
    mark: str,
    *,
    marks: Table,
    about: str,
    table: UserTable,
    key: list[Any],
) -> str | None:
    """Write that a call is in the database, with the version of the row it leaves.

    That version, where the database tells it along with the insert.
    """
    told = connection.dialect.insert_returning
    left = f"SELECT {table.print} FROM {table.quoted} WHERE {table.where}"  # noqa: S608
    values = f"(id, about, left_at, made_at) VALUES (:mark, :about, ({left}), :now)"
    place = connection.dialect.identifier_preparer.format_table(marks)
    statement = f"INSERT INTO {place} {values}" + (" RETURNING left_at" if told else "")
    bound = {"mark": mark, "about": about, "now": _read_now(), **table.bind_key(key)}
    try:
        done = connection.execute(text(statement), bound)
    except IntegrityError as error:
        raise VoidCallError from error
    return str(done.scalar() or ABSENT) if told else None


def leave_plain_mark(
    connection: Connection, mark: str, *, marks: Table, about: str, left_at: str
) -> None:
    """Write that a call is in the database, where what it left is known already."""
    try:
        connection.execute(
            insert(marks).values(id=mark, about=about, left_at=left_at, made_at=_read_now())
        )
    except IntegrityError as error:
        raise VoidCallError from error


def mark_void(connection: Connection, mark: str, marks: Table) -> None:
    """Write that a call did not happen. An `IntegrityError` if it has come meanwhile."""
    connection.execute(insert(marks).values(id=mark, about=VOID, left_at=None, made_at=_read_now()))


def _read_now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
