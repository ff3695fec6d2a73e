"""The gateway's own tools, which its clients find beside those of their servers."""

from __future__ import annotations

from typing import Any

WHY = "mulligan_why"
PITFALLS = "mulligan_pitfalls"
UNDO = "mulligan_undo"
STATUS = "mulligan_status"

_TOOL = {"type": "string", "description": "The name of a tool."}
_ACTION = {"type": "string", "description": "The id of an action, as it was told."}


def _build(name: str, description: str, properties: dict[str, Any], *, reads: bool = True) -> Any:
    return {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "additionalProperties": False},
        "annotations": {"readOnlyHint": reads, "openWorldHint": False},
    }


OWN_TOOLS = (
    _build(
        WHY,
        "Why your last call of a tool failed, and what usually works. Without a name: of your last "
        "failed call.",
        {"tool": _TOOL},
    ),
    _build(
        PITFALLS,
        "What is known to go wrong with a tool, before you call it. Without a name: with all.",
        {"tool": _TOOL},
    ),
    _build(
        UNDO,
        "Take back something that you did here and can be undone. Without an id: what that is.",
        {"action": _ACTION},
        reads=False,
    ),
    _build(
        STATUS,
        "What became of your calls that wait for a person, and what you did. Without an id: all.",
        {"action": _ACTION},
    ),
)
