"""What only a failure needs: loaded with the first one, and never while an event loop waits."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from importlib import import_module

MODULES = (
    "mulligan.learning.errors.fingerprint",
    "mulligan.learning.errors.raised",
    "mulligan.learning.errors.wording",
    "mulligan.learning.lessons.life",
    "mulligan.learning.lessons.probability",
    "mulligan.learning.lessons.recall",
    "mulligan.learning.repair.decide",
    "mulligan.learning.repair.precheck",
    "mulligan.learning.repair.suggest",
    "mulligan.redaction.mask",
    "mulligan.redaction.numbers",
    "mulligan.redaction.patterns",
)
"""Those that are asked for by name where a call has failed; they bring some hundred others."""


class LateModules:
    """Whether they are there yet."""

    loaded = False

    def load(self) -> None:
        """Load all of them; it takes a tenth of a second, the first time."""
        for name in MODULES:
            import_module(name)
        self.loaded = True

    async def load_beside_loop(self) -> None:
        """Load them while the event loop goes on."""
        done: Future[None] = Future()
        # A thread of its own: those that the loop has may all wait for the call that failed.
        threading.Thread(target=self._load_for, args=(done,), daemon=True).start()
        await asyncio.wrap_future(done)

    def _load_for(self, done: Future[None]) -> None:
        with suppress(Exception):  # who needs it says so where it is needed
            self.load()
        with suppress(InvalidStateError):  # nobody waits any more
            done.set_result(None)


LATE = LateModules()
