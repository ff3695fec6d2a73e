"""A turn that is rejected, and which operations of a pack are proven at every point."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from mulligan import Mulligan, State
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.finding import Finding, Severity

ALL = os.environ.get("MULLIGAN_TEST_PACKS") == "all"


def choose_proven(ways: Iterable[str], *short: str) -> list[str]:
    """All in the long form (`MULLIGAN_TEST_PACKS=all`), else those that the short form names."""
    return list(ways) if ALL else list(short)


def reject(attempted: Attempted) -> Iterator[Finding]:
    """Call everything wrong."""
    if attempted.executions:
        yield Finding(rule="test.wrong", severity=Severity.ERROR, issue="Wrong on purpose.")


async def act(m: Mulligan, work: Any) -> list[State]:
    """Let an agent do something once. The states of what is open after that."""

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            done = work()
            if hasattr(done, "__await__"):
                await done
        return "Done."

    await m.act("Do it", agent)
    return [action.state for action in m.insights.open_list.actions()]


async def act_refused(
    m: Mulligan, call: Any, error: type[Exception], *, match: str | None = None
) -> list[State]:
    """The same with a call that is refused."""

    async def work() -> None:
        with pytest.raises(error, match=match):
            await call()

    return await act(m, work)
