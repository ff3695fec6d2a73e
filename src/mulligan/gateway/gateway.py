"""The gateway: an application of Mulligan between MCP clients and their servers."""

from __future__ import annotations

import asyncio
import threading
import time
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
from mulligan.runtime.episodes import LATE

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
        self._warn_of_unheld()
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
        """End the connections that are nobody's."""
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
        """Say what runs at once although somebody has said that it waits."""
        unheld = [each.tool for each in self.options.declarations if each.runs_unheld]
        if unheld:
            self.report(
                f"{', '.join(unheld)}: declared to wait for a person, and run at once, for in mode "
                'observe nothing is held. Say mode = "suggest" in the declarations.'
            )
        if self.host.parts.runtime.strict and self.options.mode is Mode.OBSERVE:
            self.report(
                "strict holds no call of a tool that nobody has declared, for in mode observe "
                'nothing is held. Say mode = "suggest".'
            )

    async def _list_tools(self, server: str) -> Listed | None:
        try:
            return await self.own.list_tools(server)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, the others go on
            told = f"The tools of {server} could not be listed: {error}"
            self.report_once(told, about=(server, "unlisted"))
            return None

    async def _settle(self, server: str) -> None:
        self.settled_at[server] = time.monotonic()
        listed = await self._list_tools(server)
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
