"""Mulligan: the tool bare, and the tool observed, redacted and logged to SQLite.

Agent and context come from the turn, which holds the calls of a block as it would hold the calls of
an agent's run.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from contextvars import copy_context
from datetime import UTC, datetime
from typing import Any

from bench.payloads import AGENT, CONTEXT, plan_event
from bench.workers.block import call_block, nothing_to_flush, stall_block
from bench.workers.protocol import serve
from mulligan import Effect, Mulligan


def main(path: str) -> None:
    m = Mulligan(f"sqlite:///{path}")
    tool = m.tool(effect=Effect.READ)(plan_event)

    async def flush() -> None:
        m.flush()

    def counted(block: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
        before = m.insights.tally()
        with m.turn(agent=AGENT, context=CONTEXT, now=datetime.now(UTC)):
            # A runner keeps the context that it was made in, where no turn was going on.
            answer = runner.run(block, context=copy_context())
        after = m.insights.tally()
        stored = after.stored - before.stored
        return {**answer, "lost": after.emitted - before.emitted - stored}

    with asyncio.Runner() as runner:

        def bare(*, n: int, seed: int) -> dict[str, Any]:
            return runner.run(call_block(plan_event, nothing_to_flush, n=n, seed=seed))

        def calls(*, n: int, seed: int) -> dict[str, Any]:
            return counted(call_block(tool, flush, n=n, seed=seed))

        def stall(*, rate: int, seconds: float, seed: int) -> dict[str, Any]:
            return counted(stall_block(tool, flush, rate=rate, seconds=seconds, seed=seed))

        def bare_stall(*, rate: int, seconds: float, seed: int) -> dict[str, Any]:
            return runner.run(
                stall_block(plan_event, nothing_to_flush, rate=rate, seconds=seconds, seed=seed)
            )

        serve(
            {"bare": bare, "calls": calls, "stall": stall, "bare_stall": bare_stall},
            packages=["mulligan", "apsw", "msgspec"],
        )
    m.close()


main(*sys.argv[1:])
