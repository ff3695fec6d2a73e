"""The log over tables: rows in batches, roll-ups kept in the same transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple, TypeVar
from zlib import crc32

from msgspec.structs import replace

from mulligan.codec import encode_json
from mulligan.stores.database import (
    AlreadyThereError,
    ConnectionLostError,
    Pool,
    Session,
    UnstorableTextError,
)
from mulligan.stores.encoding import decode_log_row, read_row
from mulligan.stores.relational.log_search import (
    BlockMarker,
    drop_blocks,
    search,
)
from mulligan.stores.relational.rollups import (
    add_patterns,
    add_rollups,
    count_texts,
    cut_days,
    drop_hours,
    read_hours,
    read_patterns,
    read_texts,
    sum_hours,
)
from mulligan.types.call import LogRow
from mulligan.types.finding import FindingCount, FindingRow
from mulligan.types.log import (
    HOUR_US,
    Batch,
    LogQuery,
    Loss,
    PatternQuery,
    PatternSeen,
    Rollup,
    Slot,
    TextCounts,
    clean_text,
    count_patterns,
    list_first_tries,
    list_rated,
    roll_up,
    roll_up_tries,
)
from mulligan.types.values import to_us

_DELETED_AT_A_TIME = 500
_FIRST_LOCK = 0x4D756C6E00
"""The first advisory lock of whoever counts what depends on rows before."""
_LOCKS = 256

R = TypeVar("R", LogRow, FindingRow)


class Dropped(NamedTuple):
    """What went in whole partitions."""

    rows: int = 0
    """About how many: to count them would take longer than all the rest."""
    spared: tuple[str, str] = ("", "")
    """From which id on and below which one rows are left alone: they go as a whole, later."""


DropOld = Callable[[Session, int], Dropped]
"""Makes the partitions that will be needed next, and drops those that are older than a time."""
Count = Callable[[Session, Sequence[LogRow]], Callable[[], None]]
"""Adds a batch to what this process has logged, so that a shortened file shows, in the batch's own
transaction. The answer is called once that is done."""


class LogTables:
    """Rows, roll-ups, losses and findings. Writers of one process take turns."""

    def __init__(
        self,
        pool: Pool,
        *,
        erasing: Callable[[], AbstractContextManager[Session]],
        count: Count | None = None,
        drop_old: DropOld = lambda _session, _before_us: Dropped(),
    ) -> None:
        self._pool = pool
        self._erasing = erasing
        self._count = count
        self._blocks = BlockMarker()
        self._drop_old = drop_old
        self._turn = threading.Lock()

    def write(self, batch: Batch) -> None:
        """Store a batch in one transaction. A row whose id is there already is left alone."""
        with self._turn:
            try:
                self._write(batch)
            except UnstorableTextError:
                storable = [_clean_row(row) for row in batch.rows]
                findings = [_clean_row(row) for row in batch.findings]
                self._write(replace(batch, rows=storable, findings=findings))
            except ConnectionLostError:
                # Whether it was committed is not known, and need not be: twice counts once.
                self._write(batch)

    def list_rows(self, query: LogQuery) -> list[LogRow]:
        """Rows that fit, newest first unless asked otherwise."""
        return self._pool.read(lambda session: search(session, query))

    def read_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The hourly counts from `since` to `until`, both hours included."""
        hours = _encode_hours(since, until)
        return self._pool.read(lambda session: read_hours(session, **hours))

    def sum_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The counts of all those hours together, each slot in hour 0."""
        hours = _encode_hours(since, until)
        return self._pool.read(lambda session: sum_hours(session, **hours))

    def read_texts(self, *, since: datetime, until: datetime) -> TextCounts:
        """The hourly counts of replies, drafts and tasks, both hours included."""
        hours = _encode_hours(since, until)
        return self._pool.read(lambda session: read_texts(session, **hours))

    def list_patterns(self, query: PatternQuery) -> list[PatternSeen]:
        """What failed alike in some hours, the most frequent first."""
        hours = _encode_hours(query.since, query.until)
        return self._pool.read(lambda session: read_patterns(session, query, **hours))

    def list_losses(self) -> list[Loss]:
        """Every loss on record, oldest first."""
        return [read_row(Loss, row, what="A loss") for row in self._pool.fetch("losses")]

    def list_finding_counts(
        self, *, since: datetime, until: datetime, tenant: str | None = None
    ) -> list[FindingCount]:
        """How often each rule spoke up, by tool and agent, most first."""
        between = {"since": to_us(since, name="since"), "until": to_us(until, name="until")}
        rows = self._pool.fetch("findings", tenant=tenant, **between)
        return [read_row(FindingCount, row, what="A count of findings") for row in rows]

    def prune(self, *, before: datetime) -> int:
        """Delete rows, roll-ups, losses and findings older than that. Returns how many rows.

        Where the log is in partitions, rows go with the rest of their day: up to a day later.
        """
        before_us = to_us(before, name="before")
        with self._turn, self._erasing() as session:
            dropped = self._drop_old(session, before_us)
            pruned = dropped.rows + _prune_rows(session, before_us, spared=dropped.spared)
            # What it has marked before may be gone with the rest.
            self._blocks = BlockMarker()
            with session.begin_transaction():
                drop_blocks(session, before_us=before_us)
                drop_hours(session, before=before_us // HOUR_US)
                session.run("drop_texts_before", hour=before_us // HOUR_US)
                session.run("drop_losses_before", before=before_us)
                session.run("drop_findings_before", before=before_us)
            with session.begin_transaction():
                cut_days(session, before=before_us // HOUR_US)
            with session.begin_transaction():
                # Once no day has them any more.
                session.run("drop_patterns_before", before=before_us)
        return pruned

    def count(self) -> int:
        """How many rows there are."""
        return int(self._pool.fetch("count_rows")[0][0])

    def close(self) -> None:
        """Release every connection."""
        self._pool.close()

    def reset_after_fork(self) -> None:
        """In a child: the connections are the parent's, and a lock that it held is free."""
        self._turn = threading.Lock()
        self._pool.reset_after_fork()

    def _write(self, batch: Batch) -> None:
        with self._pool.acquire_session() as session:
            try:
                with session.begin_transaction():
                    on_commit = self._add(session, batch)
            except AlreadyThereError:
                # Rare, so it is found out by trying: asking first would cost every batch.
                with session.begin_transaction():
                    on_commit = self._add(session, _drop_present(session, batch))
        self._blocks.on_commit()
        if on_commit is not None:
            on_commit()

    def _add(self, session: Session, batch: Batch) -> Callable[[], None] | None:
        firsts = list_first_tries(batch.rows)
        _take_turn(session, firsts | list_rated(batch.rows))
        if batch.rows:
            session.run_many("add_rows", batch.rows)
        # Of no rows too: what an earlier transaction marked and rolled back is not there.
        self._blocks.mark(session, batch.rows)
        if batch.rollups:
            add_rollups(session, batch.rollups)
            if firsts:
                found = session.fetch("tries", firsts=encode_json(list(firsts)).decode())
                tries = [decode_log_row(each) for each in found]
                add_rollups(session, roll_up_tries(batch.rows, tries))
        count_texts(session, batch.rows)
        if batch.patterns:
            add_patterns(session, count_patterns(batch.rows, batch.patterns))
        if batch.findings:
            session.run_many("add_findings", sorted(batch.findings))
        for loss in batch.losses:
            session.run(
                "add_loss",
                at_us=to_us(loss.at, name="The time of a loss"),
                reason=loss.reason,
                successes=loss.successes,
                failures=loss.failures,
            )
        return None if self._count is None else self._count(session, batch.rows)


def _take_turn(session: Session, counted: set[str]) -> None:
    """Lock these calls and texts: how a row counts depends on those before it."""
    if counted:
        # Few enough for a server's memory; two that share one only wait for each other.
        locks = sorted(
            {_FIRST_LOCK + crc32(each.encode(errors="replace")) % _LOCKS for each in counted}
        )
        session.fetch("lock_counted", locks=encode_json(locks).decode())


def _encode_hours(since: datetime, until: datetime) -> dict[str, int]:
    return {
        "since": to_us(since, name="since") // HOUR_US,
        "until": to_us(until, name="until") // HOUR_US,
    }


def _drop_present(session: Session, batch: Batch) -> Batch:
    """What of a batch is new: a repeat after an answer that was lost must count nothing twice."""
    ids = encode_json([row.id for row in batch.rows]).decode()
    seen = {present for (present,) in session.fetch("ids_present", ids=ids)}
    rows = []
    for row in batch.rows:
        if row.id not in seen:
            seen.add(row.id)
            rows.append(row)
    return replace(batch, rows=rows, rollups=roll_up(rows) if batch.rollups else {})


def _clean_row(row: R) -> R:
    """The row without what no database takes as text: lone surrogates and null characters."""
    return type(row)._make(clean_text(value) if isinstance(value, str) else value for value in row)


def _prune_rows(session: Session, before_us: int, *, spared: tuple[str, str]) -> int:
    pruned, old = 0, {"before": before_us, "spared_from": spared[0], "spared_to": spared[1]}
    while ids := session.fetch("ids_before", most=_DELETED_AT_A_TIME, **old):
        with session.begin_transaction():
            pruned += session.run("delete_between", first_id=ids[0][0], last_id=ids[-1][0], **old)
    return pruned
