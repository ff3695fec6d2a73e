"""What each process has logged, held against a mark, so that a shortened log file shows.

The log is not synced at every batch, so a power cut may take its end. That is allowed, and never
a reason to refuse; but it is a loss, and a loss is counted.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import asdict

from mulligan.stores.database import Session, fetch_one
from mulligan.stores.watermarks import Watermark, WatermarkFile
from mulligan.types.call import LogRow, Outcome
from mulligan.types.interfaces import Clock
from mulligan.types.values import to_us

_SUCCESS = str(Outcome.SUCCESS)
_FAILURES = struct.Struct(">Q16x")


class Counts(Struct, frozen=True, kw_only=True):
    """How much a process has logged."""

    batches: int = 0
    successes: int = 0
    failures: int = 0


class LogTally:
    """Counts this process's batches in the log file and, after each commit, in its mark."""

    def __init__(self, marks: WatermarkFile) -> None:
        self._marks = marks
        self._writer = uuid.uuid4().hex
        self._counts = Counts()

    def count(self, session: Session, rows: Sequence[LogRow]) -> Callable[[], None]:
        """Add a batch up, in its own transaction; the answer marks it once that is done."""
        failures = len(rows) - [row.outcome for row in rows].count(_SUCCESS)
        counts = Counts(
            batches=self._counts.batches + 1,
            successes=self._counts.successes + len(rows) - failures,
            failures=self._counts.failures + failures,
        )
        session.run("count_batch", writer=self._writer, **asdict(counts))
        return partial(self._mark, counts)

    def reset_after_fork(self) -> None:
        """In a child: be another writer."""
        self._writer = uuid.uuid4().hex
        self._counts = Counts()

    def _mark(self, counts: Counts) -> None:
        self._counts = counts
        self._marks.write(
            Watermark(
                writer=self._writer,
                commits=counts.batches,
                seq=counts.successes,
                proof=_FAILURES.pack(counts.failures),
            )
        )


def record_damage(session: Session, marks: WatermarkFile, *, clock: Clock) -> None:
    """Write a loss for every batch that a mark proves and the file no longer has.

    The counts then move up to the mark, so that the next one to look finds nothing.
    """
    proven = marks.read().found
    if not list(_find_lost(session, proven.values())):
        return
    with session.begin_transaction():
        lost = list(_find_lost(session, proven.values()))
        for writer, _, marked in lost:
            session.run("count_batch", writer=writer, **asdict(marked))
        session.run(
            "add_loss",
            at_us=to_us(clock(), name="The clock's time"),
            reason="damage",
            successes=sum(marked.successes - had.successes for _, had, marked in lost),
            failures=sum(marked.failures - had.failures for _, had, marked in lost),
        )


def count_lost(session: Session, marks: WatermarkFile) -> int:
    """How many rows a mark proves and the file no longer has, not yet on record as a loss."""
    return sum(
        marked.successes - had.successes + marked.failures - had.failures
        for _, had, marked in _find_lost(session, marks.read().found.values())
    )


def _find_lost(
    session: Session, marks: Iterable[Watermark]
) -> Iterator[tuple[str, Counts, Counts]]:
    """Writers with what the file has of them, and what their mark proves it once had."""
    for mark in marks:
        row = fetch_one(session, "log_writer", writer=mark.writer)
        had = Counts(batches=row[0], successes=row[1], failures=row[2]) if row else Counts()
        if mark.commits > had.batches:
            (failures,) = _FAILURES.unpack(mark.proof)
            marked = Counts(batches=mark.commits, successes=mark.seq, failures=failures)
            yield mark.writer, had, marked
