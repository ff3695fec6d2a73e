"""A call that is awaiting approval: it answers at once, and runs only after approval."""

from __future__ import annotations

import sys
import types
import typing
from typing import Any, Self

from mulligan.process.fault_points import Point, checkpoint
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.live_action import LiveAction, keep_said
from mulligan.runtime.payloads import keep_arguments
from mulligan.types.action import Hold, Kept, State


class Held(str):
    """What the caller of a held call gets: a sentence for the agent, and the hold itself."""

    __slots__ = "hold"
    hold: Hold

    def __new__(cls, hold: Hold, *, tool: str) -> Self:
        """Say what the agent may tell the person."""
        held = super().__new__(
            cls,
            f"{tool} was not run yet: {hold.reason} It is awaiting approval (hold {hold.action}, "
            f"until {hold.expires_at:%Y-%m-%d %H:%M} UTC). Do not call it again now; tell the "
            "person that it is awaiting approval.",
        )
        held.hold = hold
        return held

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), str(self), self.hold)


def _restore(kind: type[Held], text: str, hold: Hold) -> Held:
    held = str.__new__(kind, text)
    held.hold = hold
    return held


async def hold_call(
    action: LiveAction, *, reason: str, book: JournalWriter, evidence: bytes, only_here: bool
) -> Held:
    """Put a call aside, with all that is needed to run it later.

    `only_here`: no other process could make it, and this one makes it as it was asked for.
    """
    if only_here:
        reason = f"{reason} Only this process can run it."
    hold = Hold(action=action.id, expires_at=book.clock() + book.hold_life, reason=reason)
    keep = [
        *keep_arguments(action, to_run=True),
        Kept(owner=action.id, name="evidence", value=evidence),
        *keep_said(action),
    ]
    facts: dict[str, object] = {"expires_at": hold.expires_at.isoformat()}
    facts |= {"only_here": True} if only_here else {}
    await book.move([action], State.HELD, keep=keep, why=reason, facts=facts)
    await checkpoint(Point.HELD)
    return Held(hold, tool=action.opening.tool)


_ANY = (None, str, Any, object)
"""Return types with which a sentence is as good an answer as any."""


def answer_held(held: Held, *, returns: object) -> Held:
    """The sentence itself. An MCP server promises its clients a result of the type that the tool
    declares, so there it is raised, as the one error whose text they are always shown."""
    told = _find_mcp_error()
    if told is None or _takes_text(returns):
        return held
    raise told(str(held))


def _takes_text(returns: object) -> bool:
    if typing.get_origin(returns) in (typing.Union, types.UnionType):
        return any(map(_takes_text, typing.get_args(returns)))
    return returns in _ANY


def _find_mcp_error() -> type[Exception] | None:
    """FastMCP's own error, while one of its servers is answering a request here.

    Nothing is imported: a framework that is not loaded cannot be asking.
    """
    asking = getattr(sys.modules.get("fastmcp.server.dependencies"), "get_context", None)
    errors = sys.modules.get("fastmcp.exceptions")
    if asking is None or errors is None:
        return None
    try:
        asking()
    except RuntimeError:
        # Loaded, but not asking.
        return None
    kind: type[Exception] = errors.ToolError
    return kind
