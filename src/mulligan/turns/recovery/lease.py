"""Renews the lease of this process, by which others know that it lives."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from datetime import timedelta

from mulligan.core.interfaces import LEASE

_report = logging.getLogger("mulligan")

BEATS = 3
"""Signs of life in one lease, so that one may be lost and one may be late."""


class LeaseRenewer:
    """Says three times in every lease that this process lives, once it has begun to act."""

    def __init__(self, beat: Callable[[], None], *, lease: timedelta = LEASE) -> None:
        self._beat = beat
        self._every = lease.total_seconds() / BEATS
        self._over = threading.Event()
        self._pid: int | None = None

    def start(self) -> None:
        """Begin; a child of a fork begins anew."""
        if self._pid == os.getpid() or self._over.is_set():
            return
        self._pid, self._over = os.getpid(), threading.Event()
        threading.Thread(target=self._run, name="mulligan-lease", daemon=True).start()

    def stop(self) -> None:
        """Fall silent."""
        self._over.set()

    def _run(self) -> None:
        over = self._over
        due = time.monotonic() + self._every
        while not over.wait(max(0.0, due - time.monotonic())):
            # From beat to beat, however long one takes; those that were slept through are not
            # made up for.
            due = max(due + self._every, time.monotonic())
            try:
                self._beat()
            except Exception as error:  # noqa: BLE001 - a store that is away now may be back soon
                if not over.is_set():
                    _report.warning("No sign of life could be left in the store: %s", error)
