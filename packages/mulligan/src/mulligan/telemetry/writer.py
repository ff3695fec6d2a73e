"""The log's bounded queue, and the thread that writes it in batches and never hurts the caller."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

from msgspec import Struct
from msgspec.structs import replace

from mulligan.telemetry import shutdown
from mulligan.types.call import OWN, LogRow, Outcome
from mulligan.types.errors import StoreError
from mulligan.types.events import RowsDropped
from mulligan.types.finding import FindingRow
from mulligan.types.interfaces import Clock, Log
from mulligan.types.lesson import Pattern
from mulligan.types.log import Batch, Loss, roll_up

ROW_BYTES = 400
"""What a row takes beside its texts, roughly."""

CROWDED = -1
"""What `put` returns instead of a number when three quarters are taken, of rows or of bytes."""

_AT_ONCE = 64
_SUCCESS = Outcome.SUCCESS.value

_Queued = tuple[LogRow, int]


class RowQueue:
    """Takes rows from any thread without ever waiting for the disk.

    Under overload the oldest successes go first; failures are shed only when nothing else is left.
    """

    def __init__(self, *, most_rows: int, most_bytes: int) -> None:
        self._most_rows = most_rows
        self._most_bytes = most_bytes
        self._many_rows = most_rows * 3 // 4
        self._many_bytes = most_bytes * 3 // 4
        self.clear()

    def clear(self) -> None:
        """Forget everything, locks included: what a child does after a fork."""
        # Re-entrant: a signal handler may log a call while its thread is in here.
        self._lock = threading.RLock()
        self._successes: deque[_Queued] = deque()
        self._others: deque[_Queued] = deque()
        self._bytes = 0
        self._shed = [0, 0]
        self.emitted = 0
        """Rows ever put."""
        self.shed = 0
        """Rows ever shed."""
        self._closed = False

    def __len__(self) -> int:
        return len(self._successes) + len(self._others)

    def put(self, row: LogRow) -> int:
        """Queue a row, shedding others if it must. Returns how many wait now, or `CROWDED`."""
        # By number: the names cost as much as everything else here together.
        parameters, outcome, message, result = row[6], row[8], row[12], row[15]
        size = ROW_BYTES + len(parameters)
        if result is not None:
            size += len(result)
        if message is not None:
            size += len(message)
        succeeded = outcome == _SUCCESS
        with self._lock:
            waiting = len(self._successes) + len(self._others)
            self.emitted += 1
            full = waiting >= self._most_rows or self._bytes + size > self._most_bytes
            if self._closed or (full and not self._make_room(size, succeeded=succeeded)):
                self._count_shed(succeeded=succeeded)
                return CROWDED
            (self._successes if succeeded else self._others).append((row, size))
            self._bytes += size
            crowded = full or waiting >= self._many_rows or self._bytes > self._many_bytes
            return CROWDED if crowded else waiting + 1

    def close(self) -> None:
        """From now on, count every row as shed."""
        with self._lock:
            self._closed = True

    def take(self, most: int) -> list[LogRow]:
        """The next rows to write, failures first."""
        taken: list[LogRow] = []
        while len(taken) < most and len(self):
            # A few at a time: whoever logs a call waits for this lock.
            with self._lock:
                for _ in range(min(_AT_ONCE, most - len(taken), len(self))):
                    row, size = (self._others or self._successes).popleft()
                    self._bytes -= size
                    taken.append(row)
        return taken

    @property
    def unwritten_shed(self) -> bool:
        """Whether rows were shed that are not counted yet."""
        return any(self._shed)

    def take_shed(self) -> tuple[int, int]:
        """Successes and failures shed since last asked."""
        with self._lock:
            successes, failures = self._shed
            self._shed = [0, 0]
            return successes, failures

    def give_back_shed(self, counts: Sequence[int]) -> None:
        """Count again what was taken by `take_shed` but could not be written down."""
        with self._lock:
            self._shed[0] += counts[0]
            self._shed[1] += counts[1]

    def _make_room(self, size: int, *, succeeded: bool) -> bool:
        """Shed the oldest until a row fits. A success never pushes a failure out."""
        while (
            len(self._successes) + len(self._others) >= self._most_rows
            or self._bytes + size > self._most_bytes
        ):
            line = self._successes or self._others
            if not line or (succeeded and line is self._others):
                return False
            self._bytes -= line.popleft()[1]
            self._count_shed(succeeded=line is self._successes)
        return True

    def _count_shed(self, *, succeeded: bool) -> None:
        self._shed[0 if succeeded else 1] += 1
        self.shed += 1


_FAILED = (Outcome.FAILURE, Outcome.UNKNOWN)
"""Outcomes of what can be a case of a pattern: a cancelled call is no evidence."""
_STARTS_WITHIN = 1.0
"""Seconds, in which a thread that is being started is there."""
_MOST_MET = 1_000

_report = logging.getLogger("mulligan")


class WriterLimits(Struct, frozen=True, kw_only=True):
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
    give_way: float = 0.001
    """Seconds that a call waits while the queue is nearly full and is being written: a program that
    does nothing but call goes as fast as its log, instead of losing rows."""
    patience: float = 2.0
    """Seconds that a batch may take before calls wait no more: the store hangs."""


class RowCounts(Struct, frozen=True, kw_only=True):
    """Counts of rows by result: at rest, `emitted` is the sum of the other three."""

    emitted: int
    stored: int
    dropped: int
    waiting: int


class LogWriter:
    """Takes rows without blocking and stores them in the background.

    `recognize` says which pattern a failed row is a case of.
    """

    def __init__(
        self,
        log: Log,
        *,
        clock: Clock,
        limits: WriterLimits | None = None,
        on_drop: Callable[[RowsDropped], None] = lambda _: None,
        recognize: Callable[[LogRow], Pattern] | None = None,
        make_queue: Callable[..., RowQueue] = RowQueue,
    ) -> None:
        self._log = log
        self._clock = clock
        self._limits = limits or WriterLimits()
        self._on_drop = on_drop
        self._recognize = recognize
        self._worth_waking = self._limits.batch
        self._queue = make_queue(most_rows=self._limits.rows, most_bytes=self._limits.bytes)
        self.start_afresh()
        shutdown.see_to(self)

    def start_afresh(self) -> None:
        """Begin with nothing queued and no thread: also what a child does after a fork."""
        self._queue.clear()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        # Of all that wakes a thread, only this may be used by a signal handler at any time.
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._progress = threading.Condition()
        self._closed = False
        self._urgent = False
        self._away = False
        """The store did not take the last batch."""
        self._began = math.inf
        """When the batch was begun that is being written."""
        self._in_hand: list[LogRow] = []
        self._noted: deque[FindingRow] = deque(maxlen=self._limits.rows)
        self._notes_in_hand: list[FindingRow] = []
        self._notes_ended = 0
        self._stored = 0
        self._given_up = 0
        self._counted = 0
        """Lost rows of which the store has the count."""
        self._met: dict[str, str] = {}
        """The patterns of recently failed calls, by their first try."""

    def emit(self, row: LogRow) -> None:
        """Queue a row. Never waits for a store that is away; once closed, counts it as dropped."""
        waiting = self._queue.put(row)
        if waiting == 1 or waiting == self._worth_waking:
            self._wake.put(None)
        elif waiting == CROWDED:
            self._give_way()
        if self._thread is None:
            self._start()

    def note(self, findings: Iterable[FindingRow]) -> None:
        """Queue what a review found for the next batch. While the store is away, the oldest go."""
        self._noted.extend(findings)
        self._wake.put(None)
        if self._thread is None:
            self._start()

    def tally(self) -> RowCounts:
        """Counts of all rows so far."""
        waiting = len(self._queue) + len(self._in_hand)
        dropped = self._queue.shed + self._given_up
        return RowCounts(
            emitted=self._queue.emitted, stored=self._stored, dropped=dropped, waiting=waiting
        )

    def flush(self, *, timeout: float | None = None) -> bool:
        """Wait until everything queued so far is stored. False when that took too long."""
        if self._closed:
            return self._is_drained()
        seconds = self._limits.flush if timeout is None else timeout
        goal = self._count_ended() + self._count_waiting()
        deadline = time.monotonic() + seconds
        # A thread that another caller is just starting is there: two would write the same rows.
        self._start(wait=min(max(seconds, 0), _STARTS_WITHIN))
        self._hurry()
        with self._progress:
            while not self._is_drained() and self._count_ended() < goal:
                left = deadline - time.monotonic()
                if left <= 0 or not self._is_alive():
                    break
                # In short steps, so that a thread that ends is not waited for.
                self._progress.wait(min(left, 0.1))
        # At the very end of a process no thread can be started any more.
        while not self._is_alive() and self._write_one_batch() != 0:
            if time.monotonic() >= deadline:
                break
            if self._away:
                time.sleep(self._limits.first_pause)
        self._urgent = False
        return self._is_drained() or self._count_ended() >= goal

    def close(self) -> None:
        """Store what is left, end the thread, and count what could not be stored."""
        if self._closed:
            return
        self._queue.close()
        stored = self.flush()
        self._closed = True
        self._hurry()
        if not stored:
            self._give_up()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread() and stored:
            thread.join(timeout=self._limits.flush)
        shutdown.forget(self)

    def _is_drained(self) -> bool:
        return not self._count_waiting() and not self._queue.unwritten_shed

    def _count_waiting(self) -> int:
        notes = len(self._noted) + len(self._notes_in_hand)
        return len(self._queue) + len(self._in_hand) + notes

    def _count_ended(self) -> int:
        return self._stored + self._given_up + self._notes_ended

    def _hurry(self) -> None:
        """Wake the thread, and let it not wait for more."""
        self._urgent = True
        self._wake.put(None)

    def _is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _give_way(self) -> None:
        """Let the thread have the interpreter, which a busy caller would keep from it."""
        if self._away or self._closed or not self._is_alive():
            return
        if self._began == math.inf:
            # It waits for more rows, and few large ones are as much.
            self._wake.put(None)
        if time.monotonic() - self._began < self._limits.patience:
            time.sleep(self._limits.give_way)

    def _start(self, *, wait: float = 0) -> None:
        if not self._starting.acquire(timeout=wait):
            return
        try:
            if self._closed or self._is_alive():
                return
            thread = threading.Thread(target=self._run, name="mulligan-log", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                # The interpreter is exiting; closing writes what is left.
                return
            self._thread = thread
            shutdown.end_with_process(self)
        finally:
            self._starting.release()

    def _run(self) -> None:
        pause = self._limits.first_pause
        while not self._closed:
            self._wake.get()
            # Calls that were answered together are dropped, or they would cut the next doze short.
            with suppress(Empty):
                while True:
                    self._wake.get_nowait()
            if len(self._queue) < self._limits.batch and not self._urgent:
                self._doze(self._limits.interval)
            while not self._closed:
                written = self._write_one_batch()
                with self._progress:
                    self._progress.notify_all()
                if written is not None:
                    pause = self._limits.first_pause
                    if len(self._queue) >= self._limits.batch or (written and self._urgent):
                        continue
                    # A few rows wait for more: batch by batch, not row by row.
                    if len(self._queue):
                        self._wake.put(None)
                    break
                self._doze(pause)
                pause = min(pause * 2, self._limits.longest_pause)

    def _doze(self, seconds: float) -> None:
        with suppress(Empty):  # no wake-up: the time is up
            self._wake.get(timeout=seconds)

    def _write_one_batch(self) -> int | None:
        """Store the next batch. How many rows; 0 when nothing waits; `None` when it failed."""
        if not self._in_hand:
            self._in_hand = self._queue.take(self._limits.backlog)
        if not self._notes_in_hand:
            self._notes_in_hand = [self._noted.popleft() for _ in range(len(self._noted))]
        losses = self._queue.take_shed()
        if not self._in_hand and not self._notes_in_hand and not any(losses):
            return 0
        refused = self._write(losses)
        if refused is None:
            self._queue.give_back_shed(losses)
            return None
        written = len(self._in_hand)
        self._stored += written - refused
        self._given_up += refused
        self._counted += refused + sum(losses)
        self._in_hand = []
        self._notes_ended += len(self._notes_in_hand)
        self._notes_in_hand = []
        self._announce("overflow", sum(losses))
        self._announce("refused", refused)
        return max(written, 1)

    def _write(self, losses: tuple[int, int]) -> int | None:
        """Store what is in hand. How many rows were refused; `None` when the store is at fault."""
        self._began = time.monotonic()
        try:
            batch = self._build_batch(self._in_hand, losses)
            self._log.write(replace(batch, findings=self._notes_in_hand))
        except StoreError as error:
            if not self._away:
                _report.warning("The log cannot be written; it is tried again. %s", error)
            self._away = True
            return None
        except BaseException as error:  # noqa: BLE001 - the host never fails because of the log
            _report.warning(
                "A batch of the log was refused (%s); trying row by row.", type(error).__name__
            )
            return self._write_row_by_row(losses)
        finally:
            self._began = math.inf
        if self._away:
            _report.warning("The log is being written again.")
        self._away = False
        return 0

    def _write_row_by_row(self, losses: tuple[int, int]) -> int:
        """One row that the store cannot hold must not take its batch with it."""
        refused = [0, 0]
        for row in self._in_hand:
            try:
                self._log.write(self._build_batch([row], (0, 0)))
            except Exception:  # noqa: BLE001 - counted, and written down below
                refused[row.outcome != Outcome.SUCCESS] += 1
        for reason, lost in (("refused", (refused[0], refused[1])), ("overflow", losses)):
            what = f"{sum(lost)} lost rows of the log"
            self._write_beside(self._build_batch([], lost, reason=reason), what)
        found = f"{len(self._notes_in_hand)} findings"
        self._write_beside(Batch(rows=[], findings=self._notes_in_hand), found)
        return sum(refused)

    def _write_beside(self, batch: Batch, what: str) -> None:
        try:
            self._log.write(batch)
        except Exception as error:  # noqa: BLE001 - the host never fails because of the log
            _report.warning("%s could not be written down (%s).", what, type(error).__name__)

    def _build_batch(
        self, rows: list[LogRow], lost: tuple[int, int], *, reason: str = "overflow"
    ) -> Batch:
        losses = []
        if any(lost):
            losses = [Loss(at=self._clock(), reason=reason, successes=lost[0], failures=lost[1])]
        return Batch(
            rows=rows, rollups=roll_up(rows), patterns=self._recognize_patterns(rows), losses=losses
        )

    def _recognize_patterns(self, rows: list[LogRow]) -> dict[str, Pattern]:
        if self._recognize is None:
            return {}
        found: dict[str, Pattern] = {}
        for row in rows:
            if row.outcome in _FAILED and row.server != OWN:
                # An unrecognized failure is a row too.
                with suppress(Exception):
                    pattern = self._recognize(row)
                    if not self._is_met_again(row, pattern):
                        found[row.id] = pattern
        return found

    def _is_met_again(self, row: LogRow, pattern: Pattern) -> bool:
        """Whether a call has failed on a later try as on its first: that is one failure."""
        if row.try_number > 1:
            return self._met.get(row.parent or "") == pattern.fingerprint
        self._met[row.id] = pattern.fingerprint
        if len(self._met) > _MOST_MET:
            self._met.pop(next(iter(self._met)))
        return False

    def _give_up(self) -> None:
        """Count what the store did not take. A batch that hangs in it may still get there."""
        rows = self._queue.take(self._limits.rows * 2)
        self._given_up += len(rows)
        self._queue.take_shed()
        # A write in progress may have taken the count of rows shed before.
        lost = self._queue.shed + self._given_up - self._counted
        hanging = len(self._in_hand)
        notes = len(self._noted) + len(self._notes_in_hand)
        self._noted.clear()
        _report.error(
            "The log lost %d rows and %d findings at the end: the store did not take them. "
            "%d more rows may be lost.",
            lost,
            notes,
            hanging,
        )
        self._announce("shutdown", lost + hanging)

    def _announce(self, reason: str, count: int) -> None:
        if count:
            self._on_drop(RowsDropped(reason=reason, count=count, at=self._clock()))
