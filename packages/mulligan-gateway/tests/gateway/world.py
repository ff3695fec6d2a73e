"""A gateway in this process, before scripted servers of their own, and clients of a few lines."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mulligan import Mulligan
from mulligan_gateway.declarations import GatewayOptions
from mulligan_gateway.gateway import Gateway
from mulligan_gateway.party import Party
from mulligan_gateway.protocol import Limits
from mulligan_gateway.servers_file import Server

SCRIPT = Path(__file__).with_name("scripted_server.py")
QUICK = Limits(answer=60.0, stop=0.5, backoff=0.01, rest=0.3)
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"sampling": {}, "elicitation": {}},
    "clientInfo": {"name": "tester", "version": "1"},
}


def scripted(name: str = "one", **env: str) -> Server:
    return Server(name=name, command=(sys.executable, str(SCRIPT)), env=env)


class RawClient:
    """Says what it is told to, and keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.lines: list[bytes] = []
        self._more = asyncio.Event()
        self.session: Any = None
        self._last = 0

    def send(self, frame: bytes) -> None:
        self.lines.append(frame)
        self.heard.append(json.loads(frame))
        self._more.set()

    def say(self, method: str, params: Any = None, *, key: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        if key is not None:
            message["id"] = key
        if params is not None:
            message["params"] = params
        self.session.take_line(json.dumps(message).encode())

    async def wait_for(self, fits: Any, *, seconds: float = 60.0) -> dict[str, Any]:
        async with asyncio.timeout(seconds):
            while True:
                for message in self.heard:
                    if fits(message):
                        return message
                self._more.clear()
                await self._more.wait()

    async def ask(self, method: str, params: Any = None, *, key: Any = None) -> dict[str, Any]:
        self._last += 1
        used = f"r{self._last}" if key is None else key
        self.say(method, params, key=used)
        return await self.wait_for(lambda m: m.get("id") == used and "method" not in m)

    async def call(self, name: str, arguments: Any = None, **meta: Any) -> dict[str, Any]:
        params: dict[str, Any] = {"name": name, "arguments": arguments or {}}
        if meta:
            params["_meta"] = {key.replace("__", "/"): value for key, value in meta.items()}
        return await self.ask("tools/call", params)

    async def greet(self, can: tuple[str, ...] = ("sampling", "elicitation")) -> dict[str, Any]:
        able = {name: {} for name in can}
        answer = await self.ask("initialize", {**INITIALIZE, "capabilities": able})
        self.say("notifications/initialized")
        return answer["result"]


async def wait_until(fits: Callable[[], bool], *, seconds: float = 60.0) -> None:
    """Wait for what nobody announces, such as the end of another process."""
    async with asyncio.timeout(seconds):
        while not fits():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@asynccontextmanager
async def run_gateway(
    *servers: Server, m: Mulligan | None = None, **options: Any
) -> AsyncIterator[Gateway]:
    options.setdefault("limits", QUICK)
    reports: list[str] = []
    async with m or Mulligan("memory:") as application:
        gateway = Gateway(
            application,
            servers or (scripted(),),
            options=GatewayOptions(**options),
            report=reports.append,
        )
        gateway.reports = reports  # type: ignore[attr-defined]
        yield gateway


@asynccontextmanager
async def connect(
    gateway: Gateway,
    *,
    greets: bool = True,
    can: tuple[str, ...] = ("sampling", "elicitation"),
    principal: str = "",
) -> AsyncIterator[RawClient]:
    client = RawClient()
    client.session = gateway.open_session(Party(client), principal=principal)
    try:
        if greets:
            await client.greet(can)
        yield client
    finally:
        await client.session.close()
