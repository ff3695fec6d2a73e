"""The ends that a session joins: its client, and a connection of its own to every server."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import field
from typing import Any

from mulligan.core.adapter import HostRun
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.protocol.frames import Frame, build_error, write_error
from mulligan.gateway.protocol.party import Party
from mulligan.gateway.sessions.own_calls import OwnCalls
from mulligan.gateway.sessions.shared import Shared
from mulligan.gateway.tools.exposed_names import Names, Refusals
from mulligan.gateway.tools.shown_list import ListedItem
from mulligan.gateway.upstream.connection import Upstream

CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
"""What later revisions say of the client with every request."""


@dataclass(eq=False, slots=True)
class ClientTurn:
    """A turn that further calls may come to."""

    run: HostRun
    of: tuple[str, str, str] = ("", "", "")
    """What its first call said: the message, the agent, the context."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    failed_at: float | None = None
    """When its last call failed, on a clock that nobody sets; `None`: it did not."""


@dataclass(eq=False, slots=True, kw_only=True)
class Ends:
    """Who is there, and what they have said of themselves."""

    shared: Shared
    client: Party
    principal: str
    names: Names
    upstreams: dict[str, Upstream] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)
    """What the client said of itself when it came, in revisions in which it does."""
    known: dict[tuple[str, str], dict[str, ListedItem]] = field(default_factory=dict)
    """Lists that were read to their end, by kind and server, and what is on them by its name."""
    compared: set[str] = field(default_factory=set)
    """The lists of resources that were held against one another since they have changed."""
    refused: dict[str, Refusals] = field(default_factory=dict)
    """By kind: what is not offered of those lists."""
    own: OwnCalls
    """What the client did, for its own questions about it."""
    turns: OrderedDict[str, ClientTurn] = field(default_factory=OrderedDict)
    """By the names that the client has given them."""
    failed: OrderedDict[tuple[str, str], ClientTurn] = field(default_factory=OrderedDict)
    """Turns without a name whose call failed, by server and tool: the next call of it, if it comes
    soon, is the next try, so that what mended it is learned."""

    @property
    def only(self) -> Upstream | None:
        """The server, where there is just one."""
        return None if self.names.only is None else self.upstreams[self.names.only]

    def refuse(self, frame: Frame, *, code: int, said: str) -> None:
        """Answer a request with an error of the gateway's own."""
        self.client.send(write_error(frame.key, build_error(code, said)))

    def name_agent(self, meta: dict[str, Any]) -> str:
        """What the client calls itself."""
        about = self.said.get("clientInfo") or meta.get(CLIENT_INFO)
        name = about.get("name") if isinstance(about, dict) else None
        return name if isinstance(name, str) else ""

    def has_capability(self, name: str, meta: dict[str, Any]) -> bool:
        """Whether the client has said that it can do something for its servers."""
        found = self.said.get("capabilities") or meta.get(CAPABILITIES)
        return isinstance(found, dict) and name in found
