"""Rows of the log as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mulligan.codec.json_text import decode_json
from mulligan.core.call import LogRow
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.instants import from_us


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSeen:
    """One execution, less secrets."""

    id: str
    at: datetime
    tool: str
    server: str
    agent: str
    context: str
    turn: str | None
    outcome: str
    ms: float
    try_number: int
    parameters: Mapping[str, Any]
    error: str
    """Its type and text; empty for a success."""
    error_class: str
    result: str


def build_call(row: LogRow) -> CallSeen:
    """A row with its JSON read."""
    error = f"{row.error_type}: {row.error_message or ''}" if row.error_type else ""
    return CallSeen(
        id=row.id,
        at=from_us(row.at_us),
        tool=row.tool,
        server=row.server,
        agent=row.agent,
        context=row.context,
        turn=row.turn,
        outcome=row.outcome,
        ms=row.duration_us / 1000,
        try_number=row.try_number,
        parameters=parse_parameters(row.parameters),
        error=error,
        error_class=row.error_class or "",
        result=row.result or "",
    )


def parse_parameters(text: str) -> dict[str, Any]:
    """What a call was given; what was cut short by its bound is shown as it is."""
    try:
        read = decode_json(text)
    except (ValueError, RecursionError):
        return {"cut short": text}
    return read if isinstance(read, dict) else {"value": read}
