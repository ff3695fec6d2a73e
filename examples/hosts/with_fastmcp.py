"""Mulligan in a FastMCP server: a wrong action undone and done right, a payment held back.

`python examples/hosts/with_fastmcp.py`: the client is in the same program, so it needs no key.
"""

import asyncio
import logging
from typing import Any

from fastmcp import Client, FastMCP

from mulligan import Call, Effect, Mulligan

calendar = {"dinner": "2026-11-18"}
paid: list[int] = []
mcp = FastMCP("planner")


@mcp.tool
async def move_event(event: str, day: str) -> str:
    """Move an event to another day."""
    calendar[event] = day
    return f"moved to {day}"


@mcp.tool
async def pay(amount: int) -> str:
    """Pay, which cannot be undone."""
    paid.append(amount)
    return f"paid {amount}"


async def call(client: Client[Any], tool: str, **arguments: object) -> None:
    """What a model would do next, and what it reads."""
    meta = {"mulligan/message": "Move dinner to Friday, and pay 30", "mulligan/turn": "1"}
    came = await client.call_tool(tool, arguments, raise_on_error=False, meta=meta)
    texts = [f"  {part.text}" for part in came.content if part.type == "text"]
    print(f"{tool} {arguments}:", *texts, sep="\n")


async def main() -> None:
    """One conversation of a client."""
    logging.getLogger("fastmcp").setLevel(logging.CRITICAL)  # it prints every error of a tool
    async with Mulligan("memory:") as m:
        m.declare(
            "move_event",
            effect=Effect.REVERSIBLE,
            before=lambda record: calendar[record.arguments["event"]],
            undo=lambda record: calendar.update({record.arguments["event"]: record.before}),
        )
        m.declare("pay", effect=Effect.IRREVERSIBLE)

        @m.check("move_event")
        def is_friday(call: Call) -> str | None:
            return None if call.arguments["day"] == "2026-11-20" else "Friday is 2026-11-20."

        mcp.add_middleware(m.for_fastmcp(on_answer=lambda a: print(f"  ({a.confidence})")))
        async with Client(mcp) as client:
            await call(client, "move_event", event="dinner", day="2026-11-21")
            await call(client, "move_event", event="dinner", day="2026-11-20")
            print(calendar)
            await call(client, "pay", amount=30)
            [waits] = m.insights.open_list.actions()
            print(f"{waits.opening.tool} is {waits.state}; paid so far: {paid}")
            m.insights.open_list.approve(waits.id, by="Ann")  # as `mulligan approve ID` does
            await call(client, "pay", amount=30)
            print(paid)


asyncio.run(main())
