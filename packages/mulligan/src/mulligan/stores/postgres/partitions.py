"""The log in partitions, a table for each day, which goes as a whole once all of it is too old.

A row is put by its id, which begins with its time: so an id stays unique over all of them. What
has no day to go to is in the default partition, and no worse off there than in one table for
all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from mulligan.stores.database import Session
from mulligan.stores.postgres.session import PostgresSession, as_postgres
from mulligan.stores.relational.log import Dropped
from mulligan.types.errors import StoreError, StoreLockedError
from mulligan.types.values import from_us, make_uuid7

DAY_US = 86_400_000_000
AHEAD = 3
"""Days after today that have their partition made."""
_LOCK = 0x4D756C6D
"""The advisory lock of whoever makes or drops one."""
_TIME_DIGITS = 12
_RANGE = re.compile(r"FROM \((?:MINVALUE|'(\w+)')\) TO \('(\w+)'\)")


class Partition(Struct, frozen=True, kw_only=True):
    """The rows of some ids."""

    name: str
    from_id: str
    """The least; empty: whatever was there before there were partitions."""
    to_id: str
    """Above all of them."""
    rows: int = -1
    """As the server has last estimated them; -1: not yet."""


class LogPartitions:
    """Makes partitions ahead of time, and drops them when it is over."""

    def __init__(self) -> None:
        self.mixed: set[str] = set()
        """Expired days that could not be dropped: their rows are deleted one by one."""

    def make_ahead(self, session: Session) -> None:
        """Make those of today and the next days. Where that cannot be, the default one serves."""
        # Locked, or not ours to make: tried again in an hour, and no row waits for it.
        with suppress(StoreError):
            make_days(as_postgres(session))

    def drop_old(self, session: Session, before_us: int) -> Dropped:
        """Drop what is older as a whole. Days that are so only in part, or not yet, are spared."""
        self.make_ahead(session)
        bound, dropped, spared = compute_bound(before_us), 0, []
        self.mixed.clear()
        for partition in list_partitions(session):
            if partition.to_id > bound:
                spared.append(partition)
                continue
            self.mixed.add(partition.name)
            try:
                rows = _drop(as_postgres(session), partition, before_us=before_us)
                if rows is not None:
                    dropped += rows
                    self.mixed.discard(partition.name)
            except StoreLockedError:
                # A long read holds it: tried again in an hour.
                spared.append(partition)
            except StoreError:
                # Only the owner may drop tables. Other roles delete row by row.
                continue
        days = [each for each in spared if each.from_id]
        span = (days[0].from_id, days[-1].to_id) if days else ("", "")
        return Dropped(rows=dropped, spared=span)


def list_partitions(session: Session) -> list[Partition]:
    """All but the default one, in the order of their ids; none where the log is one table."""
    found = []
    for name, bounds, rows in session.fetch("partitions"):
        if (parts := _RANGE.search(bounds)) is not None:
            from_id, to_id = parts[1] or "", parts[2]
            found.append(Partition(name=name, from_id=from_id, to_id=to_id, rows=rows))
    return sorted(found, key=lambda each: each.to_id)


def make_days(session: PostgresSession) -> None:
    """Make the partition of today and of each of the next days, where it is missing."""
    there = list_partitions(session)
    if not there:
        return
    today_us = read_time(session) // DAY_US * DAY_US
    for day in range(AHEAD + 1):
        wanted = build_day(today_us + day * DAY_US)
        if not _overlaps(wanted, there):
            make_partition(session, wanted)


def build_day(day_us: int) -> Partition:
    """The partition of the day that begins then."""
    from_id, to_id = compute_bound(day_us), compute_bound(day_us + DAY_US)
    return Partition(name=f"execution_{from_us(day_us):%Y%m%d}", from_id=from_id, to_id=to_id)


def compute_bound(at_us: int) -> str:
    """What is below every id of that time, and above every one before it."""
    return make_uuid7(max(0, at_us), 0)[:_TIME_DIGITS]


def read_time(session: Session) -> int:
    """Now, by the database's own clock."""
    return int(session.fetch("time_us")[0][0])


def make_partition(session: PostgresSession, wanted: Partition) -> None:
    """Attach a table that is ready: readers and writers of the others need not wait for it."""
    with session.begin_transaction():
        _take_turn(session)
        if _overlaps(wanted, list_partitions(session)):
            return
        if session.fetch("rows_in_default", from_id=wanted.from_id, to_id=wanted.to_id):
            # The day has begun without one, and ends so.
            return
        session.run_named("make_partition", partition=wanted.name)
        # For its plans a server keeps samples, which would outlive the rows they are of.
        session.run_named("keep_no_samples_of_rows", table=wanted.name)
        session.run_named("index_partition", partition=wanted.name)
        session.run_named(
            "attach_partition",
            partition=wanted.name,
            from_id=wanted.from_id,
            to_id=wanted.to_id,
        )


def _drop(session: PostgresSession, partition: Partition, *, before_us: int) -> int | None:
    """Drop one, unless a row in it has a later time than its id. About how many rows it had."""
    if _has_rows_since(session, partition, before_us):
        return None
    rows = partition.rows
    if rows < 0:
        # So young, or so small, that the server has never looked at it.
        [(rows,)] = session.run_named("count_partition", partition=partition.name)
    with session.begin_transaction():
        _take_turn(session)
        session.run_named("hold_partition", partition=partition.name)
        if _has_rows_since(session, partition, before_us):
            # It came while they were counted.
            return None
        session.run_named("drop_partition", partition=partition.name)
    return rows


def _has_rows_since(session: PostgresSession, partition: Partition, since_us: int) -> bool:
    """Whether one in it has that time or a later one, as the ranges of its blocks tell."""
    with session.begin_transaction():
        # The server has no samples to see by that none will be found, and would read all of them.
        session.run("read_no_table_whole")
        return bool(session.run_named("rows_since", partition=partition.name, since=str(since_us)))


def _take_turn(session: PostgresSession) -> None:
    """One at a time, and never in the way of others for long."""
    session.run("wait_briefly")
    session.fetch("lock_migrations", lock=_LOCK)


def _overlaps(wanted: Partition, there: Sequence[Partition]) -> bool:
    return any(each.from_id < wanted.to_id and each.to_id > wanted.from_id for each in there)


_OLDEST_SERVER = 12
_TEXTS = {
    **dict.fromkeys(
        ("execution", "execution_before", "execution_default"),
        ("parameters", "context", "error_message", "result"),
    ),
    "action": ("opening", "detail"),
    "entry": ("body",),
    "episode": ("body",),
    "finding": ("rule",),
    "kept": ("value",),
    "lesson_use": ("body",),
    "lesson_version": ("body",),
    "notes": ("body",),
    "pattern": ("template", "example"),
    "task_run": ("standing", "problem", "excerpt"),
}
_SERVER = re.compile(r"PostgreSQL (\d+)(?:\.\d+|[a-z]+\d+)? ")


def make_log(session: PostgresSession) -> None:
    """Make the partitioned log, what is older than today in its first part; or leave one table."""
    if not _is_postgres(session):
        session.run_named("keep_log_whole")
        return
    session.run_named("make_partitioned_log")
    session.run_named("make_default_partition")
    today_us = read_time(session) // DAY_US * DAY_US
    session.run_named("attach_before", bound=compute_bound(today_us))


def skip_samples(session: PostgresSession) -> None:
    """Have the server take none of the texts that it would then keep for longer than we do."""
    if _is_postgres(session):
        for table, columns in _TEXTS.items():
            for column in columns:
                session.run_named("keep_no_samples_of_text", table=table, column=column)


def _is_postgres(session: PostgresSession) -> bool:
    [(server,)] = session.fetch("server_name")
    found = _SERVER.match(server)
    return found is not None and int(found[1]) >= _OLDEST_SERVER
