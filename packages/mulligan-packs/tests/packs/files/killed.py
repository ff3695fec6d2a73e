"""An application that is killed once all it did was rejected: `python -m … ROOT STORE [one turn]`.

Without the last word each call is of a turn of its own, that was accepted; a person has all of them
undone.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from mulligan import Mulligan
from mulligan.process.fault_points import Point, watch_points
from mulligan.runtime.context import OpenTurn
from mulligan.types.action import ActionQuery
from mulligan_packs.files import file_tools
from tests.packs.proving import reject


async def die(point: Point) -> None:
    if point is Point.DOOMED:
        os.kill(os.getpid(), signal.SIGKILL)


async def main(root: str, store: str, together: str = "") -> None:
    async with Mulligan(store, checks=[reject] if together else [], recover=False) as m:
        tools = file_tools(m, root)
        calls = [
            lambda: tools.make_folder("a"),
            lambda: tools.make_folder("a/b"),
            lambda: tools.write_file("a/b/f", "beer"),
            lambda: tools.move_file("a/b/f", "a/g"),
        ]
        steps = [calls] if together else [[call] for call in calls]
        watch_points(die)
        for each in steps:

            async def agent(turn: OpenTurn, step: list = each) -> str:
                for call in step:
                    call()
                return "Done."

            await m.act("Do it", agent)
        for action in m.insights.open_list.search(ActionQuery()):
            m.insights.open_list.undo(action.id, by="Ann")
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
