"""The gateway over HTTP for a client that shows no token: `open_gateway.py PORT SERVERS STORE`.

The conformance suite has no place for one. All else is as with `mulligan gateway --http`.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import Receive, Scope, Send

from mulligan import Mulligan
from mulligan_gateway.access import Access, make_token
from mulligan_gateway.declarations import GatewayOptions
from mulligan_gateway.gateway import Gateway
from mulligan_gateway.http_server import GatewayApp
from mulligan_gateway.servers_file import read_servers


def add_token(app: GatewayApp, token: str) -> Any:
    """The same application for clients without a token."""

    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            shown = (b"authorization", f"Bearer {token}".encode())
            scope = {**scope, "headers": [*scope["headers"], shown]}
        await app(scope, receive, send)

    return run


async def serve(port: int, servers: Path, store: str) -> None:
    token = make_token()
    async with Mulligan(store) as m:
        gateway = Gateway(m, read_servers(servers), options=GatewayOptions(own_tools=False))
        await gateway.start()
        app = add_token(GatewayApp(gateway, Access(tokens={token: "suite"})), token)
        settings = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")
        await uvicorn.Server(settings).serve()
        await gateway.stop()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
