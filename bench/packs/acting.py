"""What every history of a pack does: an agent acts once, a reviewer is content or not, and later
processes recover what was left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from inspect import isawaitable

from bench.crash.clock import Clock
from mulligan import Mulligan
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.finding import Finding, Severity

PASSES = 4
LATER = timedelta(minutes=20)


def reject(attempted: Attempted) -> Iterator[Finding]:
    """A reviewer to whom all that was done is wrong."""
    if attempted.executions:
        yield Finding(rule="bench.wrong", severity=Severity.ERROR, issue="Wrong on purpose.")


def accept(_: Attempted) -> Iterator[Finding]:
    """One to whom all is right."""
    return iter(())


async def act_once(m: Mulligan, work: Callable[[], object]) -> None:
    """A turn of an agent that leaves it at that where its work is rejected."""

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number > 1:
            return "I leave it at that."
        done = work()
        if isawaitable(done):
            await done
        return "Done."

    await m.act("Do it", agent)


async def recover(m: Mulligan, clock: Clock) -> None:
    """Look after what was left, again and again as time passes."""
    for _ in range(PASSES):
        clock.go_on(LATER)
        await m.recover()
