"""Work that goes on after a run has handed out its output."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class Afterwards:
    """What is still under way, on whichever event loop it was begun."""

    def __init__(self) -> None:
        self._going: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Start it on the loop that runs now; nobody waits for it yet."""
        task = asyncio.get_running_loop().create_task(work, name="mulligan-afterwards")
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    async def finish(self) -> None:
        """Wait for everything that was begun on this loop."""
        here = asyncio.get_running_loop()
        while going := [task for task in list(self._going) if task.get_loop() is here]:
            await asyncio.wait(going)
