"""What a request is for, of all that servers list, and what it is called there."""

from __future__ import annotations

from mulligan.codec.json_text import encode_json
from mulligan.gateway.protocol.frames import (
    META,
    Frame,
    Raw,
    read_fields,
    read_text,
    write_fields,
)
from mulligan.gateway.sessions.listing import Lists
from mulligan.gateway.tools.shown_list import PROMPTS, ListedItem

GET, COMPLETE = "prompts/get", "completion/complete"
LISTED = frozenset(
    {GET, COMPLETE, "resources/read", "resources/subscribe", "resources/unsubscribe"}
)
"""Requests for what a server lists, other than tools."""


async def find_listed(frame: Frame, lists: Lists) -> list[ListedItem]:
    """What a request may be for: a prompt by its name, or resources and templates by an address."""
    params = read_fields(frame.params)
    meta = params.get(META, b"")
    if frame.method == COMPLETE:
        params = read_fields(params.get("ref", b""))
    if frame.method == GET or "uri" not in params:
        return await lists.find_prompt(read_text(params.get("name")), meta=meta)
    return await lists.find_resource(read_text(params["uri"]), meta=meta)


def write_for_server(frame: Frame, item: ListedItem) -> bytes | Raw:
    """The parameters of a request in the words of the server that it is for."""
    if item.kind != PROMPTS:
        return frame.params
    params, name = read_fields(frame.params), Raw(encode_json(item.name))
    if frame.method == COMPLETE:
        name = Raw(write_fields(read_fields(params["ref"]) | {"name": name}))
    return write_fields(params | {"ref" if frame.method == COMPLETE else "name": name})
