"""Processes that write the journal."""

from __future__ import annotations

from datetime import timedelta

from mulligan.core.runtime.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterSeen:
    """A process that writes the journal, as the store has heard of it."""

    id: str
    pid: int
    """On its own machine."""
    here: bool
    """It is on the machine that asks."""
    life: str
    """`lives`, `silent` for longer than its lease, `gone`, or `revoked`: closed or given up."""
    silent: timedelta
    """Since it was last heard of."""
    lease: timedelta

    def is_waited_for(self) -> bool:
        """Whether what it is at work on is left to it."""
        return self.life in ("lives", "silent")
