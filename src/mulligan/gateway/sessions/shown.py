"""Tools as clients are shown them: the servers' own, and what the gateway says beside them."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

from mulligan.codec.json_text import encode_json
from mulligan.gateway.protocol.frames import (
    META,
    Raw,
    read_fields,
    read_text,
    write_fields,
)
from mulligan.gateway.sessions.ends import Ends
from mulligan.gateway.sessions.server_call import INTENT
from mulligan.gateway.tools.offered import OWN_TOOLS
from mulligan.gateway.tools.shown_list import ListedItem

Item = tuple[ListedItem, Raw]

PITFALLS = "mulligan/pitfalls"
"""Which pitfalls a description has, in the `_meta` of a tool: another text has another version."""
MOST_TOKENS = 200
"""Of the pitfalls in one description."""
_WHY = {
    "type": "string",
    "description": "One sentence: what this call is to achieve for the person.",
}


class ShownTools:
    """What is added to the lists of one client."""

    def __init__(self, ends: Ends) -> None:
        self._ends = ends

    async def show(self, items: list[Item], *, last: bool) -> list[Any]:
        """The tools of a page, with what the gateway adds to them."""
        options = self._ends.shared.options
        if options.pitfalls or options.intent:
            shown: list[Any] = [await self._describe(*item) for item in items]
        else:
            shown = [raw for _, raw in items]
        return [*shown, *OWN_TOOLS] if last and options.own_tools else shown

    async def _describe(self, listed: ListedItem, raw: Raw) -> Raw:
        options, fields = self._ends.shared.options, read_fields(raw)
        if options.intent:
            fields["inputSchema"] = Raw(_add_intent(fields.get("inputSchema", b"")))
        if options.pitfalls:
            find = self._ends.shared.m.pitfalls
            told = await asyncio.to_thread(find, listed.name, tokens=MOST_TOKENS)
            if told:
                about = read_text(fields.get("description"))
                fields["description"] = Raw(encode_json(f"{about}\n\n{told}".strip()))
                meta = read_fields(fields.get(META, b""))
                version = hashlib.sha256(told.encode()).hexdigest()[:12]
                meta[PITFALLS] = Raw(encode_json(version))
                fields[META] = Raw(write_fields(meta))
        return Raw(write_fields(fields))


def _add_intent(schema: bytes | Raw) -> bytes:
    """The schema as it is written, with one more property."""
    fields = read_fields(schema)
    properties = read_fields(fields.get("properties", b""))
    properties[INTENT] = Raw(encode_json(_WHY))
    fields["properties"] = Raw(write_fields(properties))
    return write_fields(fields)
