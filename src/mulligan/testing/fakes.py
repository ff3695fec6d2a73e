"""Stand-ins that users get too: a clock that stands still, a log that can be stalled or broken."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from mulligan.core.call import LogRow
from mulligan.core.errors import StoreUnavailableError
from mulligan.core.storage.log_query import Batch
from mulligan.stores.memory.log import MemoryLog


class FixedClock:
    """Stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)) -> None:
        self.now = now
        self.passed = timedelta()
        """How much time has really passed, whatever the clock was set to."""

    def __call__(self) -> datetime:
        """The time it stands at."""
        return self.now

    def read_steady(self) -> tuple[str, float]:
        """The same on a clock that nobody sets, by which waits are measured."""
        return "fixed", self.passed.total_seconds()

    def move(self, by: timedelta) -> None:
        """Let time pass."""
        self.now += by
        self.passed += by

    def jump(self, by: timedelta) -> None:
        """Set the clock forward, or back: no time passes."""
        self.now += by


class StallingLog(MemoryLog):
    """A log in memory that can stop answering or start failing."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[Batch] = []
        self.failing = False
        """Whether every write fails as an unavailable store does."""
        self.refuses: set[str] = set()
        """Ids of rows it cannot hold."""
        self.reached = threading.Event()
        """Set once a write has begun."""
        self._open = threading.Event()
        self._open.set()

    def stall(self) -> None:
        """From now on, writes hang."""
        self._open.clear()

    def go_on(self) -> None:
        """Let hanging writes through."""
        self._open.set()

    @property
    def stored(self) -> list[LogRow]:
        """Every row that was written."""
        return [row for batch in self.batches for row in batch.rows]

    def write(self, batch: Batch) -> None:
        """Keep the batch, unless told otherwise."""
        self.reached.set()
        self._open.wait()
        if self.failing:
            raise StoreUnavailableError("The store does not answer. Start it again.")
        if any(row.id in self.refuses for row in batch.rows):
            raise ValueError("a row that cannot be held")
        super().write(batch)
        self.batches.append(batch)
