"""Rows on their way to the log: bounded by number and by bytes, and honest about what it sheds."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from mulligan.core.call import LogRow, Outcome

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
            if self._closed or waiting >= self._most_rows or self._bytes + size > self._most_bytes:
                return self._put_in_full(row, size, succeeded=succeeded)
            (self._successes if succeeded else self._others).append((row, size))
            self._bytes += size
            crowded = waiting >= self._many_rows or self._bytes > self._many_bytes
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
        """Whether rows were shed that nobody has taken the count of."""
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

    def _put_in_full(self, row: LogRow, size: int, *, succeeded: bool) -> int:
        """Queue a row in the place of others, or shed it itself."""
        if self._closed or not self._make_room(size, succeeded=succeeded):
            self._count_shed(succeeded=succeeded)
        else:
            (self._successes if succeeded else self._others).append((row, size))
            self._bytes += size
        return CROWDED

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
