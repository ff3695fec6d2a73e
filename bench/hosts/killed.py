"""A run of a host that is killed inside a tool, after its effect."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from bench.hosts.drivers import Step, load_driver
from bench.hosts.world import SATURDAY, build_tools, open_app
from mulligan_testing.remote import FakeRemote


async def run_to_the_kill(host: str, home: Path, event: str) -> None:
    """The wrong day, and no answer to it."""
    remote = FakeRemote(home / "remote")
    tools = build_tools(remote, struck=lambda: os._exit(9))
    async with open_app(f"sqlite:///{home / 'store.db'}", remote) as m:
        script: list[Step] = [("move_event", {"event_id": event, "day": SATURDAY}), "Moved."]
        await load_driver(host).run(m, tools, "Move dinner to Friday", script)


if __name__ == "__main__":
    asyncio.run(run_to_the_kill(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
