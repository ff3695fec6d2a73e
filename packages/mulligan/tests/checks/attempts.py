"""Attempts for the checks to look at, in as few words as a test needs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Fact, Finding, Severity
from mulligan.types.interfaces import Gather
from mulligan.types.turn import Turn

NOW = datetime(2025, 10, 20, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What a check is given."""

    turn: Turn
    executions: tuple[Execution, ...] = ()
    earlier: tuple[Execution, ...] = ()
    facts: tuple[Fact, ...] = ()
    acted: frozenset[str] | None = None


def ran(
    tool: str,
    arguments: Mapping[str, object] | None = None,
    *,
    result: object = None,
    outcome: Outcome = Outcome.SUCCESS,
) -> Execution:
    """A call that was made."""
    call = Call(id=f"call of {tool}", tool=tool, arguments=arguments or {})
    return Execution(call=call, outcome=outcome, at=NOW, duration=timedelta(), result=result)


def attempt(
    said: str,
    *executions: Execution,
    known: Mapping[str, object] | None = None,
    earlier: Iterable[Execution] = (),
    facts: Iterable[Fact] = (),
    zone: str | None = "America/New_York",
) -> Attempt:
    """What the person said, and the calls that followed."""
    return Attempt(
        turn=Turn(id="t", message=said, now=NOW, timezone=zone, known=known or {}),
        executions=executions,
        earlier=tuple(earlier),
        facts=tuple(facts),
    )


def gathered(gather: Gather, tried: Attempt) -> tuple[Fact, ...]:
    """The facts that a function gathers about an attempt."""
    calls = [execution.call for execution in tried.executions]

    async def wait() -> Iterable[Fact]:
        return await gather(tried.turn, calls)

    return tuple(asyncio.run(wait()))


def severities(findings: Iterable[Finding]) -> list[Severity]:
    """How much each finding weighs."""
    return [finding.severity for finding in findings]
