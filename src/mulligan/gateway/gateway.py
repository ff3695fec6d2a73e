"""The gateway: an application of Mulligan between MCP clients and their servers."""

from __future__ import annotations

from mulligan.gateway.protocol.party import Party
from mulligan.gateway.sessions.session import Session
from mulligan.gateway.sessions.shared import Shared


class Gateway(Shared):
    """Clients come and go; each has a session of its own, and none hears of another."""

    def open_session(self, client: Party, *, principal: str = "") -> Session:
        """A client has come, and gets connections of its own to every server."""
        return Session.open(self, client, principal=principal)
