"""The journal: an intent on disk before an effect, and the least a durable commit can cost.

A raw commit is one row of the same bytes into a file of its own with `synchronous = full`.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from bench.syncs import counting_syncs
from bench.workers.protocol import serve
from mulligan import Effect, Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan.stores.opening import open_store
from mulligan.types.action import Entry, Kept, Opening, State
from mulligan.types.call import Record
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Journal
from mulligan.types.values import make_uuid7
from mulligan_testing.remote import FakeRemote, Item

WRITERS = 8
OPENING = Opening(tool="move_event", server="calendar", effect=Effect.REVERSIBLE, agent="planner")
BEFORE = b'{"id":"dinner","title":"Dinner","start":"2026-11-20T18:00:00+01:00","etag":"v1"}'


def intend(journal: Journal, number: int) -> Future[None]:
    """What goes to disk before an effect: the intent and the snapshot, in one transaction."""
    now = datetime.now(UTC)
    action = make_uuid7(time.time_ns() // 1000, number)
    entry = Entry(action=action, state=State.INTENT, at=now, version=1, opening=OPENING)
    return journal.submit([entry], keep=[Kept(owner=action, name="before", value=BEFORE)])


def intents(path: Path, *, n: int, **_: object) -> dict[str, Any]:
    """One after the other, each waited for."""
    store = open_store(f"sqlite:///{path}")
    intend(store.journal, 0).result()
    gc.collect()
    started = time.perf_counter()
    for number in range(1, n + 1):
        intend(store.journal, number).result()
    took = time.perf_counter() - started
    store.close()
    return {"us": took / n * 1e6}


def together(path: Path, *, n: int, **_: object) -> dict[str, Any]:
    """Eight at once, as eight turns of one process would."""
    store = open_store(f"sqlite:///{path}")
    intend(store.journal, 0).result()
    gc.collect()
    started = time.perf_counter()
    for first in range(0, n, WRITERS):
        waiting = [intend(store.journal, 1 + first + each) for each in range(WRITERS)]
        for future in waiting:
            future.result()
    took = time.perf_counter() - started
    store.close()
    return {"us": took / n * 1e6}


def commits(path: Path, *, n: int, **_: object) -> dict[str, Any]:
    """The least: one row, one commit, one sync."""
    connection = apsw.Connection(str(path))
    for pragma in ("journal_mode = wal", "synchronous = full"):
        connection.execute(f"pragma {pragma}")
    connection.execute("create table kept (id text primary key, value blob)")
    connection.execute("insert into kept values ('', '')")
    gc.collect()
    started = time.perf_counter()
    for number in range(n):
        connection.execute("begin immediate")
        connection.execute("insert into kept values (?, ?)", (f"{number:032}", BEFORE * 4))
        connection.execute("commit")
    took = time.perf_counter() - started
    connection.close()
    return {"us": took / n * 1e6}


def counted(path: Path, *, n: int, **_: object) -> dict[str, Any]:
    """Syncs that a turn of n actions makes, accepted, and once more rejected and undone."""
    with counting_syncs() as syncs:
        accepted = asyncio.run(_act(path.with_name("accepted.db"), n, reject=False, syncs=syncs))
        rejected = asyncio.run(_act(path.with_name("rejected.db"), n, reject=True, syncs=syncs))
    return {"per_action": accepted / n, "per_undo": (rejected - accepted) / n}


async def _act(path: Path, n: int, *, reject: bool, syncs: list[str]) -> int:
    remote = FakeRemote(path.with_suffix(".ledger"))
    wanted = [Finding(rule="bench.wrong", severity=Severity.ERROR, issue="Wrong.")]

    def check(attempted: Any) -> list[Finding]:
        return wanted if reject and attempted.turn.message == "act" else []

    async with Mulligan(f"sqlite:///{path}", checks=[check], recover=False) as m:

        def read(record: Record) -> Item | None:
            return remote.get(str(record.arguments["name"]))

        def undo(record: Record) -> None:
            remote.delete(str(record.arguments["name"]), by="undo")

        @m.tool(effect=Effect.REVERSIBLE, undo=undo, read=read)
        async def create(name: str) -> Item:
            return remote.create({}, id=name)

        async def agent(turn: OpenTurn) -> str:
            if turn.correction is None:
                for number in range(n if turn.message == "act" else 1):
                    await create(f"{turn.message}{number}")
            return "done"

        await m.act("warm up", agent)
        before = len(syncs)
        await m.act("act", agent)
        return sum(path.name in name for name in syncs[before:])


def in_fresh_files(
    block: Callable[..., dict[str, Any]], folder: str, **wanted: Any
) -> dict[str, Any]:
    """Run a block in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return block(Path(place) / "bench.db", **wanted)


def main(folder: str) -> None:
    blocks = {"intents": intents, "together": together, "commits": commits, "counted": counted}
    operations = {name: partial(in_fresh_files, block, folder) for name, block in blocks.items()}
    serve(operations, packages=["apsw"])


main(*sys.argv[1:])
