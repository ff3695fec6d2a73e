"""Who is asked: the server itself, the gateway before it, and its peers before it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from bench.missing import MissingError
from bench.peers import ROOT, SOURCES

SERVER = ROOT / "bench" / "gateway" / "server.py"
NOTHING = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
TOKEN = "bench-" + "t" * 30
EVERYTHING = ("--mode", "suggest", "--pitfalls", "--intent", "--pin")
"""All that the gateway may add to a call of a tool that nobody has declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where things are."""

    folder: Path
    fastmcp: Path | None
    """The interpreters of the peers' environments; `None`: they are left out."""
    mcp_proxy: Path | None
    asked: dict[str, str] = field(default_factory=dict)

    @property
    def servers(self) -> Path:
        command = {"command": sys.executable, "args": [str(SERVER)]}
        return write_servers(self.folder, {"bench": command})


def build_environment() -> dict[str, str]:
    """Ours, with the sources of this checkout and no settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MULLIGAN_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(SOURCES)}


def gateway_command(places: Places, name: str, *options: str) -> list[str]:
    return gateway_command_for(places.servers, places.folder / f"{name}.db", *options)


def gateway_command_for(servers: Path, store: Path, *options: str) -> list[str]:
    start = [sys.executable, "-m", "mulligan", "gateway", str(servers)]
    return [*start, "--store", f"sqlite:///{store}", *options]


@asynccontextmanager
async def connect_stdio(*command: str) -> AsyncIterator[Client]:
    program, *arguments = command
    given = StdioServerParameters(command=program, args=arguments, env=build_environment())
    async with Client(stdio_client(given, errlog=NOTHING), mode="legacy") as client:
        yield client


@asynccontextmanager
async def connect_http(url: str, token: str = "") -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with (
        create_mcp_http_client(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http), mode="legacy") as client,
    ):
        yield client


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def run_http(command: list[str], port: int) -> Iterator[str]:
    """A process that serves HTTP, from the moment that it answers."""
    with start_http(command, port) as (url, _):
        yield url


@contextmanager
def start_http(
    command: list[str], port: int, **environment: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The same, with the process."""
    with subprocess.Popen(
        command,
        env=build_environment() | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait_for(port, process)
            yield f"http://127.0.0.1:{port}/mcp", process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_for(port: int, process: subprocess.Popen[bytes], *, seconds: float = 300.0) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise MissingError(f"{process.args!r} does not serve: it ended, or takes too long.")


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Files that only we may read: the gateway refuses others."""
    for name, text in texts.items():
        (folder / name).touch(mode=0o600)
        (folder / name).write_text(text, encoding="utf-8")


def write_servers(folder: Path, servers: Mapping[str, object], name: str = "mcp.json") -> Path:
    """A file of servers, as clients have it."""
    write_files(folder, {name: json.dumps({"mcpServers": servers})})
    return folder / name


def serve_over_http(folder: Path, *options: str) -> tuple[list[str], int]:
    """What has a gateway serve HTTP to who shows the token, and its port."""
    port = free_port()
    write_files(folder, {"tokens": TOKEN + "\n"})
    tokens = str(folder / "tokens")
    return ["--http", f"127.0.0.1:{port}", "--token-file", tokens, *options], port


@contextmanager
def open_gateway(servers: Path, store: Path, way: str, *options: str) -> Iterator[dict[str, Any]]:
    """The gateway as its command runs it: by which command it is reached, or where, and with
    which token."""
    if way == "stdio":
        yield {"command": gateway_command_for(servers, store, *options)}
        return
    served, port = serve_over_http(servers.parent, *options)
    with run_http(gateway_command_for(servers, store, *served), port) as url:
        yield {"url": url, "token": TOKEN}


def gateway_http(places: Places, name: str, *options: str) -> tuple[list[str], int]:
    served, port = serve_over_http(places.folder, *options)
    return gateway_command(places, name, *served), port


def mcp_proxy_http(places: Places) -> tuple[list[str], int]:
    port = free_port()
    program = Path(str(places.mcp_proxy)).with_name("mcp-proxy")
    command = [str(program), f"--port={port}", "--host=127.0.0.1"]
    return [*command, "--", sys.executable, str(SERVER)], port


async def time_calls(client: Client, calls: int, *, seed: int = 0) -> list[float]:
    """Milliseconds of each of some calls, one after the other."""
    took = []
    for number in range(calls):
        arguments = {"size": "large", "seats": seed + number}
        began = time.perf_counter()
        answer: Any = await client.call_tool("find_room", arguments)
        took.append((time.perf_counter() - began) * 1e3)
        if answer.structured_content["seats"] != seed + number:
            raise AssertionError("An answer is not that of its call.")
    return took
