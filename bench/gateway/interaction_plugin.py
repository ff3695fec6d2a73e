"""Puts the gateway between client and server in the official SDK's own interaction tests.

`pytest -p bench.gateway.interaction_plugin tests/interaction`, in the SDK's sources: the tests stay
as they are, and each client that they connect goes through a gateway to its server.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from mulligan import Mode, Mulligan
from mulligan_gateway.access import Access
from mulligan_gateway.declarations import GatewayOptions
from mulligan_gateway.gateway import Gateway
from mulligan_gateway.http_server import GatewayApp
from mulligan_gateway.party import Party
from mulligan_gateway.protocol import Limits
from mulligan_gateway.servers_file import Server

RELAY = Path(__file__).with_name("relay.py")
TOKEN = "t" * 32
MODE = Mode(os.environ.get("GATEWAY_MODE", "observe"))
URL = "http://127.0.0.1:8000"


def pytest_collection_finish() -> None:
    """The tests are there: from now on, what they connect goes through the gateway."""
    factories = sys.modules["tests.interaction.conftest"]._FACTORIES
    factories["in-memory"] = connect_stdio
    factories["streamable-http"] = connect_http
    factories["streamable-http-stateless"] = partial(connect_http, stateless=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The gateway serves no SSE, which was retired; tests that connect nothing say nothing."""
    items[:] = [each for each in items if "connect" in getattr(each, "fixturenames", ())]
    items[:] = [each for each in items if "[sse" not in each.nodeid]


def _stay_silent(_: str) -> None:
    """What a gateway reports is nothing that the tests are about."""


@asynccontextmanager
async def _open_gateway(server: Server) -> AsyncIterator[Gateway]:
    async with Mulligan("memory:") as m:
        options = GatewayOptions(own_tools=False, mode=MODE, limits=Limits(stop=0.5))
        yield Gateway(m, [server], options=options, report=_stay_silent)


def _choose_mode(version: str) -> str:
    return version if version in MODERN_PROTOCOL_VERSIONS else "legacy"


@asynccontextmanager
async def connect_http(
    server: Any, *, spec_version: str = "", stateless: bool = False, **options: Any
) -> AsyncIterator[Client]:
    """Over HTTP on both sides, the server's over a real socket."""
    import httpx2

    from tests.interaction._connect import NO_DNS_REBINDING_PROTECTION
    from tests.interaction.transports._bridge import StreamingASGITransport

    app = server.streamable_http_app(
        stateless_http=stateless, transport_security=NO_DNS_REBINDING_PROTECTION
    )
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        address = f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"
        async with (
            server.session_manager.run(),
            _serve(app, sock),
            _open_app(Server(name="one", url=address)) as ours,
            httpx2.AsyncClient(
                transport=StreamingASGITransport(ours),
                base_url=URL,
                headers={"authorization": f"Bearer {TOKEN}"},
            ) as http,
            Client(
                streamable_http_client(f"{URL}/mcp", http_client=http),
                mode=_choose_mode(spec_version),
                **options,
            ) as client,
        ):
            yield client


@asynccontextmanager
async def _open_app(server: Server) -> AsyncIterator[GatewayApp]:
    async with _open_gateway(server) as gateway:
        app = GatewayApp(gateway, Access(tokens={TOKEN: "tests"}))
        try:
            yield app
        finally:
            with anyio.CancelScope(shield=True):
                await app.clients.close()


@asynccontextmanager
async def _serve(app: Any, sock: socket.socket) -> AsyncIterator[None]:
    config = uvicorn.Config(app, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    running = asyncio.ensure_future(server._serve(sockets=[sock]))
    while not server.started:  # noqa: ASYNC110
        await asyncio.sleep(0.005)
    try:
        yield
    finally:
        server.should_exit = server.force_exit = True
        with anyio.CancelScope(shield=True):
            await asyncio.wait([running])


@asynccontextmanager
async def connect_stdio(
    server: Any, *, spec_version: str = "", **options: Any
) -> AsyncIterator[Client]:
    """By lines on both sides, the server's through a process of its own."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _run_server(server, reader, writer)
        finally:
            writer.close()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0, limit=2**24)
    port = listening.sockets[0].getsockname()[1]
    command = (sys.executable, "-I", "-S", str(RELAY), str(port))
    try:
        async with (
            _open_gateway(Server(name="one", command=command)) as gateway,
            Client(_connect_lines(gateway), mode=_choose_mode(spec_version), **options) as client,
        ):
            yield client
    finally:
        listening.close()


async def _run_server(
    server: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    lowlevel = getattr(server, "_lowlevel_server", server)
    heard, reads = create_context_streams[SessionMessage | Exception](0)
    writes, said = create_context_streams[SessionMessage](0)

    async def hear() -> None:
        async with heard:
            while line := await reader.readline():
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                await heard.send(SessionMessage(message))

    async def say() -> None:
        async with said:
            async for each in said:
                writer.write(_write(each) + b"\n")

    async with anyio.create_task_group() as group:
        group.start_soon(hear)
        group.start_soon(say)
        await lowlevel.run(reads, writes, lowlevel.create_initialization_options())
        group.cancel_scope.cancel()


def _write(message: SessionMessage) -> bytes:
    return bytes(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode())


class _Hearing:
    """Takes what the gateway sends to its client."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()

    def send(self, frame: bytes) -> None:
        self.lines.put_nowait(frame)


@asynccontextmanager
async def _connect_lines(gateway: Gateway) -> AsyncIterator[Any]:
    hearing = _Hearing()
    session = gateway.open_session(Party(hearing))
    heard, reads = create_context_streams[SessionMessage | Exception](0)
    writes, said = create_context_streams[SessionMessage](0)

    async def hear() -> None:
        async with heard:
            while True:
                line = await hearing.lines.get()
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                await heard.send(SessionMessage(message))

    async def say() -> None:
        async with said:
            async for each in said:
                session.take_line(_write(each))

    async with anyio.create_task_group() as group:
        group.start_soon(hear)
        group.start_soon(say)
        try:
            yield reads, writes
        finally:
            with anyio.CancelScope(shield=True):
                await session.close()
            group.cancel_scope.cancel()
