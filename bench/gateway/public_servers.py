"""Public MCP servers from PyPI and npm, and everything that real clients get from them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastmcp import Client as FastClient
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from bench.gateway.contenders import (
    NOTHING,
    build_environment,
    connect_http,
    connect_stdio,
    free_port,
    start_http,
)
from bench.missing import MissingError

Call = tuple[str, Mapping[str, object]]
FROM_NPM = (
    "@modelcontextprotocol/server-everything",
    "@modelcontextprotocol/server-filesystem",
    "@modelcontextprotocol/server-memory",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicServer:
    """One of them, with calls that succeed and fail the same way every time."""

    name: str
    command: Sequence[str]
    calls: Sequence[Call]
    over_http: bool = False
    """It serves HTTP itself, at the port that its environment names."""

    @contextmanager
    def run(self) -> Iterator[Address]:
        """Where a client finds it, for as long as it is there."""
        if not self.over_http:
            yield Address(command=tuple(self.command))
            return
        port = free_port()
        with start_http(list(self.command), port, PORT=str(port)) as (url, _):
            yield Address(url=url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A command or a place on the network."""

    command: Sequence[str] = ()
    url: str = ""
    token: str = field(default="", repr=False)

    def write(self) -> dict[str, object]:
        """As the file of a client's servers has it."""
        if self.url:
            return {"url": self.url}
        program, *arguments = self.command
        return {"command": program, "args": arguments}


def list_servers(folder: Path, pypi: Path, npm: Path) -> list[PublicServer]:
    """All of them, at work in one folder."""
    home = folder / "home"
    home.mkdir()
    (home / "a.txt").write_text("hello", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", str(home)], check=True)
    return [*_list_of_pypi(pypi, folder=folder, home=home), *_list_of_npm(npm, home=home)]


def _list_of_pypi(place: Path, *, folder: Path, home: Path) -> list[PublicServer]:
    repo = {"repo_path": str(home)}
    zones = {"time": "10:00", "target_timezone": "Europe/Berlin"}
    return [
        PublicServer(
            name="time",
            command=[str(place / "mcp-server-time")],
            calls=[
                ("convert_time", {"source_timezone": "UTC", **zones}),
                ("convert_time", {"source_timezone": "Nowhere", **zones}),
            ],
        ),
        PublicServer(
            name="git",
            command=[str(place / "mcp-server-git"), "--repository", str(home)],
            calls=[("git_status", repo), ("git_show", {**repo, "revision": "nope"})],
        ),
        PublicServer(
            name="sqlite",
            command=[str(place / "mcp-server-sqlite"), "--db-path", str(folder / "x.sqlite")],
            calls=[("list_tables", {}), ("read_query", {"query": "select 2.50 as b"})],
        ),
    ]


def _list_of_npm(place: Path, *, home: Path) -> list[PublicServer]:
    read = "read_text_file"
    every: list[Call] = [
        ("echo", {"message": "é"}),
        ("get-sum", {"a": 1, "b": 2.5}),
        ("get-sum", {"a": "x"}),
    ]
    everything = str(place / "mcp-server-everything")
    return [
        PublicServer(
            name="filesystem",
            command=[str(place / "mcp-server-filesystem"), str(home)],
            calls=[(read, {"path": str(home / "a.txt")}), (read, {"path": "/etc/passwd"})],
        ),
        PublicServer(
            name="memory",
            command=[str(place / "mcp-server-memory")],
            calls=[
                ("read_graph", {}),
                ("search_nodes", {"query": "x"}),
                ("open_nodes", {"names": 1}),
            ],
        ),
        PublicServer(name="everything", command=[everything, "stdio"], calls=every),
        PublicServer(
            name="everything-http",
            command=[everything, "streamableHttp"],
            calls=every,
            over_http=True,
        ),
    ]


@asynccontextmanager
async def connect_fastmcp(address: Address) -> AsyncIterator[Any]:
    """FastMCP's client."""
    if address.url:
        headers = {"authorization": f"Bearer {address.token}"} if address.token else {}
        transport: Any = StreamableHttpTransport(address.url, headers=headers)
    else:
        program, *arguments = address.command
        env = build_environment()
        transport = StdioTransport(program, arguments, env=env, log_file=Path(os.devnull))
    async with FastClient(transport, mode="legacy") as client:
        yield _Fast(client)


class _Fast:
    """FastMCP's client, asked for what the protocol has and not for what it makes of that."""

    def __init__(self, client: Any) -> None:
        self.list_tools = client.list_tools_mcp
        self.call_tool = client.call_tool_mcp


def connect_sdk(address: Address) -> AbstractAsyncContextManager[Any]:
    """The official client."""
    if address.url:
        return connect_http(address.url, address.token)
    return connect_stdio(*address.command)


CLIENTS: Mapping[str, Callable[[Address], AbstractAsyncContextManager[Any]]] = {
    "sdk": connect_sdk,
    "fastmcp": connect_fastmcp,
}


async def ask(address: Address, calls: Sequence[Call], *, count: int, by: str) -> list[str]:
    """The list of tools, and then what each call came to, as JSON."""
    async with CLIENTS[by](address) as client:
        found = [(await client.list_tools()).model_dump_json(by_alias=True)]
        for number in range(count):
            name, arguments = calls[number % len(calls)]
            try:
                result = await client.call_tool(name, dict(arguments))
                found.append(result.model_dump_json(by_alias=True))
            except Exception as error:
                found.append(repr(error))
        return found


def is_failure(answer: str) -> bool:
    """Whether a call failed, by the server's own word or an error of the protocol."""
    return '"isError":true' in answer or not answer.startswith("{")


def install_npm(folder: Path, *packages: str, install: bool) -> Path:
    """The programs of packages from npm, in a folder of their own."""
    programs = folder / "node_modules" / ".bin"
    wanted, mark = "\n".join(packages), folder / ".packages"
    if programs.is_dir() and mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return programs
    if not install:
        raise MissingError(f"{', '.join(packages)}: not in {folder}. Run without --no-install.")
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--silent", "--prefix", str(folder), *packages]
    if subprocess.run(command, stdout=NOTHING, stderr=NOTHING, check=False).returncode:
        raise MissingError(f"{', '.join(packages)} cannot be installed: npm says no.")
    mark.write_text(wanted, encoding="utf-8")
    return programs
