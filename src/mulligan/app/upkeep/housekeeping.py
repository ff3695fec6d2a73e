"""Retention, kept in the background: what is past its time goes, and what is open never does."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from datetime import timedelta

from mulligan.core.dataclass import dataclass
from mulligan.core.interfaces import Clock, Store
from mulligan.core.retention import Retention
from mulligan.core.sharing import Vacuum, Vacuumed, share_duty

HOUR = 3600.0
EVERY = timedelta(minutes=50)
"""Once for all processes of a store; a little less than an hour, or its own pace would skip one."""

DAY = timedelta(days=1)
"""Within which a store is written anew also if a sweep has removed nothing: one before it may have
removed something, and then have found the store in use."""
MOST_VACUUMED = 32_000_000
"""Bytes of a file or a table that a sweep writes anew, while others wait: about half a second."""

_report = logging.getLogger("mulligan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """How much one round removed."""

    rows: int
    compressed: int
    actions: int
    kept: int
    episodes: int
    versions: int
    """Of tasks' notes."""
    vacuumed: Vacuumed | None = None
    """What was written anew after it; `None`: nothing, as there was no need or others do so now."""

    @property
    def removed(self) -> int:
        """Everything that is not there any more."""
        return self.rows + self.actions + self.kept + self.episodes + self.versions


def sweep(store: Store, *, retention: Retention, clock: Clock, whole: bool = False) -> Swept:
    """Remove everything that is past its time, once, and what is left of it on the disk.

    Large files and tables keep pieces of it, unless they are written anew `whole`.
    """
    now = clock()
    compressed = 0
    if retention.compress is not None:
        compressed = store.log.compress(before=now - retention.compress)
    swept = Swept(
        rows=store.log.prune(before=now - retention.log),
        compressed=compressed,
        actions=store.journal.prune(settled_before=now - retention.settled),
        kept=store.vault.shred(now=now),
        episodes=store.casebook.prune(before=now - retention.learned),
        versions=store.archive.prune(before=now - retention.learned),
    )
    vacuum: Vacuum | None = getattr(store, "vacuum", None)
    if vacuum is None:
        return swept
    every = timedelta(0) if whole or swept.removed else DAY
    with share_duty(store, "vacuum", every=every) as ours:
        if not ours:
            return swept
        return replace(swept, vacuumed=vacuum(most_bytes=None if whole else MOST_VACUUMED))


class Housekeeping:
    """Sweeps every hour, one process for all that share a store, on a thread that ends with it."""

    def __init__(
        self, store: Store, *, retention: Retention, clock: Clock, first: float = 30.0
    ) -> None:
        self._store = store
        self._retention = retention
        self._clock = clock
        self._over = threading.Event()
        self._first = first
        self._thread = threading.Thread(target=self._run, name="mulligan-sweep", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop sweeping."""
        self._over.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

    def sweep_if_due(self) -> Swept | None:
        """Sweep, unless another process does so now or did within the hour."""
        with share_duty(self._store, "sweep", every=EVERY) as ours:
            if not ours:
                return None
            return sweep(self._store, retention=self._retention, clock=self._clock)

    def _run(self) -> None:
        pause = self._first
        while not self._over.wait(pause):
            pause = HOUR
            try:
                self.sweep_if_due()
            except Exception:  # noqa: BLE001 - tried again in an hour; doctor shows what is overdue
                _report.warning("Old records could not be removed.", exc_info=True)
