"""The dashboard on a port of this machine: its address, its links, and where it refuses to be."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import quote

import uvicorn
from msgspec import Struct

from mulligan.app.web_server import BACKLOG, configure_server
from mulligan.insights.insights import Insights
from mulligan.types.errors import ConfigurationError
from mulligan_dashboard.app import CarryOut, create_app
from mulligan_dashboard.security import PageAccess, Role, Sealer, TokenKind, Visitor

PORT = 8390
LINK_LIFE = timedelta(days=7)


class PageAddress(Struct, frozen=True, kw_only=True):
    """Where to serve, and as what."""

    host: str = "127.0.0.1"
    port: int = PORT
    """0: any that is free."""
    names: tuple[str, ...] = ()
    """Other names it is reached by, such as that of a proxy."""
    open: Role | None = None
    """The role of everybody, without a token; only on a loopback address."""
    name: str = ""
    """The name recorded for acts made through the links."""
    secure: bool = False
    """Behind a proxy that speaks TLS."""


class DashboardServer:
    """A server that is bound but not yet started, so that its address is known."""

    def __init__(
        self, insights: Insights, address: PageAddress, *, carry_out: CarryOut | None = None
    ) -> None:
        refuse_exposure(address)
        self._address = address
        self._socket = _bind(address)
        self.port = int(self._socket.getsockname()[1])
        self._sealer = Sealer()
        self._tenant = insights.tenant or ""
        host = f"[{address.host}]" if ":" in address.host else address.host
        everybody = (
            None
            if address.open is None
            else Visitor(name=address.name, role=address.open, tenant=self._tenant)
        )
        self.access = PageAccess(
            sealer=self._sealer,
            hosts=frozenset({host, "localhost", "127.0.0.1", *address.names}),
            visitor=everybody,
            cookie=f"{'__Host-' if address.secure else ''}mulligan_{self.port}",
            secure=address.secure,
        )
        self.url = self._build_url(host)
        config = configure_server(
            create_app(insights, access=self.access, carry_out=carry_out),
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)

    def make_link(self, role: Role) -> str:
        """A link with a token, for one person."""
        if self._address.open:
            return self.url
        visitor = Visitor(name=self._address.name, role=role, tenant=self._tenant)
        token = self._sealer.write(visitor, kind=TokenKind.LINK, life=LINK_LIFE)
        return f"{self.url}enter?token={quote(token)}"

    def run(self, *, on_ready: Callable[[], None] = lambda: None) -> None:
        """Serve until stopped."""
        on_ready()
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """Let `run` end, soon."""
        self._server.should_exit = True

    def close(self) -> None:
        """Let go of the port, where `run` was never called or has ended."""
        self._socket.close()

    def _build_url(self, host: str) -> str:
        name = self._address.names[0] if self._address.names else host
        scheme = "https" if self._address.secure else "http"
        port = "" if self._address.secure else f":{self.port}"
        return f"{scheme}://{name}{port}/"


def refuse_exposure(address: PageAddress) -> None:
    """Refuse an exposed address without tokens or host names."""
    if is_loopback(address.host):
        return
    if address.open:
        raise ConfigurationError(
            f"--no-token gives access to everyone who reaches {address.host}. Leave it out to get "
            "links with a token, or serve on 127.0.0.1 and reach it by `ssh -L`."
        )
    if not address.names:
        raise ConfigurationError(
            f"{address.host} can be reached from other machines, so the server's host names must "
            "be known: add --name dashboard.example.com, or serve on 127.0.0.1 and reach it by "
            "`ssh -L`."
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bind(address: PageAddress) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((address.host, address.port))
        found.listen(BACKLOG)
    except OSError as error:
        found.close()
        raise ConfigurationError(
            f"Nothing can be served on {address.host}:{address.port}: {error.strerror}. "
            "Say another port with --port, 0 for any that is free."
        ) from error
    return found
