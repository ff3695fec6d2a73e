"""A framework whose agents are functions: `await m.for_garden()(agent, "Plant a rose")`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mulligan.types.adapter import Host, HostCall

Agent = Callable[[Callable[..., Awaitable[Any]], str], Awaitable[str]]
"""What acts: it is given what makes a call, and what was wrong with its last attempt."""


def build(host: Host) -> Callable[[Agent, str], Awaitable[object]]:
    """What runs an agent until its reply stands."""

    async def run(agent: Agent, message: str) -> object:
        turn, failed = host.open(message, agent=agent.__name__), True

        async def call(tool: Callable[..., object], **arguments: object) -> object:
            async def make(given: Any) -> object:
                return tool(**given)

            asked = HostCall(tool=tool.__name__, arguments=arguments, make=make, function=tool)
            return (await turn.call(asked)).result

        try:
            answer = await turn.review(await agent(call, ""))
            while answer.feedback:
                answer = await turn.review(await agent(call, answer.feedback))
            failed = False
        finally:
            await turn.leave(failed=failed)
        return answer.reply

    return run
