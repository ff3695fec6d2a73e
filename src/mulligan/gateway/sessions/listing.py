"""What servers list: tools, prompts and resources, of several servers as one list.

Pages stay pages: with several servers, one page has the next of each, and its cursor names them.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from typing import Any

from mulligan.codec.json_text import decode_json, encode_json
from mulligan.gateway.protocol.frames import (
    BAD_PARAMS,
    Frame,
    Raw,
    read_elements,
    read_fields,
    read_text,
    write_answer,
    write_error,
    write_fields,
    write_result,
)
from mulligan.gateway.protocol.headers import read_version
from mulligan.gateway.protocol.party import META
from mulligan.gateway.sessions.ends import Ends
from mulligan.gateway.sessions.shown import ShownTools
from mulligan.gateway.tools.shown_list import ListedTool
from mulligan.gateway.upstream.connection import ServerDownError, Upstream

TOOLS = "tools/list"
LISTS: Mapping[str, str] = {
    TOOLS: "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
MOST_PAGES = 1_000
NO_TOOLS = b'{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}'
"""As later revisions want to hear it."""

Page = dict[str, Raw]


class Lists:
    """The lists of one session."""

    def __init__(self, ends: Ends, *, shown: ShownTools) -> None:
        self._ends = ends
        self._shown = shown

    def is_seen(self, method: str) -> bool:
        """Whether a list is looked into: of several servers, or of tools."""
        return method == TOOLS or self._ends.only is None

    def forget(self, server: str) -> None:
        """A server has changed its tools."""
        self._ends.known.by_server.pop(server, None)
        self._ends.known.whole.discard(server)

    async def find_tool(self, upstream: Upstream, name: str, *, meta: bytes | Raw) -> ListedTool:
        """A tool as its server lists it; without a description where it does not."""
        server = upstream.server.name
        if server not in self._ends.known.whole:
            await self._list_all(upstream, meta)
        found = self._ends.known.by_server.get(server, {}).get(name)
        return found or ListedTool(server=server, name=name)

    async def answer(self, frame: Frame) -> None:
        """Answer a request for a list."""
        only = self._ends.only
        if only is not None:
            await self._answer_one(only, frame)
            return
        params = read_fields(frame.params)
        cursors = read_cursor(read_text(params.get("cursor")))
        if cursors is None:
            self._ends.refuse(frame, code=BAD_PARAMS, said="The cursor is none of ours.")
            return
        params.pop("cursor", None)
        asked = [
            self._ask_page(upstream, frame.method, params, cursor=cursors.get(name))
            for name, upstream in self._ends.upstreams.items()
            if not cursors or name in cursors
        ]
        pages = await asyncio.gather(*asked)
        await self._answer_merged(frame, [page for page in pages if page is not None])

    async def _answer_one(self, upstream: Upstream, frame: Frame) -> None:
        await upstream.start()
        answer = await upstream.ask_and_wait(frame.method, frame.params)
        client = self._ends.client
        if answer.error and self._offers_tools_alone(answer):
            answer = Frame(result=Raw(NO_TOOLS if read_version(frame) else b'{"tools":[]}'))
        if answer.error:
            client.send(write_error(frame.key, answer.error))
            return
        fields = read_fields(answer.result)
        items, more = self._read_items(frame.method, upstream.server.name, fields)
        shown = await self._shown.show(items, last=not more) if frame.method == TOOLS else None
        if shown is not None:
            fields["tools"] = Raw(encode_json(shown))
            answer = Frame(result=Raw(write_fields(fields)))
        client.send(write_answer(frame.key, answer))

    def _offers_tools_alone(self, answer: Frame) -> bool:
        """A server without tools says so, and the gateway has some of its own all the same."""
        return self._ends.shared.options.own_tools and b"-32601" in bytes(answer.error)

    async def _answer_merged(self, frame: Frame, pages: list[tuple[str, Page]]) -> None:
        ends, method = self._ends, frame.method
        items: list[tuple[ListedTool | None, Any]] = []
        left = {}
        for server, fields in pages:
            found, more = self._read_items(method, server, fields)
            items += found
            if more:
                left[server] = more
        shown = None
        if method == TOOLS:
            shown = await self._shown.show(items, last=not left)
        merged: dict[str, Any] = dict(pages[0][1]) if pages else {}
        merged.pop("nextCursor", None)
        merged[LISTS[method]] = [raw for _, raw in items] if shown is None else shown
        if left:
            merged["nextCursor"] = write_cursor(left)
        ends.client.send(write_result(frame.key, write_fields(merged)))

    def _read_items(
        self, method: str, server: str, fields: Page
    ) -> tuple[list[tuple[ListedTool | None, Raw]], str]:
        """The elements of a page as clients know them, and the cursor of the next."""
        names, items = self._ends.names, []
        for raw in read_elements(fields.get(LISTS[method], b"[]")):
            listed = self._ends.shared.tools.read(server, raw) if method == TOOLS else None
            if listed is not None:
                self._ends.shared.note_listed(listed)
                self._ends.known.by_server.setdefault(server, {})[listed.name] = listed
                self._ends.upstreams[server].note_schema(listed.name, listed.schema)
            shown: Raw | None = raw
            if names.only is None:
                shown = self._rename(method, server, raw)
            if shown is not None:
                items.append((listed, shown))
        more = read_text(fields.get("nextCursor"))
        if method == TOOLS and not more:
            self._ends.known.whole.add(server)
        return items, more

    def _rename(self, method: str, server: str, raw: Raw) -> Raw | None:
        fields, names = read_fields(raw), self._ends.names
        if method == "resources/list":
            names.note_uri(server, read_text(fields.get("uri")))
        elif method == "resources/templates/list":
            names.note_template(server, read_text(fields.get("uriTemplate")))
        else:
            exposed = names.name_for_clients(server, read_text(fields.get("name")))
            if exposed is None:
                return None
            fields["name"] = Raw(encode_json(exposed))
            return Raw(write_fields(fields))
        return raw

    async def _ask_page(
        self, upstream: Upstream, method: str, params: Page, *, cursor: str | None
    ) -> tuple[str, Page] | None:
        """The next page of one server; `None` where it has no such list, or is not there."""
        asked = dict(params) if cursor is None else params | {"cursor": Raw(encode_json(cursor))}
        try:
            await upstream.start()
            answer = await upstream.ask_and_wait(method, write_fields(asked))
        except ServerDownError:
            return None
        return None if answer.error else (upstream.server.name, read_fields(answer.result))

    async def _list_all(self, upstream: Upstream, meta: bytes | Raw) -> None:
        """List the tools of a server that its client calls without having asked for the list."""
        params: Page = {META: Raw(meta)} if meta else {}
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await self._ask_page(upstream, TOOLS, params, cursor=cursor)
            if page is None:
                break
            _, cursor = self._read_items(TOOLS, *page)
            if not cursor:
                break
        self._ends.known.whole.add(upstream.server.name)


def write_cursor(left: Mapping[str, str]) -> str:
    """Where each server's list goes on, as one text that means nothing to others."""
    return base64.urlsafe_b64encode(encode_json(dict(left))).decode()


def read_cursor(written: str) -> dict[str, str] | None:
    """Where each server's list goes on; `None` where nobody of ours has written that."""
    if not written:
        return {}
    try:
        read = decode_json(base64.urlsafe_b64decode(written.encode()))
    except ValueError:
        return None
    fine = isinstance(read, dict) and read and all(isinstance(each, str) for each in read.values())
    return read if fine else None
