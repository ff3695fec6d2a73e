"""The gateway: an application of Mulligan between MCP clients and their servers.

It has its own session with every server, outside of any client's. A read before a call, a look
after a failure and an undo after a restart belong to no client that is there: they go over
connections of their own.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from mulligan.codec import encode_json
from mulligan.runtime.episodes import LATE
from mulligan.types.action import ActionQuery
from mulligan.types.adapter import HostCall
from mulligan.types.errors import ConfigurationError, NothingDone, StoreError
from mulligan_gateway.client_session import INITIALIZED, ClientSession
from mulligan_gateway.declarations import ToolDeclaration
from mulligan_gateway.party import Party
from mulligan_gateway.peers import ServerGoneError, read_error
from mulligan_gateway.protocol import OLDER, read_fields, read_object, read_text
from mulligan_gateway.servers_file import Server
from mulligan_gateway.shared_state import Shared
from mulligan_gateway.tool_list import LISTS
from mulligan_gateway.tools import TOOLS, ListedTool, Names, read_failure, read_value
from mulligan_gateway.upstream import ServerDownError, Upstream


class OwnSession:
    """Connections that only the gateway itself uses."""

    def __init__(self, shared: Shared) -> None:
        self._session = ClientSession.open(shared, Party())
        self._about = {"name": "mulligan", "version": shared.version}
        self.names: dict[str, dict[str, Any]] = {}
        """What the servers call themselves."""
        self._greeting = asyncio.Lock()

    async def call(self, server: str, tool: str, arguments: Mapping[str, object]) -> object:
        """Call a tool: what it returned as plain values; what it returned as an error is raised."""
        upstream = self._find(server)
        await self._start(upstream)
        params = encode_json({"name": tool, "arguments": dict(arguments)})
        answer = await upstream.ask_and_wait("tools/call", params)
        if not answer.id:
            raise ServerGoneError(read_text(read_fields(answer.error).get("message")))
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
        await lists.learn(upstream, (TOOLS,), meta=b"")
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
        lists = self._session.lists

        async def learn(upstream: Upstream) -> None:
            try:
                await self._start(upstream)
            except ServerDownError as error:
                self._session.ends.shared.report(str(error))
                return
            await lists.learn(upstream, LISTS.values(), meta=b"")

        await asyncio.gather(*map(learn, self._session.upstreams.values()))
        await lists.report()

    def _find(self, server: str) -> Upstream:
        upstream = self._session.upstreams.get(server)
        if upstream is None:
            raise ConfigurationError(f"There is no server {server!r} any more.")
        return upstream

    def change_servers(self) -> None:
        """The file of servers says something else now."""
        self._session.change_servers()

    async def close(self) -> None:
        """End its connections."""
        await self._session.close()

    async def _start(self, upstream: Upstream) -> None:
        async with self._greeting:
            if upstream.greet is None:
                upstream.greet = self._greet
            await upstream.start()

    async def _greet(self, upstream: Upstream) -> None:
        said = {"protocolVersion": OLDER, "capabilities": {}, "clientInfo": self._about}
        answer = await upstream.introduce(encode_json(said))
        if answer.error:
            raise ServerDownError(str(read_error(answer))[:200])
        self.names[upstream.server.name] = read_object(answer.result).get("serverInfo") or {}
        upstream.tell_client(INITIALIZED)


Listed = Sequence[Mapping[str, Any]]


class Gateway(Shared):
    """Clients come and go; each has a session of its own, and none hears of another."""

    def open_session(self, client: Party, *, principal: str = "") -> ClientSession:
        """A client has come, and gets connections of its own to every server."""
        return ClientSession.open(self, client, principal=principal)

    def change_servers(self, servers: Sequence[Server]) -> None:
        """From now on, these are the servers, for the gateway's own connections too."""
        self.servers = tuple(servers)
        if "own" in self.__dict__:
            self.own.change_servers()

    async def is_healthy(self) -> bool:
        """Whether the store can be read: without it nothing is held or undone."""
        try:
            await asyncio.to_thread(self.insights.open_list.search, ActionQuery(limit=1))
        except StoreError:
            return False
        return True

    async def start(self) -> None:
        """Declare what the operator says of tools, and take up what an earlier run left open."""
        if not self.options.mode.only_watches or self.options.declarations:
            # While the servers start: the first failure is not to wait.
            threading.Thread(target=LATE.load, name="mulligan-load", daemon=True).start()
        for server, other in Names([each.name for each in self.servers]).list_overlaps():
            self.report(
                f"{server}: what it lists as '{other[len(server) + 1 :]}_…' is not offered: "
                f"clients would take it for what {other} lists. Rename one of the two."
            )
        await self.settle_all()

    async def settle_all(self) -> None:
        """Declare every tool as the operator says now, and take up what waits for that."""
        self._warn_of_unheld()
        async with self._settling:
            for server in dict.fromkeys(each.server for each in self.options.declarations):
                await self._settle(server)
        if self.options.declarations:
            await self.m.recover()

    async def check_lists(self) -> None:
        """Read what every server lists, so that its operator hears what is not offered of it."""
        await self.own.check_lists()
        if not self.options.declarations:
            await self.stop()
            del self.own

    async def settle(self, server: str, tool: str) -> None:
        """Declare a tool that did not fit its server, or may not do so any more, as it does now."""
        if (server, tool) not in self.unsure:
            return
        async with self._settling:
            tried = self.settled_at.get(server)
            if tried is None or time.monotonic() - tried >= self.options.limits.rest:
                await self._settle(server)

    async def stop(self) -> None:
        """End the connections that belong to no client."""
        if "own" in self.__dict__:
            await self.own.close()

    @cached_property
    def _settling(self) -> asyncio.Lock:
        return asyncio.Lock()

    @cached_property
    def own(self) -> OwnSession:
        """Its own way to the servers."""
        return OwnSession(self)

    def _warn_of_unheld(self) -> None:
        """Report tools that are declared to be held and run at once."""
        unheld = [each.tool for each in self.options.declarations if each.runs_unheld]
        if unheld:
            self.report(
                f"{', '.join(unheld)}: declared to be held, but run at once: mode observe "
                'holds nothing. Say mode = "suggest" in the declarations.'
            )
        if self.host.parts.runtime.strict and self.options.mode.only_watches:
            self.report(
                'strict holds no undeclared tool: mode observe holds nothing. Say mode = "suggest".'
            )

    async def _settle(self, server: str) -> None:
        self.settled_at[server] = time.monotonic()
        listed: Listed | None = None
        try:
            listed = await self.own.list_tools(server)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, the others go on
            told = f"The tools of {server} could not be listed: {error}"
            self.report_once(told, about=(server, "unlisted"))
        for each in [each for each in self.unsure.values() if each.server == server]:
            self._declare(each, listed)

    def _declare(self, declaration: ToolDeclaration, listed: Listed | None) -> None:
        key = declaration.server, declaration.tool
        unlisted = f"The tools of {declaration.server} could not be listed"
        misfit = unlisted if listed is None else declaration.find_misfit(listed)
        if not misfit:
            self.unsure.pop(key, None)
        if self._misfits.get(key) == misfit:
            return
        self._misfits[key] = misfit
        kept = declaration.hold_instead() if misfit else declaration
        if (kept.effect, kept.cases) != (declaration.effect, declaration.cases):
            until = "they can" if listed is None else "that fits"
            self.report(f"{misfit}. Calls of {declaration.tool!r} are held until {until}.")
        elif misfit and listed is not None:
            self.report(f"{misfit}. The declaration takes effect when the server lists the tool.")
        kept.declare(self.m, self.own.call)
        self.forget_mode(*key)
        known = next((each for each in listed or () if each.get("name") == declaration.tool), {})
        schema, about = known.get("inputSchema"), known.get("description")
        self.note_shape(
            HostCall(
                tool=declaration.tool,
                arguments={},
                make=_make_nothing,
                schema=schema if isinstance(schema, dict) else {},
                description=about if isinstance(about, str) else "",
                server=declaration.server,
                remote=True,
            )
        )


async def _make_nothing(_: Mapping[str, object]) -> object:
    raise NothingDone("It is no call: it says what the tool looks like.")
