"""Turns as workflows of Temporal: each call an activity, each hold a wait for its signal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from msgspec import Struct
from temporalio import activity
from temporalio.client import Client

from mulligan.hosts.temporal_workflow import SIGNAL, STEP, TemporalTurn
from mulligan.types.adapter import Host, Plain, name_tools

__all__ = ["TemporalTurn", "TemporalTurns", "build"]

CANNOT = {
    "about": "What is known of a turn is given where its workflow calls `act`.",
    "pitfalls": "Its agents are functions, which have no prompt of ours: ask m.pitfalls().",
    "written_calls": "Its agents call tools themselves.",
    "hold_back": "It has no stream.",
}

BEATS = 3
"""Signs of life of an activity within the time after which it counts as dead."""


class TemporalTurns(Struct, frozen=True):
    """What a worker with the tools runs; its workflows are `TemporalTurn`s."""

    host: Host

    def list_activities(self, tools: Iterable[Callable[..., object]]) -> list[Callable[..., Any]]:
        """For `Worker(…, activities=…)`: all that the steps of turns need."""
        named = name_tools(tools)

        async def make_step(step: Plain) -> Plain:
            beating = asyncio.create_task(_beat())
            try:
                return await self.host.make_step(step, tools=named)
            finally:
                beating.cancel()
                with suppress(asyncio.CancelledError):  # we have just cancelled it
                    await beating

        return [activity.defn(name=STEP)(make_step)]

    async def send_signal(self, action: str, *, workflow: str, client: Client) -> None:
        """Have a workflow that awaits approval of an action look now, not in a while."""
        await client.get_workflow_handle(workflow).signal(SIGNAL, action)


async def _beat() -> None:
    """Say that this process lives, so that another one goes on soon when it does not."""
    within = activity.info().heartbeat_timeout
    if within is None:
        return
    while True:
        activity.heartbeat()
        await asyncio.sleep(within.total_seconds() / BEATS)


def build(host: Host) -> TemporalTurns:
    """What a worker with the tools runs."""
    return TemporalTurns(host)
