"""Modules that few processes need: loaded once, and never while an event loop waits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from importlib import import_module

from mulligan.core.runtime.late_pattern import compile_rest


class LateModules:
    """Some modules that are asked for by name, and whether they are there yet."""

    def __init__(self, *names: str) -> None:
        self.names: Sequence[str] = names
        self.loaded = False

    def load(self) -> None:
        """Load all of them; it takes a tenth of a second, the first time."""
        for name in self.names:
            import_module(name)
        compile_rest()
        self.loaded = True

    async def load_beside_loop(self) -> None:
        """Load them while the event loop goes on."""
        done: Future[None] = Future()
        # A thread of its own: those that the loop has may all wait for the call that needs them.
        threading.Thread(target=self._load_for, args=(done,), daemon=True).start()
        await asyncio.wrap_future(done)

    def _load_for(self, done: Future[None]) -> None:
        with suppress(Exception):  # who needs it says so where it is needed
            self.load()
        with suppress(InvalidStateError):  # nobody waits any more
            done.set_result(None)
