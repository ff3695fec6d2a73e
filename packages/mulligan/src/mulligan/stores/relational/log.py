"""The log over tables: rows in batches, and in the same transaction counts of calls, failures and
texts by the hour and the day.

A month is thirty days and not seven hundred hours; the hours are for where a span begins and ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, NamedTuple, TypeVar
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
from mulligan.stores.encoding import (
    build_pattern,
    decode_log_row,
    dump_counts,
    load_counts,
    read_row,
)
from mulligan.stores.relational.log_search import BlockMarker, drop_blocks, search
from mulligan.types.call import OWN, LogRow
from mulligan.types.display import escape
from mulligan.types.errors import StoreError
from mulligan.types.finding import FindingCount, FindingRow
from mulligan.types.log import (
    HOUR_US,
    Batch,
    LogQuery,
    Loss,
    PatternCount,
    PatternQuery,
    PatternSeen,
    PatternSlot,
    Rollup,
    Slot,
    TextCounts,
    TextSlot,
    add_failures,
    add_texts,
    clean_text,
    count_patterns,
    list_first_tries,
    list_rated,
    roll_up,
    roll_up_texts,
    roll_up_thumbs,
    roll_up_tries,
)
from mulligan.types.values import to_us

HOURS = 24
DERIVED = f"{OWN} derived:"
"""Before the server of a slot: the slot counts contexts that were derived, as contexts. So there is
no column of its own, which stores that are there would have to be given."""


def add_rollups(session: Session, rollups: Mapping[Slot, Rollup]) -> None:
    """Add counts to those of their hours and days."""
    # In one order everywhere, so that two writers never wait for each other in a circle.
    session.run_many("add_rollups", _encode_all(rollups))
    days: dict[Slot, Rollup] = {}
    for slot, counts in rollups.items():
        days.setdefault(slot._replace(hour=slot.hour // HOURS), Rollup()).add(counts)
    session.run_many("add_days", _encode_all(days))


def split_hours(since: int, until: int) -> dict[str, int]:
    """Some hours as whole days, with the hours before the first of them and after the last."""
    first_day, next_day = -(-since // HOURS), (until + 1) // HOURS
    if first_day >= next_day:
        # No day is whole: all are before the first, and no day is the last.
        first_day, next_day, head, tail = 1, 1, until, until + 1
    else:
        head, tail = first_day * HOURS - 1, next_day * HOURS
    return {
        "since": since,
        "head": head,
        "first_day": first_day,
        "last_day": next_day - 1,
        "tail": tail,
        "until": until,
    }


def cut_days(session: Session, *, before: int) -> None:
    """Forget what hours before one were of their days, in a transaction of its own."""
    cut = before // HOURS
    # Whoever has added to an hour and not yet to its day would be counted twice, or not at all.
    try:
        with session.begin_savepoint():
            session.run("lock_days")
    except StoreError as error:
        # An engine that locks no tables settles by itself what two transactions do to each other.
        if type(error) is not StoreError:
            raise
    session.run("drop_days_before", day=cut + 1)
    session.run("drop_pattern_days_before", day=cut + 1)
    hours = {"since": cut * HOURS, "until": cut * HOURS + HOURS - 1}
    rows = session.fetch("days_of_hours", **hours)
    days = _decode_all((Slot(*row[:5]), _decode(*row[5:])) for row in rows)
    session.run_many("add_days", _encode_all(days))
    session.run("count_pattern_days", **hours)


def _encode_all(rollups: Mapping[Slot, Rollup]) -> list[tuple[object, ...]]:
    """As the tables hold them, in their order: derived contexts in slots of their own."""
    derived = {
        slot._replace(server=DERIVED + slot.server): Rollup(with_context=counts.derived)
        for slot, counts in rollups.items()
        if counts.derived
    }
    both = sorted((*rollups.items(), *derived.items()), key=lambda each: each[0])
    return [
        (
            *slot,
            counts.calls,
            counts.failures,
            counts.repaired,
            counts.with_context,
            counts.duration_us,
            dump_counts(counts.latency),
            dump_counts(counts.repairs),
            counts.retried,
            counts.suggested,
            counts.suggested_right,
            counts.tries,
        )
        for slot, counts in both
    ]


def _decode_all(found: Iterable[tuple[Slot, Rollup]]) -> dict[Slot, Rollup]:
    """The other way round."""
    rollups: dict[Slot, Rollup] = {}
    for slot, counts in found:
        if slot.server.startswith(DERIVED):
            slot = slot._replace(server=slot.server.removeprefix(DERIVED))
            counts = Rollup(derived=counts.with_context)
        rollups.setdefault(slot, Rollup()).add(counts)
    return rollups


def _decode(*columns: Any) -> Rollup:
    found = list(columns)
    found[5:7] = map(load_counts, found[5:7])
    return Rollup(*found)


Counts = dict[tuple[int, int], tuple[int, int]]
"""By time and pattern: how many failures, and when the first was."""
_BETWEEN = "\x1f"
"""Between the names of agents, where none of them can have it."""


def add_patterns(session: Session, counted: Mapping[PatternSlot, PatternCount]) -> None:
    """Add failures to their hours: each pattern is looked up once, however many hours it is in."""
    known: dict[PatternSlot, PatternCount] = {}
    for slot, count in counted.items():
        pattern = slot._replace(hour=0)
        known[pattern] = add_failures(known[pattern], count) if pattern in known else count
    # In one order everywhere, so that two writers never wait for each other in a circle.
    numbers: dict[PatternSlot, int] = {}
    for pattern, count in sorted(known.items(), key=lambda each: each[0]):
        [(numbers[pattern],)] = session.fetch(
            "know_pattern",
            tenant=escape(pattern.tenant),
            tool=escape(pattern.tool),
            fingerprint=pattern.fingerprint,
            agent=escape(pattern.agent),
            error_class=count.error_class,
            template=escape(count.template),
            last_us=count.last_us,
            example=escape(count.example),
        )
    hours: Counts = {}
    days: Counts = {}
    for slot, count in counted.items():
        number = numbers[slot._replace(hour=0)]
        for counts, time in ((hours, slot.hour), (days, slot.hour // HOURS)):
            failures, first_us = counts.get((time, number), (0, count.first_us))
            counts[time, number] = (failures + count.failures, min(first_us, count.first_us))
    for query, counts in (("count_failures", hours), ("count_failure_days", days)):
        session.run_many(query, [(*at, *count) for at, count in sorted(counts.items())])


def count_texts(session: Session, rows: Sequence[LogRow]) -> None:
    """Add what these rows say, which are in the log already, to the counts of their hours."""
    counts = roll_up_texts(rows)
    if rated := list_rated(rows):
        names = encode_json(sorted(rated)).decode()
        found = [decode_log_row(row) for row in session.fetch("rated_texts", ids=names)]
        add_texts(counts, roll_up_thumbs(rows, found))
    # In one order everywhere, so that two writers never wait for each other in a circle.
    session.run_many("add_texts", [(*slot, n) for slot, n in sorted(counts.items())])


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
        rows = self._pool.fetch("hourly", **_encode_hours(since, until))
        return _decode_all((Slot(*row[:5]), _decode(*row[5:])) for row in rows)

    def sum_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The counts of all those hours together, each slot in hour 0."""
        rows = self._pool.fetch("totals", **split_hours(**_encode_hours(since, until)))
        return _decode_all((Slot(0, *row[:4]), _decode(*row[4:])) for row in rows)

    def read_texts(self, *, since: datetime, until: datetime) -> TextCounts:
        """The hourly counts of replies, drafts and tasks, both hours included."""
        rows = self._pool.fetch("texts", **_encode_hours(since, until))
        return {TextSlot(*row[:6]): row[6] for row in rows}

    def list_patterns(self, query: PatternQuery) -> list[PatternSeen]:
        """What failed alike in some hours, the most frequent first."""
        rows = self._pool.fetch(
            "patterns",
            tenant=None if query.tenant is None else escape(query.tenant),
            tool=None if query.tool is None else escape(query.tool),
            **split_hours(**_encode_hours(query.since, query.until)),
            most=query.limit,
            between=_BETWEEN,
        )
        return [
            build_pattern(
                tool, fingerprint, counted=PatternCount(*counted), agents=agents.split(_BETWEEN)
            )
            for tool, fingerprint, agents, *counted in rows
        ]

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
                session.run("drop_hourly_before", hour=before_us // HOUR_US)
                session.run("drop_pattern_hours_before", hour=before_us // HOUR_US)
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
