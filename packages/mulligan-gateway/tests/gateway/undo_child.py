"""A process that writes a file through a turn, has that rejected and undone, and is killed at a
named point on the way: `undo_child.py FOLDER POINT`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from mulligan import Mulligan
from mulligan.process.fault_points import Point
from mulligan_testing.faults import Deed, Faults, Strike
from tests.gateway.recorded_server import connect_files, declare_files


def open_application(folder: Path, *, recover: bool = True) -> Mulligan:
    m = Mulligan(f"sqlite:///{folder / 'm.db'}", lease=1, recover=recover)

    @m.check("write_file")
    def says_hello(call: object) -> str | None:
        content = getattr(call, "arguments", {}).get("content")
        return None if content == "hello" else "It was to say hello."

    return m


async def run(folder: Path, point: Point) -> None:
    async with open_application(folder) as m, connect_files(folder / "files") as upstream:
        declare_files(m, upstream, folder)
        turn = m._build_host({}).open("Write hello into a.txt")
        with Faults(Strike(deed=Deed.KILL, point=point)):
            await turn.call(upstream.ask("write_file", path="a.txt", content="goodbye"))
            await turn.review(None)
        await turn.leave()


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), Point(sys.argv[2])))
