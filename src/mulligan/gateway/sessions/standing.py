"""The gateway's own way to every server, outside of any client's session: for what is undone later.

A read before a call, a look after a failure and an undo after a restart belong to no client that is
there: they go over connections of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from mulligan.codec.json_text import encode_json
from mulligan.core.errors import ConfigurationError
from mulligan.gateway.protocol.frames import (
    META,
    Frame,
    read_fields,
    read_object,
    read_text,
    write_request,
)
from mulligan.gateway.protocol.headers import FIRST_MODERN, VERSION_META
from mulligan.gateway.protocol.party import Party
from mulligan.gateway.sessions.client import ClientSession
from mulligan.gateway.sessions.ends import CAPABILITIES, CLIENT_INFO
from mulligan.gateway.sessions.listing import LISTS
from mulligan.gateway.sessions.server_call import ServerGoneError, read_error
from mulligan.gateway.sessions.shared import Shared
from mulligan.gateway.tools.results import read_failure, read_value
from mulligan.gateway.tools.shown_list import TOOLS, ListedTool
from mulligan.gateway.upstream.connection import ServerDownError, Upstream

OLDER = "2025-11-25"
"""The last revision with a handshake."""


class OwnSession:
    """Connections that nobody asks over but the gateway itself."""

    def __init__(self, shared: Shared) -> None:
        self._session = ClientSession.open(shared, Party())
        self._about = {"name": "mulligan", "version": shared.version}
        self._metas: dict[str, dict[str, Any]] = {}
        """What every request to a server says of us: nothing, once there was a handshake."""
        self.names: dict[str, dict[str, Any]] = {}
        """What the servers call themselves."""
        self._greeting = asyncio.Lock()

    async def call(self, server: str, tool: str, arguments: Mapping[str, object]) -> object:
        """Call a tool: what it returned as plain values; what it returned as an error is raised."""
        params = {"name": tool, "arguments": dict(arguments)}
        answer = await self._ask(server, "tools/call", params)
        if answer.error:
            raise read_error(answer)
        result = read_object(answer.result)
        if result.get("isError") is True:
            raise read_failure(result)
        return read_value(result)

    async def list_tools(self, server: str) -> list[dict[str, Any]]:
        """The tools of a server, as it lists them now."""
        upstream, lists = self._find(server), self._session.lists
        await self._start(upstream)
        lists.forget(server, (TOOLS,))
        await lists.learn(upstream, (TOOLS,), meta=self._write_meta(server))
        known = self._session.ends.known.get((TOOLS, server))
        if known is None:
            raise ServerDownError("It answered with an error.")
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "inputSchema": tool.schema,
                "annotations": tool.hints,
            }
            for tool in known.values()
            if isinstance(tool, ListedTool)
        ]

    async def check_lists(self) -> None:
        """Read every list of every server, and report what is not offered of it."""
        await asyncio.gather(*(self._learn(name) for name in self._session.upstreams))
        await self._session.lists.report()

    async def _learn(self, server: str) -> None:
        upstream = self._session.upstreams[server]
        try:
            await self._start(upstream)
        except ServerDownError as error:
            self._session.ends.shared.report(str(error))
            return
        await self._session.lists.learn(upstream, LISTS.values(), meta=self._write_meta(server))

    def _write_meta(self, server: str) -> bytes:
        meta = self._metas.get(server)
        return encode_json(meta) if meta else b""

    def _find(self, server: str) -> Upstream:
        upstream = self._session.upstreams.get(server)
        if upstream is None:
            raise ConfigurationError(f"There is no server {server!r} any more.")
        return upstream

    async def close(self) -> None:
        """End its connections."""
        await self._session.close()

    async def _ask(self, server: str, method: str, params: dict[str, Any]) -> Frame:
        upstream = self._find(server)
        await self._start(upstream)
        meta = self._metas.get(server)
        answer = await upstream.ask_and_wait(
            method, encode_json({**params, META: meta} if meta else params)
        )
        if not answer.id:
            raise ServerGoneError(read_text(read_fields(answer.error).get("message")))
        return answer

    async def _start(self, upstream: Upstream) -> None:
        async with self._greeting:
            if upstream.greet is None:
                upstream.greet = self._greet
            await upstream.start()

    async def _greet(self, upstream: Upstream) -> None:
        """Introduce ourselves; to one that takes no handshake, with every request."""
        server = upstream.server.name
        said = {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": self._about}
        answer = await upstream.ask_and_wait("initialize", encode_json(said))
        if not answer.error:
            self._metas.pop(server, None)
            self.names[server] = read_object(answer.result).get("serverInfo") or {}
            upstream.send(write_request(b"", "notifications/initialized"))
            return
        meta = {VERSION_META: FIRST_MODERN, CAPABILITIES: {}, CLIENT_INFO: self._about}
        found = await upstream.ask_and_wait("server/discover", encode_json({META: meta}))
        if found.error:
            raise ServerDownError(str(read_error(answer))[:200])
        self._metas[server] = meta
