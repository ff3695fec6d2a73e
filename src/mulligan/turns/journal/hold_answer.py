"""How a held call is answered where its host takes no sentence in the place of a result."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mulligan.turns.journal.hold import Held

_carried: ContextVar[dict[str, Held] | None] = ContextVar("mulligan_carried", default=None)
"""Where somebody takes the answers from here to the host, and puts them into its words."""

_ANY = (None, str, Any, object)
"""Return types with which a sentence is as good an answer as any."""


def answer_held(held: Held, *, tool: str, returns: object) -> Held:
    """The sentence itself. An MCP server promises its clients a result of the type that the tool
    declares, so there it is raised, as the one error whose text they are always shown."""
    carried = _carried.get()
    if carried is not None:
        carried[tool] = held
    told = _find_mcp_error()
    if told is None or _takes_text(returns):
        return held
    raise told(str(held))


@contextmanager
def carry_answers() -> Iterator[dict[str, Held]]:
    """What was held in here, by its tool: on its way a host may make something else of it."""
    carried: dict[str, Held] = {}
    token = _carried.set(carried)
    try:
        yield carried
    finally:
        _carried.reset(token)


def _takes_text(returns: object) -> bool:
    if typing.get_origin(returns) in (typing.Union, types.UnionType):
        return any(map(_takes_text, typing.get_args(returns)))
    return returns in _ANY


def _find_mcp_error() -> type[Exception] | None:
    """FastMCP's own error, while one of its servers is answering a request here.

    Nothing is imported: who is not loaded cannot be asking.
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
