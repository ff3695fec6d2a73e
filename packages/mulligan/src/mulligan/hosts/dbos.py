"""Turns as workflows of DBOS: each call a step, each hold a wait of its own, whoever is killed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from typing import Any, cast

from dbos import DBOS
from msgspec import Struct

from mulligan.types.adapter import (
    DurableAgent,
    DurableTurn,
    Host,
    Plain,
    Tools,
    describe_turn,
    name_tools,
    run_turn,
)
from mulligan.types.errors import StoreError

CANNOT = {
    "about": "What is known of a turn is given where its workflow is started.",
    "pitfalls": "Its agents are functions, which have no prompt of ours: ask m.pitfalls().",
    "written_calls": "Its agents call tools themselves.",
    "hold_back": "It has no stream.",
}

TRIES = 10
"""Of a step whose store was away: what was begun is found again, and made once."""

StartTurn = Callable[..., Awaitable[Plain]]
"""A workflow of DBOS: `await plan("Move dinner", {"agent": "planner"})`."""


class DbosTurns(Struct, frozen=True):
    """Makes workflows of agents."""

    host: Host

    def make_workflow(
        self,
        agent: DurableAgent,
        *,
        tools: Iterable[Callable[..., object]],
        name: str = "",
    ) -> StartTurn:
        """An agent as a workflow, before `DBOS.launch()`: of a message, and what else is known.

        It gives what the turn came to: `reply`, `standing`, `confidence`, `note`. The agent calls
        tools by `turn.call(…)`; what else is not the same every time is a step of DBOS.
        """
        engine = _Steps(self.host, name_tools(tools))

        async def run(message: str, about: Plain | None = None) -> Plain:
            now = await DBOS.run_step_async({"name": "begin"}, _read_now)
            told = describe_turn(str(DBOS.workflow_id), message, now=now, about=about or {})
            return await run_turn(agent, DurableTurn(engine=engine, about=told))

        named = name or getattr(agent, "__name__", "turn")
        run.__name__ = run.__qualname__ = named
        return cast("StartTurn", DBOS.workflow(name=named)(run))

    async def send_signal(self, action: str, *, workflow: str) -> None:
        """Have a workflow that awaits approval of an action look now, not in a while."""
        await DBOS.send_async(workflow, "decided", topic=action)


class _Steps(Struct, frozen=True):
    """The steps and waits of a workflow, as DBOS keeps them."""

    host: Host
    tools: Tools

    async def make_step(self, name: str, step: Plain) -> Plain:
        async def make() -> Plain:
            return await self.host.make_step(step, tools=self.tools)

        options: Any = {
            "name": name,
            "retries_allowed": True,
            "max_attempts": TRIES,
            "should_retry": lambda error: isinstance(error, StoreError),
        }
        made: Plain = await DBOS.run_step_async(options, make)
        return made

    async def wait_for_word(self, action: str, seconds: float) -> None:
        await DBOS.recv_async(topic=action, timeout_seconds=seconds)


async def _read_now() -> str:
    return datetime.now(UTC).isoformat()


def build(host: Host) -> DbosTurns:
    """What makes workflows of agents."""
    return DbosTurns(host)
