"""An application that is killed at a point of its protocol: `python -m … URL STORE POINT`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from mulligan import Mulligan
from mulligan.process.fault_points import Point, watch_points
from mulligan.runtime.context import OpenTurn
from mulligan_packs.calendar import CalDAV, calendar_tools
from tests.packs.calendar.family import NOW, ZONE, event_id, rejects_everything

STARTS = "2026-11-21T18:00"


def kill_at(wanted: Point, *, after: int) -> None:
    """End this process without a word when a point is reached for the last time that counts."""
    seen = 0

    async def watcher(point: Point) -> None:
        nonlocal seen
        seen += point is wanted
        if seen == after:
            os.kill(os.getpid(), signal.SIGKILL)

    watch_points(watcher)


async def main(url: str, store: str, point: str) -> None:
    async with Mulligan(store, checks=[rejects_everything], recover=False) as m:
        tools = calendar_tools(m, CalDAV(url), zone=ZONE)

        async def agent(turn: OpenTurn) -> str:
            await tools.create_calendar_event("Cake", STARTS)
            await tools.bulk_update_calendar_events(
                [{"event_id": event_id(n), "start": STARTS} for n in range(2)]
            )
            kill_at(Point(point), after=1)
            await tools.delete_calendar_event(event_id(2))
            return "Done."

        await m.act("Plan the week", agent, now=NOW, timezone=ZONE)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
