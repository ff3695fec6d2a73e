"""How long nobody else may take a writer for gone, as far as the writer itself can tell."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from mulligan.stores.process.clock import read_uptime

_OWN_SHARE = 0.9
"""How much of its lease a writer counts on: clocks differ in pace, and sending takes time too."""


class Lease:
    """When the store last heard of this writer, held against its own clock: no query, no lock."""

    def __init__(self, length: timedelta, *, read_clock: Callable[[], float] = read_uptime) -> None:
        self.length = length
        self._own = length.total_seconds() * _OWN_SHARE
        self._read_clock = read_clock
        self._heard: float | None = None

    def begin(self) -> float:
        """When something is about to be said: the store hears it now or later, never before."""
        return self._read_clock()

    def renew(self, begun: float) -> None:
        """The store has heard what was begun then."""
        self._heard = begun

    def end(self) -> None:
        """Nobody has to wait for this writer any more."""
        self._heard = None

    def is_fresh(self) -> bool:
        """Whether nobody can have given this writer up by now."""
        return self._heard is not None and self._read_clock() - self._heard < self._own
