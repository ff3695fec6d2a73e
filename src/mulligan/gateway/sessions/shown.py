"""Tools as clients are shown them: the servers' own, and what the gateway says beside them."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

from mulligan.codec.json_text import encode_json
from mulligan.gateway.protocol.frames import (
    Raw,
    read_fields,
    read_text,
    write_fields,
)
from mulligan.gateway.protocol.party import META
from mulligan.gateway.sessions.ends import Ends
from mulligan.gateway.sessions.server_call import INTENT
from mulligan.gateway.tools.lookalikes import fold_name
from mulligan.gateway.tools.offered import OWN_TOOLS
from mulligan.gateway.tools.shown_list import ListedTool

Item = tuple[ListedTool | None, Raw]

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
        self._names: dict[str, str] = {}
        """Names by how they look."""

    async def show(self, items: list[Item], *, last: bool) -> list[Any] | None:
        """The tools of a page; `None` where they are shown as they came."""
        options = self._ends.shared.options
        kept = [item for item in items if self._is_fine(item)]
        if options.pitfalls or options.intent:
            shown: list[Any] = [await self._describe(*item) for item in kept]
        else:
            shown = [raw for _, raw in kept]
        if last and options.own_tools:
            return [*shown, *OWN_TOOLS]
        return shown if options.pitfalls or options.intent or len(kept) < len(items) else None

    def _is_fine(self, item: Item) -> bool:
        """Whether a tool may be shown: approved of, with a name of its own, also to the eye."""
        listed, raw = item
        if listed is None:
            return True
        shared = self._ends.shared
        if shared.is_refused(listed.server, listed.name):
            return False  # what it says now is what nobody has approved of
        name = read_text(read_fields(raw).get("name"))
        first = self._names.setdefault(fold_name(name), name)
        taken = shared.options.own_tools and fold_name(name) in _OWN
        if first == name and not taken:
            return True
        shared.report(
            f"{listed.server}: the tool {name!r} is not offered, for it looks like another one."
        )
        return False

    async def _describe(self, listed: ListedTool | None, raw: Raw) -> Raw:
        if listed is None:
            return raw
        options, fields = self._ends.shared.options, read_fields(raw)
        if options.intent:
            fields["inputSchema"] = Raw(encode_json(_add_intent(listed.schema)))
        if options.pitfalls:
            find = self._ends.shared.m.pitfalls
            told = await asyncio.to_thread(find, listed.name, tokens=MOST_TOKENS)
            if told:
                fields["description"] = Raw(encode_json(f"{listed.description}\n\n{told}".strip()))
                meta = read_fields(fields.get(META, b""))
                version = hashlib.sha256(told.encode()).hexdigest()[:12]
                meta[PITFALLS] = Raw(encode_json(version))
                fields[META] = Raw(write_fields(meta))
        return Raw(write_fields(fields))


_OWN = frozenset(fold_name(tool["name"]) for tool in OWN_TOOLS)


def _add_intent(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {**schema, "properties": {**known, INTENT: _WHY}}
