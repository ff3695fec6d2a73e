"""Calls that the log keeps no row of, counted all the same: figures are of every call."""

from __future__ import annotations

import threading

from mulligan.turns.turn.context import Labels

MOST_KEPT = 10_000
"""Agents and tenants of one tool whose calls wait for a row; of more, the oldest are forgotten."""


class UnloggedCalls:
    """Successes of one tool without a row, until the next row of their kind stands for them."""

    __slots__ = ("_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, str, bool], int] = {}

    def add(self, labels: Labels) -> None:
        """One more that no row is kept of."""
        kind = _find_kind(labels)
        with self._lock:
            self._waiting[kind] = self._waiting.get(kind, 0) + 1
            if len(self._waiting) > MOST_KEPT:
                self._waiting.pop(next(iter(self._waiting)))

    def take(self, labels: Labels) -> int:
        """How many there were since the last row of the same kind."""
        with self._lock:
            return self._waiting.pop(_find_kind(labels), 0)


def _find_kind(labels: Labels) -> tuple[str, str, bool]:
    """What figures tell apart."""
    return labels.tenant, labels.agent, bool(labels.context)
