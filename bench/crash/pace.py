"""Calls that an agent does not wait for, and when they come back."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Pace:
    """When a slow tool begins, and when it may return: while the review thinks, not before."""

    started: asyncio.Event = field(default_factory=asyncio.Event)
    may_return: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)

    async def let_go(self, call: Coroutine[Any, Any, Any]) -> None:
        """Make a call without waiting for its answer, only until it is under way."""
        task = asyncio.create_task(call)
        self.tasks.append(task)
        under_way = asyncio.create_task(self.started.wait())
        await asyncio.wait([task, under_way], return_when=asyncio.FIRST_COMPLETED)
        under_way.cancel()

    async def let_return(self) -> None:
        """Have every call come back now."""
        self.may_return.set()
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=1)

    async def end(self) -> None:
        """Leave no call behind, also none that hangs."""
        await self.let_return()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
