"""How much, how deep and how long: what keeps one peer from taking all there is."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from mulligan.core.runtime.dataclass import dataclass

MEBI = 1024 * 1024
MOST_TOOLS = 1_000
"""Names of tools that are taken from clients: names are kept for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the gateway takes from a client or a server; every one can be set."""

    frame: int = 4 * MEBI
    """Bytes of one message."""
    depth: int = 128
    """How deep a message may be nested."""
    answer: float = 300.0
    """Seconds without an answer or a sign of progress after which a request is given up."""
    start: float = 60.0
    """Seconds that a server may take for its first answer."""
    stop: float = 2.0
    """Seconds for each step of stopping a server: input closed, asked to end, killed."""
    waiting: int = 10_000
    """Requests of one peer that are under way at once."""
    restarts: int = 5
    """Deaths in a row after which a server is left alone for a while."""
    backoff: float = 0.2
    """Seconds before the second start in a row; doubled for each that follows."""
    rest: float = 30.0
    """The longest pause between two starts, also of one that is left alone."""


class LaneFullError(Exception):
    """More of somebody's requests wait already than are let wait."""


class Lanes:
    """A lane for each principal: a few of their requests are worked on, and the rest wait behind
    those, never before anybody else's."""

    def __init__(self, *, wide: int, longest: float = 600.0, waiting: int = 1_000) -> None:
        self._longest = longest
        """Seconds after which a request makes room: what still goes on waits for a server."""
        self._most = waiting
        self._lanes = defaultdict[str, asyncio.Semaphore](partial(asyncio.Semaphore, wide))
        self._waiting = Counter[str]()

    @asynccontextmanager
    async def enter(self, principal: str) -> AsyncIterator[None]:
        """Wait for room; `LaneFullError` where too many wait already."""
        lane = self._lanes[principal]
        if self._waiting[principal] >= self._most:
            raise LaneFullError
        self._waiting[principal] += 1
        try:
            await lane.acquire()
        finally:
            self._waiting[principal] -= 1
        held = [lane]

        def make_room() -> None:
            while held:
                held.pop().release()

        loop = asyncio.get_running_loop()
        began = loop.time()
        limit = loop.call_later(self._longest, make_room)
        try:
            yield
        finally:
            limit.cancel()
            # A lane that is never empty rests for as long as it works: the time is not all theirs.
            rest = loop.time() - began if held and self._waiting[principal] else 0.0
            loop.call_later(rest, make_room)
