"""A message and some calls as an attempt that a check can look at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from mulligan.loops.actions import Attempted
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.turn import Turn


def attempted(
    message: str,
    *,
    now: datetime,
    calls: Sequence[tuple[str, Mapping[str, Any]]],
    known: Mapping[str, object] | None = None,
    effects: Collection[str] | None = None,
) -> Attempted:
    """Calls that succeeded, in a turn whose zone is that of `now`, taken for UTC.

    `effects` are the tools that change something, where that is declared.
    """
    turn = Turn(id="turn", message=message, now=now, timezone="UTC", known=known or {})
    executions = tuple(
        Execution(
            call=Call(id=f"call-{number}", tool=tool, arguments=arguments),
            outcome=Outcome.SUCCESS,
            at=now,
            duration=timedelta(),
        )
        for number, (tool, arguments) in enumerate(calls)
    )
    made = (e.call.id for e in executions if effects is None or e.call.tool in effects)
    acted = None if effects is None else frozenset(made)
    return Attempted(turn=turn, executions=executions, acted=acted)
