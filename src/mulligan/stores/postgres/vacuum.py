"""Writes tables anew: a server leaves the bytes of a deleted row where they were.

The days of the log need none of it, as each goes with its table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from psycopg.errors import Diagnostic

from mulligan.core.errors import StoreError
from mulligan.core.storage.sharing import Vacuumed
from mulligan.stores.database.driver import Row, fetch_one
from mulligan.stores.postgres.session import PostgresSession

TABLES = (
    "action", "archive", "daily", "entry", "episode", "execution", "execution_before",
    "execution_default", "finding", "ground", "hourly", "kept", "lesson", "lesson_version",
    "lesson_word", "loss", "notes", "pairing", "pattern", "pattern_day", "pattern_hour",
    "row_block", "row_kind", "scorecard", "stray_block", "task_run", "text_hour", "tool",
)  # fmt: skip
"""Those that rows are deleted from."""
_NUMBER = re.compile(r"\d+")


def vacuum_tables(
    session: PostgresSession, *, most_bytes: int | None, also: Iterable[str] = ()
) -> Vacuumed:
    """Each of them, and some days of the log, unless it is larger, in use, or another's."""
    parts, left = [], []
    session.run("wait_briefly_for_tables")
    try:
        for table in (*TABLES, *sorted(also)):
            standing = fetch_one(session, "table_standing", table=table)
            if standing is None:
                continue
            why = _vacuum(session, table, standing, most_bytes=most_bytes)
            if why is None:
                parts.append(table)
            else:
                left.append(f"{table} {why}")
    finally:
        session.run("wait_for_tables")
    return Vacuumed(parts=tuple(parts), left=tuple(left))


def _vacuum(
    session: PostgresSession, table: str, standing: Row, *, most_bytes: int | None
) -> str | None:
    """Write one anew, or say why not."""
    size, ours = standing
    if most_bytes is not None and size > most_bytes:
        return f"has {size / 1e6:,.0f} MB."
    if not ours:
        return "belongs to another role."
    try:
        seen = _write_anew(session, table)
    except StoreError as error:
        return f"is in use: {error}"
    return f"has {seen} deleted rows that a transaction still sees: end it." if seen else None


def _write_anew(session: PostgresSession, table: str) -> int:
    """How many deleted rows came along, as others still see them."""
    details: list[str] = []

    def keep_detail(said: Diagnostic) -> None:
        details.append(said.message_detail or "")

    session.connection.add_notice_handler(keep_detail)
    try:
        session.run_named("vacuum_table", table=table)
    finally:
        session.connection.remove_notice_handler(keep_detail)
    # In whatever language the server says it, the number comes first.
    return sum(int(found[0]) for each in details if (found := _NUMBER.match(each)))
