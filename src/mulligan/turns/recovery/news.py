"""Wakes recovery when another process has left something for this one, where the store tells."""

from __future__ import annotations

import os
from collections.abc import Callable

from mulligan.core.storage.sharing import Listen


class News:
    """Listens to a store that can be listened to, from the first turn on."""

    def __init__(self, store: object, *, wake: Callable[[], None]) -> None:
        self._store = store
        self._wake = wake
        self._end: Callable[[], None] | None = None
        self._pid: int | None = None

    def start(self) -> None:
        """Begin; a child of a fork begins anew."""
        listen: Listen | None = getattr(self._store, "listen", None)
        if self._pid == os.getpid() or listen is None:
            return
        self._pid, self._end = os.getpid(), listen(self._wake)

    def stop(self) -> None:
        """Hear no more."""
        end, self._end = self._end, None
        if end is not None:
            end()
