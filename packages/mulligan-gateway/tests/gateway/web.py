"""Web applications on a port of this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn


@asynccontextmanager
async def serve_app(app: Any, *, lifespan: str = "off") -> AsyncIterator[str]:
    """Where an application is found, from when it takes requests until the block ends."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        config = uvicorn.Config(app, log_level="warning", lifespan=lifespan)
        server = uvicorn.Server(config)
        running = asyncio.ensure_future(server.serve(sockets=[sock]))
        while not (server.started or running.done()):  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running
