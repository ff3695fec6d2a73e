"""A log that stops answering, for tests of who writes to one."""

from __future__ import annotations

import threading

from mulligan.stores.memory import MemoryLog
from mulligan.types.call import LogRow
from mulligan.types.errors import StoreUnavailableError
from mulligan.types.log import Batch


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
