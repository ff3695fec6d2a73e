"""Servers as the gateway reaches them: real ones over stdio by the official SDK, or their tools."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from mulligan import Mulligan
from mulligan.types.adapter import HostCall
from mulligan_gateway.declarations import ToolDeclaration, read_declarations
from mulligan_gateway.servers_file import Server
from tests.gateway.files import FileTools

FILE_SERVER = Path(__file__).parent / "file_server.py"
FILES = Server(name="files")


class ToolFailedError(Exception):
    """What a server returned as an error."""


class Upstream:
    """One server that can be called as the gateway calls one."""

    def __init__(self) -> None:
        self.made: list[tuple[str, dict[str, object]]] = []

    async def call(self, server: str, tool: str, arguments: Mapping[str, object]) -> object:
        """As the gateway's `CallTool`."""
        self.made.append((tool, dict(arguments)))
        return await self.make(tool, dict(arguments))

    async def make(self, tool: str, arguments: dict[str, object]) -> object:
        raise NotImplementedError

    def ask(self, tool: str, **arguments: object) -> HostCall:
        """A call as the gateway brings it to a turn."""

        async def make(given: Mapping[str, object]) -> object:
            return await self.call(FILES.name, tool, given)

        return HostCall(tool=tool, arguments=arguments, make=make, server=FILES.name)


class LocalFiles(Upstream):
    """The tools of the server for files, without the server."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.tools = FileTools(folder)

    async def make(self, tool: str, arguments: dict[str, object]) -> object:
        return getattr(self.tools, tool)(**arguments)


class Connected(Upstream):
    """A server that runs, and a session with it."""

    def __init__(self, session: ClientSession) -> None:
        super().__init__()
        self.session = session

    async def make(self, tool: str, arguments: dict[str, object]) -> object:
        result: Any = await self.session.call_tool(tool, arguments)
        text = "\n".join(part.text for part in result.content if part.type == "text")
        if result.is_error:
            # The Python SDK puts its own words before an error.
            raise ToolFailedError(text.removeprefix(f"Error executing tool {tool}: "))
        if result.structured_content is not None:
            return result.structured_content
        try:
            read = json.loads(text)
        except ValueError:
            return text
        return read if isinstance(read, dict | list) else text

    async def list_tools(self) -> list[dict[str, Any]]:
        listed = await self.session.list_tools()
        return [each.model_dump(by_alias=True, exclude_none=True) for each in listed.tools]


@asynccontextmanager
async def connect(command: Sequence[str], **environment: str) -> AsyncIterator[Connected]:
    """A server and its session, in a task of their own: a fixture ends in another one."""
    parameters = StdioServerParameters(
        command=command[0], args=list(command[1:]), env={**os.environ, **environment}
    )
    opened: asyncio.Future[Connected] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()
    quiet = open(os.devnull, "w")  # noqa: ASYNC230, PTH123, SIM115 - it takes no time

    async def hold_open() -> None:
        async with (
            stdio_client(parameters, errlog=quiet) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            opened.set_result(Connected(session))
            await over.wait()

    task = asyncio.create_task(hold_open())
    await asyncio.wait([task, opened], return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    try:
        yield opened.result()
    finally:
        over.set()
        await task
        quiet.close()


def connect_files(folder: Path) -> Any:
    """The server for files, as a process."""
    ours = os.pathsep.join(sys.path)
    return connect([sys.executable, str(FILE_SERVER), str(folder)], PYTHONPATH=ours)


def write_declarations(folder: Path, text: str) -> Path:
    path = folder / "declarations.toml"
    path.write_text(text)
    path.chmod(0o600)
    return path


def declare_files(
    m: Mulligan, upstream: Upstream, folder: Path, text: str = ""
) -> tuple[ToolDeclaration, ...]:
    """Declare the tools of files by the shipped recipe, and what a text says beside it."""
    said = text or 'mode = "suggest"\n[servers.files]\nrecipe = "filesystem"\n'
    found = read_declarations(write_declarations(folder, said), [FILES])
    for each in found:
        each.declare(m, upstream.call)
    return found
