"""agent-saga's reversible path: intent and outcome of each call, with its undo, to a file log.

The undo is the cheapest its users can write: a function and its arguments. With the name of a
registered handler, which lets another process run it, a call costs a sixth more. Reversible
steps never wait for the disk where they are made: the file is written and synced by a flush loop,
which gets to run when the block waits for the barrier. One scope holds the calls of a block, as it
would hold the calls of an agent's run; opening and closing it, which does sync, is in neither
figure. The log starts anew with each block, so that none pays for the length of another's.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from agent_saga import ActionSemantics, Compensation, saga_scope, tool
from agent_saga.wal import FileWAL

from bench.payloads import AGENT, plan_event
from bench.workers.block import call_block
from bench.workers.protocol import serve


async def cancel_event(event_id: str) -> None:
    """The undo; nothing is rolled back here, so it never runs."""


def derive_undo(result: dict[str, Any] | None) -> Compensation | None:
    """The inverse of a call, from its result."""
    if result is None:
        return None
    return Compensation(fn=cancel_event, kwargs={"event_id": result["id"]})


observed = tool("plan_event", semantics=ActionSemantics.REVERSIBLE, compensate=derive_undo)(
    plan_event
)


async def saga_block(path: Path, *, n: int, seed: int) -> dict[str, Any]:
    """A block of calls in one scope, on a log of its own."""
    wal = FileWAL(path)
    await wal.start()
    try:
        async with saga_scope(name=AGENT, wal=wal):
            return await call_block(observed, wal.barrier, n=n, seed=seed)
    finally:
        await wal.close()


def main(path: str) -> None:
    with asyncio.Runner() as runner:

        def calls(*, n: int, seed: int) -> dict[str, Any]:
            Path(path).unlink(missing_ok=True)
            return runner.run(saga_block(Path(path), n=n, seed=seed))

        serve({"calls": calls}, packages=["agent-saga"])


main(*sys.argv[1:])
