"""Stand-ins that users get too: a clock that stands still, a log that can be stalled or broken."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from mulligan.core.call import LogRow
from mulligan.core.errors import StoreUnavailableError
from mulligan.core.interfaces import Batch, LogQuery, Loss
from mulligan.core.rollup import Rollup, Slot


class FixedClock:
    """Stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The time it stands at."""
        return self.now

    def move(self, by: timedelta) -> None:
        """Let time pass."""
        self.now += by


class StallingLog:
    """A `Log` that keeps batches in a list, and can stop answering or start failing."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.failing = False
        """Whether every write fails as an unavailable store does."""
        self.refuses: set[str] = set()
        """Ids of rows it cannot hold."""
        self._open = threading.Event()
        self._open.set()
        self.reached = threading.Event()
        """Set once a write has begun."""

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
        self.batches.append(batch)

    def rows(self, query: LogQuery) -> list[LogRow]:
        """The newest rows, unfiltered."""
        return list(reversed(self.stored))[: query.limit]

    def rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:  # noqa: ARG002
        """Every roll-up that was written; later ones of a slot replace earlier ones."""
        return {slot: counts for batch in self.batches for slot, counts in batch.rollups.items()}

    def losses(self) -> list[Loss]:
        """Every loss that was written down."""
        return [loss for batch in self.batches for loss in batch.losses]

    def prune(self, *, before: datetime) -> int:  # noqa: ARG002
        """Nothing is ever old here."""
        return 0

    def compress(self, *, before: datetime) -> int:  # noqa: ARG002
        """Nothing is ever compressed here."""
        return 0
