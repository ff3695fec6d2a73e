"""The log's writer: one thread that turns queued rows into batches, and never hurts the caller."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from mulligan.core.call import LogRow, Outcome
from mulligan.core.errors import StoreError
from mulligan.core.event import RowsDropped
from mulligan.core.interfaces import Batch, Clock, Log, Loss
from mulligan.core.rollup import roll_up
from mulligan.telemetry import shutdown
from mulligan.telemetry.queue import RowQueue

_report = logging.getLogger("mulligan")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterLimits:
    """How much may wait, how much is written at once, and how long it may take."""

    rows: int = 10_000
    bytes: int = 32 * 1024 * 1024
    batch: int = 512
    """Rows that are worth a transaction at once."""
    backlog: int = 4096
    """Rows in one transaction at most, when that many wait already."""
    interval: float = 0.2
    """Seconds a row waits at most before it is written: what a kill can cost."""
    flush: float = 5.0
    """Seconds that an exit waits for the last rows."""
    first_pause: float = 0.05
    longest_pause: float = 5.0
    """Seconds between tries while the store does not take a batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What became of the rows: `emitted` is always the sum of the other three."""

    emitted: int
    stored: int
    dropped: int
    waiting: int


class LogWriter:
    """Takes rows without blocking and stores them in the background."""

    def __init__(
        self,
        log: Log,
        *,
        clock: Clock,
        limits: WriterLimits | None = None,
        on_drop: Callable[[RowsDropped], None] = lambda _: None,
    ) -> None:
        self._log = log
        self._clock = clock
        self._limits = limits or WriterLimits()
        self._on_drop = on_drop
        self._queue = RowQueue(most_rows=self._limits.rows, most_bytes=self._limits.bytes)
        self.start_afresh()
        shutdown.see_to(self)

    def start_afresh(self) -> None:
        """Begin with nothing queued and no thread: also what a child does after a fork."""
        self._queue.clear()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._writing = threading.Lock()
        self._something = threading.Event()
        self._enough = threading.Event()
        self._closed = False
        self._in_hand: list[LogRow] = []
        self._stored = 0
        self._given_up = 0

    def emit(self, row: LogRow) -> None:
        """Queue a row. Never waits for the store; a closed writer counts it as dropped."""
        if self._closed:
            self._queue.refuse(row)
            return
        waiting = self._queue.put(row)
        if waiting == 1:
            self._something.set()
        elif waiting == self._limits.batch:
            self._enough.set()
        if self._thread is None:
            self._start()

    def tally(self) -> Tally:
        """What became of every row so far."""
        waiting = len(self._queue) + len(self._in_hand)
        dropped = self._queue.shed + self._given_up
        return Tally(
            emitted=self._queue.emitted, stored=self._stored, dropped=dropped, waiting=waiting
        )

    def flush(self, *, timeout: float | None = None) -> bool:
        """Store everything queued so far. False when the store did not take it in time."""
        deadline = time.monotonic() + (self._limits.flush if timeout is None else timeout)
        goal = len(self._queue) + len(self._in_hand)
        while goal > 0 or self._unwritten_losses():
            if not self._writing.acquire(timeout=max(0.0, deadline - time.monotonic())):
                return False
            try:
                written = self._write_one_batch()
            finally:
                self._writing.release()
            if written is None:
                if time.monotonic() >= deadline:
                    return False
                time.sleep(min(self._limits.first_pause, max(0.0, deadline - time.monotonic())))
            elif written == 0:
                return True
            else:
                goal -= written
        return True

    def close(self) -> None:
        """Store what is left, end the thread, and count what could not be stored."""
        if self._closed:
            return
        self._closed = True
        self._something.set()
        self._enough.set()
        if not self.flush():
            self._give_up("shutdown")
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=self._limits.flush)
        shutdown.forget(self)

    def _start(self) -> None:
        with self._starting:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="mulligan-log", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        pause = self._limits.first_pause
        while not self._closed:
            self._something.wait()
            if len(self._queue) < self._limits.batch:
                self._enough.wait(self._limits.interval)
            self._something.clear()
            self._enough.clear()
            while not self._closed:
                with self._writing:
                    written = self._write_one_batch()
                if written == 0:
                    break
                if written is not None:
                    pause = self._limits.first_pause
                    continue
                self._enough.wait(pause)
                self._enough.clear()
                pause = min(pause * 2, self._limits.longest_pause)

    def _write_one_batch(self) -> int | None:
        """Store the next batch. How many rows; 0 when nothing waits; `None` when it failed."""
        if not self._in_hand:
            self._in_hand = self._queue.take(self._limits.backlog)
        losses = self._queue.take_shed()
        if not self._in_hand and not any(losses):
            return 0
        refused = self._write(losses)
        if refused is None:
            self._queue.give_back_shed(losses)
            return None
        written = len(self._in_hand)
        self._stored += written - refused
        self._given_up += refused
        self._in_hand = []
        self._announce("overflow", sum(losses))
        self._announce("refused", refused)
        return max(written, 1)

    def _write(self, losses: tuple[int, int]) -> int | None:
        """Store what is in hand. How many rows were refused; `None` when the store is at fault."""
        try:
            self._log.write(self._batch(self._in_hand, losses))
        except StoreError as error:
            _report.warning("The log could not be written: %s", error)
            return None
        except Exception:  # noqa: BLE001 - the host's work never fails because of the log
            _report.warning("A batch of the log was refused; trying row by row.", exc_info=True)
            return self._write_row_by_row(losses)
        return 0

    def _write_row_by_row(self, losses: tuple[int, int]) -> int:
        """One row that the store cannot hold must not take its batch with it."""
        refused = [0, 0]
        for row in self._in_hand:
            try:
                self._log.write(self._batch([row], (0, 0)))
            except Exception:  # noqa: BLE001 - counted, and written down below
                refused[row.outcome != Outcome.SUCCESS] += 1
        for reason, lost in (("refused", (refused[0], refused[1])), ("overflow", losses)):
            try:
                self._log.write(self._batch([], lost, reason=reason))
            except Exception:  # noqa: BLE001 - the counts stay in the tally
                _report.warning("A loss of the log could not be written down.", exc_info=True)
        return sum(refused)

    def _batch(
        self, rows: list[LogRow], lost: tuple[int, int], *, reason: str = "overflow"
    ) -> Batch:
        losses = []
        if any(lost):
            losses = [Loss(at=self._clock(), reason=reason, successes=lost[0], failures=lost[1])]
        return Batch(rows=rows, rollups=roll_up(rows), losses=losses)

    def _unwritten_losses(self) -> bool:
        lost = self._queue.take_shed()
        self._queue.give_back_shed(lost)
        return any(lost)

    def _give_up(self, reason: str) -> None:
        rows = self._in_hand + self._queue.take(self._limits.rows * 2)
        self._in_hand = []
        self._given_up += len(rows)
        failures = sum(row.outcome != Outcome.SUCCESS for row in rows)
        _report.error(
            "The log lost %d rows (%d failures): the store did not take them (%s).",
            len(rows),
            failures,
            reason,
        )
        self._announce(reason, len(rows))

    def _announce(self, reason: str, count: int) -> None:
        if count:
            self._on_drop(RowsDropped(reason=reason, count=count, at=self._clock()))
