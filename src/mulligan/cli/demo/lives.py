"""The family's program in a process of its own: killed in the middle, or started again.

`python -m mulligan.cli.demo.lives killed|restarted STORE PORT`
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from mulligan.cli.demo.calendar import Calendar
from mulligan.cli.demo.family import SUNDAY, ZONE, Family, open_family
from mulligan.core.points import Point, watch_points
from mulligan.turns.turn import OpenTurn

REQUEST = "Move swimming to Monday"
TUESDAY = "2026-11-17"


async def be_killed(family: Family) -> None:
    """Act, wrongly, and die once the calendar has answered: nobody wrote that down."""

    async def die(point: Point) -> None:
        if point is Point.CALLED:
            os.kill(os.getpid(), signal.SIGKILL)

    async def planner(turn: OpenTurn) -> str:  # noqa: ARG001
        await family.move_event("swimming", TUESDAY)
        return "Swimming is on Monday."

    watch_points(die)
    await family.m.act(REQUEST, planner, now=SUNDAY, timezone=ZONE)


async def start_again(family: Family) -> None:
    """Look after what the last life left: what happened, then whether it was right."""
    for _ in range(2):
        await family.m.recover()


LIVES = {"killed": be_killed, "restarted": start_again}


async def main() -> None:
    """Live once."""
    life, store, port = sys.argv[1:]
    async with open_family(store, Calendar(port=int(port))) as family:
        await LIVES[life](family)


if __name__ == "__main__":
    asyncio.run(main())
