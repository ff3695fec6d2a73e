"""An application on SQLite, in a process that has nothing of what only POSIX has.

`python -m tests.stores.without_posix FOLDER`
"""

from __future__ import annotations

import os
import sys

MISSING = ("register_at_fork", "fork", "forkpty", "pread", "pwrite", "O_CLOEXEC")

# Before anything of ours is imported, as on a system that never had them.
sys.modules["fcntl"] = None
for _name in MISSING:
    delattr(os, _name)

import asyncio  # noqa: E402
from datetime import UTC, datetime  # noqa: E402

from mulligan import Effect, Mulligan  # noqa: E402
from mulligan.checks.dates import dates_as_said  # noqa: E402
from mulligan.cli.main import main  # noqa: E402

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)


def act(url: str) -> None:
    """Move dinner to a wrong day, be told, and move it to the right one."""
    calendar = {"dinner": "2026-11-18"}
    m = Mulligan(url, checks=[dates_as_said()])

    @m.tool(
        effect=Effect.REVERSIBLE,
        before=lambda record: calendar[record.arguments["event"]],
        undo=lambda record: calendar.update({record.arguments["event"]: record.before}),
        read=lambda record: calendar[record.arguments["event"]],
    )
    async def move(event: str, day: str) -> str:
        calendar[event] = day
        return day

    async def agent(turn):
        await move("dinner", "2026-11-21" if turn.correction is None else "2026-11-20")
        return "Moved."

    done = asyncio.run(m.act("Move dinner to Friday", agent, now=NOW, timezone="Europe/Berlin"))
    m.close()
    print("done:", done.reply, done.standing, calendar["dinner"])


if __name__ == "__main__":
    store = f"sqlite:///{sys.argv[1]}/family.db"
    act(store)
    act(store)
    for command in (["log", "--json"], ["doctor", "--json"]):
        print(f"{command[0]}:", main([*command, "--store", store]))
