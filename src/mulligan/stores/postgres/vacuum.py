"""Writes tables anew: a server leaves the bytes of a deleted row where they were.

The days of the log need none of it, as each goes with its table.
"""

from __future__ import annotations

from mulligan.core.errors import StoreError
from mulligan.core.sharing import Vacuumed
from mulligan.stores.postgres.session import PostgresSession


def vacuum_tables(session: PostgresSession, *, most_bytes: int | None) -> Vacuumed:
    """Each table that retention deletes rows from, unless it is larger, in use, or another's."""
    parts, left = [], []
    session.run("wait_briefly_for_tables")
    try:
        for table, size, ours in session.fetch("tables_with_deleted_rows"):
            if most_bytes is not None and size > most_bytes:
                left.append(f"{table} has {size / 1e6:,.0f} MB")
            elif not ours:
                left.append(f"{table} belongs to another role")
            elif (why := _vacuum(session, table)) is not None:
                left.append(f"{table}: {why}")
            else:
                parts.append(table)
    finally:
        session.run("wait_for_tables")
    return Vacuumed(parts=tuple(parts), left=tuple(left))


def _vacuum(session: PostgresSession, table: str) -> StoreError | None:
    try:
        session.run_named("vacuum_table", table=table)
    except StoreError as error:
        return error
    return None
