"""A recorded run as it was read: turns with their calls, the tools that are known, and what could
not be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct, field

from mulligan.types.values import hide_fields


class TracedTool(Struct, frozen=True, kw_only=True):
    """What a trace says of a tool."""

    name: str
    server: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """The JSON Schema of its arguments."""
    description: str = ""
    read_only: bool | None = None
    """MCP's annotation; `None`: nothing is said."""
    destructive: bool | None = None


@hide_fields("arguments", "result", "error")
class TracedCall(Struct, frozen=True, kw_only=True):
    """One call of a tool, as it was recorded."""

    tool: str
    id: str = ""
    server: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: Any = None
    error: str | None = None
    """What the trace flags as an error; `None`: it flags none."""
    error_type: str = ""
    """The class of the exception, where the trace has it."""
    answered: bool = True
    """Whether the trace has a result or an error of it."""
    at: datetime | None = None
    seconds: float | None = None
    """How long it took."""


@hide_fields("message", "reply", "before")
class TracedTurn(Struct, frozen=True, kw_only=True):
    """One request and what was done for it."""

    id: str = ""
    message: str = ""
    calls: tuple[TracedCall, ...] = ()
    reply: str = ""
    at: datetime | None = None
    """When it was asked; `None`: the trace does not say, and no rule about days is applied."""
    timezone: str | None = None
    agent: str = ""
    before: tuple[Any, ...] = ()
    """The conversation before it, as messages that `History` reads."""
    correct: bool | None = None
    """Whether it went well, where the trace has a reward, a rating or a test of it."""
    tokens: int | None = None
    """What its model calls used, where the trace says so."""
    where: str = ""
    """The file, and the line, item or span in it."""


class Unread(Struct, frozen=True, kw_only=True):
    """Something of a file that could not be read."""

    why: str
    where: str = ""


Found = TracedTurn | TracedTool | Unread
"""What readers yield."""
