"""The application that every worker runs: tools on a ledger, some of whose calls are wrong."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from typing import Any

from bench.scale.ledger import Ledger
from mulligan import Effect, Mulligan
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.declaration import Remote
from mulligan.settings import Memory
from mulligan.types.call import Record
from mulligan.types.finding import Finding, Severity

AT_ONCE = 8
"""Turns of one process that go on at the same time."""
LANDS_WITHIN = timedelta(milliseconds=1)
WRONG = "wrong"

Add = Callable[..., Awaitable[str]]


def reject_wrong(attempted: Attempted) -> Iterator[Finding]:
    """A check that is against whatever is marked so."""
    marks = [str(each.call.arguments.get("mark", "")) for each in attempted.executions]
    if any(mark.endswith(WRONG) for mark in marks):
        yield Finding(rule="scale.wrong", severity=Severity.ERROR, issue="It was wrong.")


def open_application(url: str, **changes: Any) -> Mulligan:
    """One application of one process."""
    return Mulligan(url, checks=[reject_wrong], memory=Memory(on=False), **changes)


def declare_add(m: Mulligan, ledger: Ledger) -> Add:
    """A tool that can be undone, looked for, and told apart by its key."""

    def remove(record: Record) -> None:
        ledger.take_back(str(record.key))

    def find(record: Record) -> str | None:
        key = str(record.key)
        return key if ledger.is_standing(key) else None

    @m.tool(
        effect=Effect.REVERSIBLE,
        undo=remove,
        probe=find,
        read=find,
        key="key",
        remote=Remote(lands_within=LANDS_WITHIN),
    )
    async def add(mark: str, key: str | None = None) -> str:  # noqa: ARG001 - for the check
        """Add something."""
        return ledger.make(str(key))

    return add


async def make_turns(
    m: Mulligan,
    add: Add,
    *,
    worker: int,
    turns: int,
    wrong_every: int = 0,
    took_ms: list[float] | None = None,
) -> Counter[str]:
    """So many turns of one call each, several at once. Those the store failed, by its error."""
    numbers, failed = iter(range(turns)), Counter[str]()

    async def act_on(number: int) -> None:
        wrong = wrong_every and number % wrong_every == 0

        async def agent(turn: OpenTurn) -> str:
            said = WRONG if wrong and turn.attempt.number == 1 else "right"
            await add(mark=f"w{worker}t{number}a{turn.attempt.number} {said}")
            return "Done."

        await m.act("Add it", agent, timezone="UTC")

    async def work() -> None:
        for number in numbers:
            began = time.perf_counter()
            try:
                await act_on(number)
                if took_ms is not None:
                    took_ms.append(1_000 * (time.perf_counter() - began))
            except Exception as error:
                # A store that is away refuses; what was begun is for recovery to find.
                failed[type(error).__name__] += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(work())
    return failed
