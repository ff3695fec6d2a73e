"""Counts what reaches the disk for sure while an agent acts: every sync SQLite makes."""

from __future__ import annotations

import asyncio
import json
import sys

import apsw

from mulligan import Effect, Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.finding import Finding, Severity
from mulligan_testing.remote import FakeRemote, Item

syncs: list[str] = []


class CountingVFS(apsw.VFS):
    def __init__(self) -> None:
        super().__init__("counting", "unix", makedefault=True)

    def xOpen(self, name, flags):
        return CountingFile(name, flags)


class CountingFile(apsw.VFSFile):
    def __init__(self, name, flags) -> None:
        self.name = name if isinstance(name, str) or name is None else name.filename()
        super().__init__("unix", name, flags)

    def xSync(self, flags: int) -> None:
        syncs.append(str(self.name))
        super().xSync(flags)


def reject_first(attempted: object) -> list[Finding]:
    """What the first attempt does is wrong, whatever it is."""
    if rejecting and attempted.executions and not seen:  # type: ignore[attr-defined]
        seen.append(1)
        return [Finding(rule="test.wrong", severity=Severity.ERROR, issue="Wrong.")]
    return []


seen: list[int] = []
rejecting = sys.argv[3] == "reject"


async def act(folder: str, actions: int) -> None:
    remote = FakeRemote(f"{folder}/ledger")
    async with Mulligan(f"sqlite:///{folder}/family.db", checks=[reject_first]) as m:

        def read(record: Record) -> Item | None:
            return remote.get(str(record.arguments["name"]))

        def undo(record: Record) -> None:
            remote.delete(str(record.arguments["name"]), by="undo")

        @m.tool(effect=Effect.REVERSIBLE, undo=undo, read=read)
        async def create(name: str) -> Item:
            return remote.create({}, id=name)

        @m.tool
        async def note(text: str) -> str:
            return text

        async def agent(turn: OpenTurn) -> str:
            if turn.correction is None:
                for n in range(actions):
                    await create(f"e{n}")
                    if sys.argv[3] == "note":
                        await note(f"e{n}")
            return "done"

        await m.act("warm up", agent)
        for name in remote.list_items():
            remote.delete(name, by="person")
        seen.clear()
        before = len(syncs)
        await m.act("act", agent)
        made = [name for name in syncs[before:] if "family.db" in name]
    print(json.dumps(len(made)))


vfs = CountingVFS()
asyncio.run(act(sys.argv[1], int(sys.argv[2])))
