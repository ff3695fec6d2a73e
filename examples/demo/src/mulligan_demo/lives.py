"""The family's program in a process of its own: killed in the middle, or started again.

`python -m mulligan_demo.lives killed|restarted STORE URL`
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from mulligan.process.fault_points import Point, watch_points
from mulligan.runtime.context import OpenTurn
from mulligan_demo.family import WEEK, Family, open_family

REQUEST = "Move swimming to Monday"
WRONG = "2026-11-17T15:00"


async def be_killed(family: Family) -> None:
    """Act, wrongly, and die once the result is recorded, before its review."""

    async def die(point: Point) -> None:
        if point is Point.EXECUTED:
            os.kill(os.getpid(), signal.SIGKILL)

    async def plan(turn: OpenTurn) -> str:
        await family.tools.get_calendar_events(*WEEK)
        await family.tools.update_calendar_event("swimming", start=WRONG)
        return "Swimming is on Monday."

    watch_points(die)
    await family.act(REQUEST, plan)


async def start_again(family: Family) -> None:
    """Look after what the last life left: what happened, then whether it was right."""
    for _ in range(2):
        await family.m.recover()


LIVES = {"killed": be_killed, "restarted": start_again}


async def main() -> None:
    """Live once."""
    life, store, url = sys.argv[1:]
    async with open_family(store, url) as family:
        await LIVES[life](family)


if __name__ == "__main__":
    asyncio.run(main())
