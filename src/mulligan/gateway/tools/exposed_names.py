"""What clients call the tools, prompts and resources of several servers.

One server: as it calls them itself. Several: `server_tool`, always, so that a name stays the same
when another server is added, and none can take the name of another's tool.
"""

from __future__ import annotations

from collections.abc import Sequence

SEPARATOR = "_"


class Names:
    """Names of the servers of one gateway, in both directions."""

    def __init__(self, servers: Sequence[str]) -> None:
        self.servers = tuple(servers)
        self.only = servers[0] if len(servers) == 1 else None
        self._by_length = sorted(servers, key=len, reverse=True)
        self._listed: dict[str, tuple[str, str]] = {}
        self._uris: dict[str, str] = {}
        self._templates: dict[str, str] = {}

    def name_for_clients(self, server: str, name: str) -> str | None:
        """What clients call it; `None` where another server has listed that name first."""
        if self.only is not None:
            return name
        exposed = f"{server}{SEPARATOR}{name}"
        owner = self._listed.setdefault(exposed, (server, name))
        return exposed if owner == (server, name) else None

    def resolve(self, exposed: str) -> tuple[str, str] | None:
        """The server of a name, and what it is called there; `None`: nobody's."""
        if self.only is not None:
            return self.only, exposed
        if exposed in self._listed:
            return self._listed[exposed]
        for server in self._by_length:
            if exposed.startswith(f"{server}{SEPARATOR}"):
                return server, exposed[len(server) + len(SEPARATOR) :]
        return None

    def note_uri(self, server: str, uri: str) -> None:
        """A server has listed a resource."""
        self._uris.setdefault(uri, server)

    def note_template(self, server: str, template: str) -> None:
        """A server has listed a form of resources."""
        self._templates.setdefault(template.partition("{")[0], server)

    def find_owner(self, uri: str) -> str | None:
        """The server of a resource: who has listed it, or a form that it fits best."""
        if self.only is not None:
            return self.only
        if uri in self._uris:
            return self._uris[uri]
        fitting = [start for start in self._templates if start and uri.startswith(start)]
        return self._templates[max(fitting, key=len)] if fitting else None
