"""Retention, kept in the background: what is past its time goes, and what is open never does."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import timedelta

from msgspec import Struct

from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.types.errors import StoreError
from mulligan.types.interfaces import Clock, Store, Vacuum, Vacuumed, run_as_leader
from mulligan.types.limits import Retention

FIRST, HOUR = 30.0, 3600.0
"""Seconds until a process sweeps, and until it does so again."""
EVERY = timedelta(minutes=50)
"""Once for all processes of a store; a little less than an hour, or its own pace would skip one."""

MOST_VACUUMED = 32_000_000
"""Bytes of a file or a table that a sweep writes anew, while others wait: about half a second."""

_report = logging.getLogger("mulligan")


class Swept(Struct, frozen=True, kw_only=True):
    """How much one round removed."""

    rows: int
    actions: int
    kept: int
    episodes: int
    versions: int
    """Of tasks' notes."""
    vacuumed: Vacuumed | None = None
    """What was written anew after it; `None`: nothing, as others do so now."""


def sweep(store: Store, *, retention: Retention, clock: Clock, whole: bool = False) -> Swept:
    """Remove everything that is past its time, once, and what is left of it on the disk.

    Large files and tables keep pieces of it, unless they are written anew `whole`.
    """
    now = clock()
    learned = now - retention.learned
    removals: dict[str, Callable[[], int]] = {
        "rows": lambda: store.log.prune(before=now - retention.log),
        "actions": lambda: store.journal.prune(settled_before=now - retention.settled),
        "kept": lambda: store.vault.shred(now=now),
        "episodes": lambda: store.failures.prune(before=learned),
        "versions": lambda: store.task_versions.prune(before=learned),
    }
    counts, failed = dict[str, int](), list[StoreError]()
    for name, remove in removals.items():
        try:
            counts[name] = remove()
        except StoreError as error:
            # A lock on one part of a store protects nothing in the others.
            failed.append(error)
    vacuumed = _vacuum(store, whole=whole)
    if failed:
        raise failed[0]
    return Swept(**counts, vacuumed=vacuumed)


def _vacuum(store: Store, *, whole: bool) -> Vacuumed | None:
    vacuum: Vacuum | None = getattr(store, "vacuum", None)
    if vacuum is None:
        return None
    with run_as_leader(store, "vacuum", every=timedelta(0)) as ours:
        return vacuum(most_bytes=None if whole else MOST_VACUUMED) if ours else None


class Housekeeping:
    """Sweeps every hour, one process for all that share a store, on a thread that ends with it."""

    def __init__(self, store: Store, *, retention: Retention, clock: Clock) -> None:
        self._store = store
        self._retention = retention
        self._clock = clock
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mulligan-sweep", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop sweeping."""
        self._over.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

    def sweep_if_due(self) -> Swept | None:
        """Sweep, unless another process does so now or did within the hour."""
        with run_as_leader(self._store, "sweep", every=EVERY) as ours:
            if not ours:
                return None
            return sweep(self._store, retention=self._retention, clock=self._clock)

    def _run(self) -> None:
        pause = FIRST
        while not self._over.wait(pause):
            pause = HOUR
            try:
                self.sweep_if_due()
            except Exception:  # noqa: BLE001 - tried again in an hour; doctor shows what is overdue
                _report.warning("Old records could not be removed.", exc_info=True)


def forget_now(settings: Settings) -> Swept:
    """Sweep a store, and write it anew however large it is."""
    with Insights.open(settings) as insights:
        return sweep(insights.store, retention=settings.retention, clock=insights.clock, whole=True)
