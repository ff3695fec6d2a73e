"""Says over HTTP whether a worker is well, with nothing but the standard library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict

from mulligan.app.upkeep.worker import WorkerHealth
from mulligan.core.errors import ConfigurationError

TIMEOUT = 5.0
MOST_BYTES = 8_192

CheckHealth = Callable[[], WorkerHealth]

_REASONS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}


def parse_address(text: str) -> tuple[str, int]:
    """`127.0.0.1:8391`, `[::1]:8391`, or a port of this machine alone."""
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65_535:
        raise ConfigurationError(
            f"--health {text!r} is no address: write HOST:PORT, such as 127.0.0.1:8391."
        )
    return host.strip("[]") or "127.0.0.1", int(port)


@asynccontextmanager
async def serve_health(address: tuple[str, int], check: CheckHealth) -> AsyncIterator[int]:
    """Answer `GET /health` and `GET /live` as long as this lasts. Gives the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            # Who is slow, or asks for more than a line, is not answered.
            with suppress(TimeoutError, OSError, ValueError, asyncio.IncompleteReadError):
                async with asyncio.timeout(TIMEOUT):
                    line = await reader.readuntil(b"\n")
                    writer.write(build_response(line.decode("latin-1"), check))
                    await writer.drain()
        finally:
            writer.close()

    host, port = address
    try:
        server = await asyncio.start_server(answer, host, port, limit=MOST_BYTES)
    except OSError as error:
        raise ConfigurationError(
            f"--health {host}:{port} cannot be listened on ({error.strerror}): name another port."
        ) from error
    async with server:
        yield int(server.sockets[0].getsockname()[1])


def build_response(request: str, check: CheckHealth) -> bytes:
    """The answer to the first line of a request."""
    method, _, rest = request.partition(" ")
    path = rest.partition(" ")[0].partition("?")[0]
    if method not in ("GET", "HEAD"):
        return _encode(405, {"error": "Only GET is answered."}, body=True)
    if path == "/live":
        return _encode(200, {"live": True}, body=method == "GET")
    if path != "/health":
        return _encode(404, {"error": "There are /health and /live."}, body=method == "GET")
    found = check()
    return _encode(200 if found.healthy else 503, asdict(found), body=method == "GET")


def _encode(status: int, said: dict[str, object], *, body: bool) -> bytes:
    content = json.dumps(said).encode()
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (content if body else b"")
