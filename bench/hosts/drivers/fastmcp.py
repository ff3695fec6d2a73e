"""FastMCP: a server in this process, and a client whose model follows the script."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import fastmcp

from bench.hosts.drivers import Conversation, Ran, Step, Tools
from mulligan import Mulligan
from mulligan.hosts.fastmcp import CANNOT as LACKS

CANNOT = {
    "test_a_call_that_is_only_written_is_made": LACKS["written_calls"],
    "test_a_stream_shows_nothing_that_was_not_reviewed": LACKS["hold_back"],
    "test_a_rejected_attempt_leaves_what_the_model_sees": (
        "The conversation is the client's: a server cannot take anything out of it."
    ),
    "test_a_run_that_goes_on_is_about_what_the_person_said": (
        "A server knows what the person said only where its client says so, with each call."
    ),
    "test_what_a_person_approved_stands_where_another_call_is_rejected": (
        "A call that a person approved is a turn of its own, as its client calls it again."
    ),
    "test_a_bad_reply_is_written_again": "A server never sees the reply of its client's model.",
}


async def run(
    m: Mulligan | None, tools: Tools, message: str, script: Sequence[Step], **options: Any
) -> Ran:
    """One conversation of a client on a message, which it tells the server of."""
    meta = {"mulligan/message": message, "mulligan/turn": "1"}
    return await _converse(_build_server(m, tools, options), [message], script, meta)


async def converse(m: Mulligan, tools: Tools, talk: Conversation) -> list[Ran]:
    """One client, which tells the server each message, and keeps the conversation."""
    server, runs, told = _build_server(m, tools, {}), list[Ran](), list[str]()
    for number, (message, script) in enumerate(talk):
        meta = {"mulligan/message": message, "mulligan/turn": f"message {number}"}
        told.append(message)
        runs.append(await _converse(server, told, script, meta))
    return runs


stream = run


async def go_on(m: Mulligan, tools: Tools, ran: Ran, script: Sequence[Step]) -> Ran:
    """Ask again for the call that waited."""
    told, call = ran.waits
    return await _converse(_build_server(m, tools, {}), [told], [call, *script], {}, first=1)


def _build_server(m: Mulligan | None, tools: Tools, options: dict[str, Any]) -> Any:
    logging.getLogger("fastmcp").setLevel(logging.CRITICAL)  # it prints every error of a tool
    server: Any = fastmcp.FastMCP("planner")
    for tool in tools:
        server.tool(tool)
    if m is not None:
        server.add_middleware(m.for_fastmcp(**options))
    return server


async def _converse(
    server: Any, told: list[str], script: Sequence[Step], meta: dict[str, str], *, first: int = 0
) -> Ran:
    """The model goes on until it replies; with a reply to a call that failed it is not done yet."""
    ran, failed = Ran(), None
    async with fastmcp.Client(server) as client:
        offered = [tool.description or "" for tool in await client.list_tools()]
        for number, step in enumerate(script):
            if number >= first:
                ran.shown.append("\n".join([*offered, *told]))
            if isinstance(step, str):
                told.append(step)
                ran.reply = step
                if failed is None:
                    break
                continue
            came = await client.call_tool(*step, raise_on_error=False, meta=meta)
            told.append(" ".join(getattr(part, "text", "") for part in came.content))
            failed = step if came.is_error else None
    if failed is not None:
        ran.waits = "\n".join(told), failed
    return ran
