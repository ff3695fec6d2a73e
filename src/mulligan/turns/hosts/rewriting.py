"""A reply that its host has written again: the loop over replies asks, and the host goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from mulligan.core.finding import Correction
from mulligan.core.text import Replied
from mulligan.turns.turn.reply import Rewrite

CheckReply = Callable[[str, Rewrite], Awaitable[Replied]]
"""Checks a reply, and has it written again until it is good or the bound is met."""


class Rewriting:
    """One reply on its way, whose next text comes from outside whenever its host has it."""

    def __init__(self, check: CheckReply) -> None:
        self._check = check
        self._task: asyncio.Future[Replied] | None = None
        self._asked: asyncio.Future[Correction] = asyncio.get_running_loop().create_future()
        self._written: asyncio.Future[str] | None = None

    async def offer(self, text: str) -> Correction | Replied:
        """Bring a text: what is to be told about it, or what came of them all."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._check(text, self._rewrite))
        elif self._written is not None and not self._written.done():
            # Else it comes too late: the time for it was up, and another text goes out.
            self._written.set_result(text)
        either: list[asyncio.Future[Any]] = [self._task, self._asked]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            return self._task.result()
        correction = self._asked.result()
        self._asked = asyncio.get_running_loop().create_future()
        return correction

    async def stop(self) -> None:
        """No further text will come."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            with suppress(asyncio.CancelledError, Exception):  # nobody waits for it any more
                await self._task

    async def _rewrite(self, correction: Correction) -> str:
        self._written = asyncio.get_running_loop().create_future()
        self._asked.set_result(correction)
        return await self._written
