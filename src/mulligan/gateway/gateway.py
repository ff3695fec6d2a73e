"""The gateway: an application of Mulligan between MCP clients and their servers."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from mulligan.core.adapter import HostCall
from mulligan.core.effect import Mode
from mulligan.core.errors import NothingDone
from mulligan.gateway.declarations import ToolDeclaration
from mulligan.gateway.protocol.party import Party
from mulligan.gateway.sessions.client import ClientSession
from mulligan.gateway.sessions.shared import Shared
from mulligan.gateway.sessions.standing import OwnSession
from mulligan.gateway.tools.exposed_names import Names
from mulligan.turns.memory.late_modules import LATE

Listed = Sequence[Mapping[str, Any]]


class Gateway(Shared):
    """Clients come and go; each has a session of its own, and none hears of another."""

    def open_session(self, client: Party, *, principal: str = "") -> ClientSession:
        """A client has come, and gets connections of its own to every server."""
        return ClientSession.open(self, client, principal=principal)

    async def start(self) -> None:
        """Declare what the operator says of tools, and take up what an earlier run left open."""
        if self.options.mode is not Mode.OBSERVE or self.options.declarations:
            # While the servers start: the first failure is not to wait.
            threading.Thread(target=LATE.load, name="mulligan-load", daemon=True).start()
        for server, other in Names([each.name for each in self.servers]).list_overlaps():
            self.report(
                f"{server}: what it lists as '{other[len(server) + 1 :]}_…' is not offered: "
                f"clients would take it for what {other} lists. Rename one of the two."
            )
        by_server: dict[str, list[ToolDeclaration]] = {}
        for each in self.options.declarations:
            by_server.setdefault(each.server, []).append(each)
        for server, declarations in by_server.items():
            listed = await self._list_tools(server)
            for each in declarations:
                self._declare(each, listed)
        if by_server:
            await self.m.recover()

    async def check_lists(self) -> None:
        """Read what every server lists, so that its operator hears what is not offered of it."""
        await self.own.check_lists()
        if not self.options.declarations:
            await self.stop()
            del self.own

    async def stop(self) -> None:
        """End the connections that are nobody's."""
        if "own" in self.__dict__:
            await self.own.close()

    @cached_property
    def own(self) -> OwnSession:
        """Its own way to the servers."""
        return OwnSession(self)

    async def _list_tools(self, server: str) -> Listed | None:
        try:
            return await self.own.list_tools(server)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, the others go on
            self.report(f"{server}: its tools cannot be held against what is declared: {error}")
            return None

    def _declare(self, declaration: ToolDeclaration, listed: Listed | None) -> None:
        misfit = "" if listed is None else declaration.find_misfit(listed)
        if misfit:
            # Its undo would fail on the first bad day: it is as if nobody had said anything.
            self.report(f"What is declared does not fit, and is left out: {misfit}.")
            return
        declaration.declare(self.m, self.own.call)
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
