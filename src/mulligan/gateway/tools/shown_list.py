"""Tools as servers list them: what a call of each needs to know, read once however often listed."""

from __future__ import annotations

import hashlib
from dataclasses import field
from typing import Any

from mulligan.codec.json_text import decode_json, encode_sorted
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.protocol.frames import (
    Raw,
    read_fields,
)

MOST_KNOWN = 10_000
_PINNED = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """One tool of one server, as it was listed last."""

    server: str
    name: str
    """As its server calls it."""
    description: str = field(default="", repr=False)
    schema: dict[str, Any] = field(default_factory=dict, repr=False)
    hints: dict[str, Any] = field(default_factory=dict, repr=False)
    """What it says of itself: that it only reads, or destroys."""
    digest: str = ""
    """Of everything that an agent is told about it."""


class ToolReader:
    """Reads tools, and knows those again that it has read before."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], ListedTool | None] = {}

    def read(self, server: str, raw: bytes | Raw) -> ListedTool | None:
        """A tool as it was listed; `None` where it is none."""
        written = server, bytes(raw)
        if written not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[written] = _read_tool(server, written[1])
        return self._known[written]


def _read_tool(server: str, raw: bytes) -> ListedTool | None:
    try:
        fields = {n: decode_json(bytes(v)) for n, v in read_fields(raw).items() if n in _PINNED}
    except (ValueError, RecursionError):
        return None
    name, schema = fields.get("name"), fields.get("inputSchema")
    hints = fields.get("annotations")
    if not isinstance(name, str) or not name:
        return None
    return ListedTool(
        server=server,
        name=name,
        description=str(fields.get("description") or ""),
        schema=schema if isinstance(schema, dict) else {},
        hints=hints if isinstance(hints, dict) else {},
        digest=hashlib.sha256(encode_sorted(fields)).hexdigest(),
    )
