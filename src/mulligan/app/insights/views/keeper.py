"""What many pages ask for, kept for as long as it may be a little old."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar, cast

from mulligan.core.interfaces import Clock

A = TypeVar("A")

SHORT = timedelta(seconds=2)
LONG = timedelta(minutes=1)
"""For what is about a month, and takes longer to find out."""
MOST = 64


class _Kept(NamedTuple):
    at: datetime
    life: timedelta
    answer: object


class AnswerCache:
    """Answers by name. Safe to use from any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[object, _Kept] = {}
        self._changes = self._news = 0
        """How often all was forgotten, and how often what has a short life."""

    def keep(self, name: object, read: Callable[[], A], *, life: timedelta = SHORT) -> A:
        """The answer that is kept under a name, or what `read` says now."""
        now = self._clock()
        with self._lock:
            kept, known = self._kept.get(name), self._count_changes(life)
        if kept is not None and kept.at > now - life:
            return cast("A", kept.answer)
        found = read()
        with self._lock:
            if known != self._count_changes(life):
                # It may be from before the change, which others must not be shown.
                return found
            if len(self._kept) >= MOST:
                self._kept.clear()
            self._kept[name] = _Kept(now, life, found)
        return found

    def forget(self) -> None:
        """Somebody has changed something."""
        with self._lock:
            self._changes += 1
            self._kept.clear()

    def forget_short(self) -> None:
        """There is news: what is kept for seconds only was read before."""
        with self._lock:
            self._news += 1
            self._kept = {name: each for name, each in self._kept.items() if each.life > SHORT}

    def _count_changes(self, life: timedelta) -> tuple[int, int]:
        """Changes that an answer with such a life must not be from before."""
        return self._changes, self._news if life <= SHORT else 0
