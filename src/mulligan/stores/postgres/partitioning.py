"""Brings a log that is one table into partitions: three migrations, none of which blocks for long.

First the table is bound to ids up to some days from now, which costs nothing. Then it is looked
through while others read and write on. At last it becomes the first partition, by names alone.
"""

from __future__ import annotations

import re

from mulligan.stores.postgres.partitions import DAY_US, compute_bound, make_days, read_time
from mulligan.stores.postgres.session import PostgresSession

_DAYS_LEFT = 7
"""How long whoever has an old table may still put rows into it, if it takes so long to go on."""
_OLDEST_SERVER = 12
_TEXTS = (
    ("task_run", "standing"),
    ("task_run", "problem"),
    ("task_run", "excerpt"),
    ("notes", "body"),
    ("episode", "body"),
    ("lesson_version", "body"),
    ("lesson_use", "body"),
    ("pattern", "template"),
    ("pattern", "example"),
    ("finding", "rule"),
)
_SERVER = re.compile(r"PostgreSQL (\d+)(?:\.\d+|[a-z]+\d+)? ")
_BOUND = re.compile(r"'(\w+)'")


def limit_log(session: PostgresSession) -> None:
    """Refuse ids of later than in some days, from now on. Where nothing is, today is the first."""
    if not _can_partition(session):
        return
    today_us = read_time(session) // DAY_US * DAY_US
    later_us = _DAYS_LEFT * DAY_US if session.fetch("any_row") else 0
    session.run_named("limit_log", bound=compute_bound(today_us + later_us))


def check_bound(session: PostgresSession) -> None:
    """Hold what is there to it, too; rows of a clock gone wrong go to the default partition."""
    bound = _read_bound(session)
    if bound is None:
        return
    session.run_named("make_default_partition")
    session.run("move_beyond_bound", bound=bound)
    session.run_named("check_bound")


def split_log(session: PostgresSession) -> None:
    """Make the table that was there the first partition of a new one, under all its old names."""
    bound = _read_bound(session)
    if bound is None:
        return
    indexes = session.fetch("log_indexes")
    session.run_named("rename_log")
    session.run_named("rename_log_key")
    for name, _ in indexes:
        session.run_named("rename_log_index", index=name, name=f"before_{name}")
    session.run_named("make_partitioned_log")
    for _, definition in indexes:
        session.execute(definition)
    for privilege, grantee in session.fetch("log_grants"):
        session.run_named("grant_log", privilege=privilege, grantee=grantee)
    session.run_named("attach_default")
    session.run_named("attach_before", bound=bound)
    session.run_named("unbound_log")
    for table in ("execution", "execution_before", "execution_default"):
        session.run_named("keep_no_samples_of_rows", table=table)
    for what in ("values", "entries", "actions"):
        session.run_named(f"keep_no_samples_of_{what}")
    make_days(session)


def skip_samples(session: PostgresSession) -> None:
    """Have the server take none of the texts that it would then keep for longer than we do."""
    if _is_postgres(session):
        for table, column in _TEXTS:
            session.run_named("keep_no_samples_of_text", table=table, column=column)


def _can_partition(session: PostgresSession) -> bool:
    """Whether it is Postgres itself, and nobody's own policies lie on the table."""
    [(secured,)] = session.fetch("log_is_secured")
    return _is_postgres(session) and not secured


def _is_postgres(session: PostgresSession) -> bool:
    [(server,)] = session.fetch("server_name")
    found = _SERVER.match(server)
    return found is not None and int(found[1]) >= _OLDEST_SERVER


def _read_bound(session: PostgresSession) -> str | None:
    found = session.fetch("log_bound")
    parts = _BOUND.search(found[0][0]) if found else None
    return None if parts is None else parts[1]
