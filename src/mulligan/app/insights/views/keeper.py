"""What many pages ask for, kept for as long as it may be a little old."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar, cast

from mulligan.core.interfaces import Clock

A = TypeVar("A")

SHORT = timedelta(seconds=2)
LONG = timedelta(minutes=1)
"""For what is about a month, and takes longer to find out."""
MOST = 64


class Keeper:
    """Answers by name. Safe to use from any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[object, tuple[datetime, object]] = {}

    def keep(self, name: object, read: Callable[[], A], *, life: timedelta = SHORT) -> A:
        """The answer that is kept under a name, or what `read` says now."""
        now = self._clock()
        with self._lock:
            kept = self._kept.get(name)
        if kept is not None and kept[0] > now - life:
            return cast("A", kept[1])
        found = read()
        with self._lock:
            if len(self._kept) >= MOST:
                self._kept.clear()
            self._kept[name] = (now, found)
        return found

    def forget(self) -> None:
        """Somebody has changed something."""
        with self._lock:
            self._kept.clear()
