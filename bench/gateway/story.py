"""What an agent's day comes to before a server for files: failed, undone, held, killed, recovered.

Real clients, the gateway as its command runs it, and a ledger that neither of them writes.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastmcp import Client as FastClient
from fastmcp.client.transports import StreamableHttpTransport
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import ElicitResult

from bench.gateway.contenders import (
    NOTHING,
    TOKEN,
    build_environment,
    connect_http,
    gateway_command_for,
    serve_over_http,
    start_http,
    write_files,
    write_servers,
)
from mulligan.insights.insights import Insights
from mulligan.settings import Settings

TAP = Path(__file__).with_name("tap.py")
DECLARED = """mode = "suggest"
[servers.files]
recipe = "filesystem"
[servers.files.tools.edit_file]
effect = "irreversible"
"""
LONGEST = 120.0
Found = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One server for files, what counts its calls, and a gateway before both."""

    folder: Path
    server: Sequence[str]
    """The command, without the tap."""

    @classmethod
    def build(cls, folder: Path, server: Sequence[str]) -> Stage:
        stage = cls(folder=folder, server=server)
        for name in ("a", "b", "c", "d", "e"):
            (stage.home / f"{name}.txt").write_text("before", encoding="utf-8")
        tap = [str(TAP), str(stage.ledger), str(stage.slow), *server]
        write_servers(folder, {"files": {"command": sys.executable, "args": tap}})
        write_files(folder, {"declared.toml": DECLARED})
        return stage

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger"

    @property
    def slow(self) -> Path:
        return self.folder / "slow"

    @property
    def store(self) -> Path:
        return self.folder / "m.db"

    def count(self, what: str) -> int:
        """How often the ledger says so."""
        lines = self.ledger.read_text(encoding="utf-8").splitlines()
        return sum(line.startswith(what) for line in lines)

    def find(self, name: str) -> str:
        return str(self.home / f"{name}.txt")

    def read(self, name: str) -> str:
        return Path(self.find(name)).read_text(encoding="utf-8")

    def command(self, *options: str) -> list[str]:
        said = ("--declarations", str(self.folder / "declared.toml"))
        return gateway_command_for(self.folder / "mcp.json", self.store, *said, *options)

    def list_open(self) -> dict[str, str]:
        """What waits for somebody, by the file that it is about."""
        with Insights.open(Settings(store=f"sqlite:///{self.store}")) as insights:
            every = insights.open_list.actions()
            of = insights.open_list.read_arguments
            return {str(of(each).get("path")): str(each.state) for each in every}


async def play(stage: Stage) -> Found:
    """Every part of the story; each figure is what was seen, with its sentence beside it."""
    async with connect(stage) as client:
        found: Found = await fail(stage, client)
        found |= await undo(stage, client)
        found |= await approve_by_command(stage, client)
    async with connect(stage, elicitation_callback=_accept) as client:
        found |= await approve_by_asking(stage, client)
    found |= await kill_gateway(stage)
    found |= await kill_server(stage)
    return found


@asynccontextmanager
async def connect(stage: Stage, **options: Any) -> AsyncIterator[Client]:
    program, *arguments = stage.command()
    given = StdioServerParameters(command=program, args=arguments, env=_environment())
    async with Client(stdio_client(given, errlog=NOTHING), mode="legacy", **options) as client:
        yield client


def _environment() -> dict[str, str]:
    return {**build_environment(), "MULLIGAN_LEASE": "1"}


async def _accept(_context: object, _params: object) -> ElicitResult:
    return ElicitResult(action="accept", content={"approve": True})


async def fail(stage: Stage, client: Client) -> Found:
    """A call that fails says what the server itself says, and beside it what we say."""
    program, *arguments = stage.server
    given = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    asked = ("read_text_file", {"path": stage.find("nowhere")})
    async with Client(stdio_client(given, errlog=NOTHING), mode="legacy") as direct:
        expected = await direct.call_tool(*asked)
    got = await client.call_tool(*asked)
    same = [each.model_dump() for each in got.content][: len(expected.content)]
    kept = same == [each.model_dump() for each in expected.content]
    return {"error_kept": kept and got.is_error is True and expected.is_error is True}


async def undo(stage: Stage, client: Client) -> Found:
    """A wrong write is undone by the shipped recipe, as its agent asks for it."""
    await client.call_tool("write_file", {"path": stage.find("a"), "content": "wrong"})
    wrong = stage.read("a")
    listed = await client.call_tool("mulligan_undo", {})
    action = read_id(listed)
    await client.call_tool("mulligan_undo", {"action": action})
    return {"undone": (wrong, stage.read("a")) == ("wrong", "before")}


def _edit(stage: Stage, name: str) -> tuple[str, dict[str, Any]]:
    edits = [{"oldText": "before", "newText": "after"}]
    return "edit_file", {"path": stage.find(name), "edits": edits}


async def approve_by_command(stage: Stage, client: Client) -> Found:
    """A held call waits; a person says yes on the command line; the agent asks again."""
    held = await client.call_tool(*_edit(stage, "d"))
    waited = stage.read("d") == "before" and held.is_error is True
    command = [sys.executable, "-m", "mulligan", "approve", read_id(held)]
    done = await asyncio.to_thread(
        subprocess.run,
        [*command, "--store", f"sqlite:///{stage.store}"],
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    again = await client.call_tool(*_edit(stage, "d"))
    once = stage.count(f"done edit_file {stage.find('d')}")
    fine = waited and again.is_error is not True and stage.read("d") == "after"
    return {"approved_by_command": fine, "approved_by_command_times": once}


async def approve_by_asking(stage: Stage, client: Client) -> Found:
    """The person is asked by their own client, and says yes."""
    got = await client.call_tool(*_edit(stage, "e"))
    once = stage.count(f"done edit_file {stage.find('e')}")
    fine = got.is_error is not True and stage.read("e") == "after"
    return {"approved_by_asking": fine, "approved_by_asking_times": once}


async def kill_gateway(stage: Stage) -> Found:
    """The gateway is killed after the write has happened and before it has heard of that."""
    with run_gateway(stage) as (url, process):
        async with watch_call(url, stage.find("b"), "new"):
            await wait_until(lambda: stage.count(f"done write_file {stage.find('b')}") == 1)
            process.send_signal(signal.SIGKILL)
        stage.slow.unlink()
    with run_gateway(stage, slow=False) as (url, _):
        async with connect_http(url, TOKEN) as client:
            await client.list_tools()
        await wait_until(lambda: stage.list_open().get(stage.find("b")) not in WORKING)
    where = stage.list_open().get(stage.find("b"), "settled")
    return {
        "gateway_killed": stage.read("b") == "new",
        "gateway_killed_times": stage.count(f"sent write_file {stage.find('b')} new"),
        "gateway_killed_left": where,
    }


async def kill_server(stage: Stage) -> Found:
    """The server is killed there: its caller is told, and the next call finds a new one."""
    with run_gateway(stage) as (url, _):
        async with FastClient(
            StreamableHttpTransport(url, headers={"authorization": f"Bearer {TOKEN}"})
        ) as client:
            given = {"path": stage.find("c"), "content": "new"}
            call = asyncio.ensure_future(
                client.call_tool("write_file", given, raise_on_error=False)
            )
            await wait_until(lambda: stage.count(f"done write_file {stage.find('c')}") == 1)
            kill_tap(stage)
            stage.slow.unlink()
            told = await asyncio.wait_for(call, LONGEST)
            after = await client.call_tool("read_text_file", {"path": stage.find("c")})
        await wait_until(lambda: stage.list_open().get(stage.find("c")) not in WORKING)
    return {
        "server_killed": stage.read("c") == "new" and after.is_error is False,
        "server_killed_told": "\n".join(getattr(each, "text", "") for each in told.content)[:300],
        "server_killed_times": stage.count(f"sent write_file {stage.find('c')} new"),
        "server_killed_left": stage.list_open().get(stage.find("c"), "settled"),
    }


WORKING = frozenset({"intent", "executed", "undoing"})
"""Where nobody has said yet what became of an action."""


def run_gateway(stage: Stage, *, slow: bool = True) -> Any:
    """The gateway over HTTP, with its process; the server answers late from its first call on."""
    more, port = serve_over_http(stage.folder)
    if slow:
        stage.slow.write_text("write_file", encoding="utf-8")
    return start_http(stage.command(*more), port, MULLIGAN_LEASE="1")


@asynccontextmanager
async def watch_call(url: str, path: str, content: str) -> AsyncIterator[None]:
    """A call under way, whatever becomes of it."""

    async def call() -> None:
        async with connect_http(url, TOKEN) as client:
            await client.call_tool("write_file", {"path": path, "content": content})

    running = asyncio.ensure_future(call())
    try:
        yield
    finally:
        await asyncio.wait([running], timeout=2.0)
        running.cancel()
        with suppress(BaseException):  # its gateway is gone
            await running


def kill_tap(stage: Stage) -> None:
    """Kill every server that is up, with all that it has started."""
    for line in stage.ledger.read_text(encoding="utf-8").splitlines():
        if line.startswith("pid "):
            with suppress(ProcessLookupError, PermissionError):  # it has ended before
                os.killpg(int(line.split()[1]), signal.SIGKILL)


async def wait_until(fits: Callable[[], bool]) -> None:
    until = time.monotonic() + LONGEST
    while not fits():
        if time.monotonic() > until:
            raise TimeoutError("It did not come to what was waited for.")
        await asyncio.sleep(0.05)


def read_id(result: Any) -> str:
    """The id of an action that a result names first."""
    text = "\n".join(getattr(each, "text", "") for each in result.content)
    found = re.search(r"[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f-]{27}", text)
    if found is None:
        raise AssertionError(f"It names no action: {text}")
    return found[0]
