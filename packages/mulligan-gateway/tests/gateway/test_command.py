import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastmcp import Client as FastClient
from fastmcp.client.transports import StdioTransport
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from mulligan.cli.main import main
from mulligan.types.effect import Mode
from mulligan_gateway.declarations import read_rules
from tests.gateway.world import INITIALIZE, SCRIPT, wait_until

pytestmark = pytest.mark.full

SDK_SERVER = """
from mcp.server.mcpserver import Context, MCPServer

mcp = MCPServer("sdk")


@mcp.tool()
def add(a: int, b: int) -> int:
    return a + b


@mcp.tool()
def fail(why: str) -> str:
    raise ValueError(why)


@mcp.tool()
async def count(steps: int, ctx: Context) -> str:
    for step in range(steps):
        await ctx.report_progress(step + 1, steps)
    return "counted"


@mcp.resource("memo://{name}")
def memo(name: str) -> str:
    return f"memo of {name}"


@mcp.prompt()
def greet(name: str) -> str:
    return f"Greet {name}."


mcp.run()
"""


@pytest.fixture
def servers(tmp_path) -> Path:
    file = tmp_path / "sdk.py"
    file.write_text(SDK_SERVER)
    command = {"command": sys.executable, "args": [str(file)]}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"sdk": command}}))
    return tmp_path / "mcp.json"


def through(file: Path, *options: str) -> dict:
    arguments = ["-m", "mulligan", "gateway", str(file), "--no-tools", *options]
    store = {"MULLIGAN_STORE": f"sqlite:///{file.parent}/g.db"}
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}
    return {"command": sys.executable, "args": arguments, "env": {**kept, **store}}


async def use(client: Client) -> list:
    told: list = []

    async def note(progress, total, message):
        told.append((progress, total))

    seen = [
        await client.list_tools(),
        await client.call_tool("add", {"a": 1, "b": 2}),
        await client.call_tool("fail", {"why": "no"}),
        await client.call_tool("add", {"a": "x"}),
        await client.call_tool("count", {"steps": 3}, progress_callback=note),
        await client.list_resource_templates(),
        await client.read_resource("memo://a"),
        await client.list_prompts(),
        await client.get_prompt("greet", {"name": "Ann"}),
    ]
    return [*(each.model_dump() for each in seen), told]


SEEN: dict[str, list] = {}


async def use_directly(file: Path, mode: str) -> list:
    """What the client gets without a gateway, asked for once by each test process."""
    if mode not in SEEN:
        given = StdioServerParameters(command=sys.executable, args=[str(file)])
        async with Client(stdio_client(given), mode=mode) as client:
            SEEN[mode] = await use(client)
    return SEEN[mode]


@pytest.mark.usefixtures("patient_client")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_what_the_official_client_gets_is_what_it_gets_directly(servers, mode):
    expected = await use_directly(servers.parent / "sdk.py", mode)
    wrapped = StdioServerParameters(**through(servers))
    async with Client(stdio_client(wrapped), mode=mode) as client:
        got = await use(client)

    assert got == expected


@pytest.mark.usefixtures("patient_client")
async def test_servers_of_two_generations_are_both_there_for_the_official_client(servers):
    file = json.loads(servers.read_text())
    file["mcpServers"]["old"] = {"command": sys.executable, "args": [str(SCRIPT)]}
    servers.write_text(json.dumps(file))
    async with Client(stdio_client(StdioServerParameters(**through(servers)))) as client:
        listed = await client.list_tools()
        called = [await client.call_tool(name, {"a": 1, "b": 2}) for name in ("sdk_add", "old_add")]

    names = {tool.name for tool in listed.tools}
    assert {"sdk_add", "sdk_count", "old_add", "old_echo"} <= names
    assert [each.structured_content for each in called] == [{"result": 3}] * 2


async def test_a_client_of_its_own_may_send_what_a_server_takes(servers):
    long = "x" * 5_000_000
    async with Client(stdio_client(StdioServerParameters(**through(servers)))) as client:
        answer = await client.get_prompt("greet", {"name": long})

    assert answer.messages[0].content.text == f"Greet {long}."


def test_a_name_that_the_store_would_mask_is_no_clients(servers):
    tokens = servers.parent / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(f"bob {'b' * 20}\nann@example.com {'a' * 20}\n")
    given = through(servers, "--http", "8400", "--token-file", str(tokens))
    command = [given["command"], *given["args"]]

    done = subprocess.run(command, env=given["env"], capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert f"The name of client 2 in {tokens} looks like personal data" in done.stderr


async def test_the_client_of_fastmcp_works_through_it_too(servers):
    given = through(servers, "--mode", "suggest")
    async with FastClient(StdioTransport(**given)) as client:
        answer = await client.call_tool("add", {"a": 1, "b": 2})
        tools = await client.list_tools()

    assert answer.structured_content == {"result": 3}
    assert {tool.name for tool in tools} == {"add", "fail", "count"}


ROOM = """
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

mcp = MCPServer("room")
file = Path(__file__).with_name("day")


@mcp.tool()
def get_room() -> dict[str, str]:
    return {"day": file.read_text()}


@mcp.tool()
def book_room(day: str) -> dict[str, str]:
    file.write_text(day)
    return {"day": day}


@mcp.tool()
def book_and_print(day: str, request: str) -> dict[str, str]:
    book_room(day)
    file.with_name(request).write_text(day)
    raise ToolError("The printer has no paper.")


@mcp.tool()
def find_booking(request: str) -> dict[str, str] | None:
    booked = file.with_name(request)
    return {"day": booked.read_text()} if booked.exists() else None


mcp.run()
"""
DECLARED = """
mode = "suggest"

[servers.sdk.tools.book_room]
effect = "reversible"
about = "the room"
read = { tool = "get_room", fields = { day = "day!" } }
version = { of = "content", leaves = { day = "{arguments.day}" } }
undo = { tool = "book_room", arguments = { day = "{before.day}" } }

[servers.sdk.tools.book_and_print]
effect = "reversible"
about = "the room"
read = { tool = "get_room", fields = { day = "day!" } }
probe = { tool = "find_booking", arguments = { request = "{arguments.request}" }, by = "call" }
version = { of = "content", leaves = { day = "{arguments.day}" } }
undo = { tool = "book_room", arguments = { day = "{before.day}" } }
"""
FRIDAY = {"mulligan/message": "Book the room for 2031-03-07"}


@asynccontextmanager
async def open_room(servers: Path) -> AsyncIterator[Callable]:
    """Books the room through the gateway; gives the result, and the day that stands after it."""
    (servers.parent / "sdk.py").write_text(ROOM)
    day, said = servers.parent / "day", servers.parent / "said.toml"
    day.write_text("2031-03-01")
    said.touch(mode=0o600)
    said.write_text(DECLARED)
    given = StdioServerParameters(**through(servers, "--declarations", str(said)))
    given.env["MULLIGAN_TIMEZONE"] = "Europe/Berlin"  # without a zone no date is a fact
    async with Client(stdio_client(given), mode="legacy") as client:

        async def book(tool: str, meta: dict, **arguments: str) -> tuple:
            return await client.call_tool(tool, arguments, meta=meta), day.read_text()

        yield book


async def test_the_standard_checks_hold_a_call_against_what_the_person_said(servers):
    async with open_room(servers) as book:
        wrong, after_wrong = await book("book_room", FRIDAY, day="2031-03-08")
        unasked, after_unasked = await book("book_room", {}, day="2031-03-09")
        right, after_right = await book("book_room", FRIDAY, day="2031-03-07")

    assert wrong.is_error is True
    assert "2031-03-07" in wrong.content[0].text
    assert after_wrong == "2031-03-01"
    assert (unasked.is_error, after_unasked) == (False, "2031-03-09")
    assert (right.is_error, after_right) == (False, "2031-03-07")


async def test_what_a_failed_call_has_done_all_the_same_is_reviewed_too(servers):
    async with open_room(servers) as book:
        wrong, after_wrong = await book("book_and_print", FRIDAY, day="2031-03-08", request="1")
        right, after_right = await book("book_and_print", FRIDAY, day="2031-03-07", request="2")

    assert (wrong.is_error, after_wrong) == (True, "2031-03-01")
    assert "2031-03-07" in wrong.content[0].text
    assert "printer" not in wrong.content[0].text
    assert (right.is_error, after_right) == (True, "2031-03-07")
    assert "The printer has no paper." in right.content[0].text


DEAF = """
import json, os, pathlib, sys, time

asked = json.loads(sys.stdin.readline())
about = {"name": "deaf", "version": "1"}
said = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": about}
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}), flush=True)
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
time.sleep(120)
"""


async def test_a_server_that_hears_nothing_ends_with_its_gateway(servers):
    file, written = servers.with_name("deaf.py"), servers.with_name("pid")
    file.write_text(DEAF)
    command = {"command": sys.executable, "args": [str(file), str(written)]}
    servers.write_text(json.dumps({"mcpServers": {"deaf": command}}))
    given = through(servers)
    gateway = await asyncio.create_subprocess_exec(
        given["command"],
        *given["args"],
        env=given["env"],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    gateway.stdin.write(json.dumps(asked).encode() + b"\n")
    await gateway.stdout.readline()
    await wait_until(lambda: written.exists() and bool(written.read_text()))
    pid = int(written.read_text())

    gateway.terminate()
    await gateway.wait()

    await wait_until(lambda: not Path(f"/proc/{pid}").exists(), seconds=20.0)


def test_nothing_but_messages_is_on_its_output_and_it_ends_with_its_client(tmp_path):
    file = tmp_path / "mcp.json"
    server = {"command": sys.executable, "args": [str(SCRIPT)]}
    file.write_text(json.dumps({"mcpServers": {"s": server}}))
    given = through(file)
    said = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"

    done = subprocess.run(
        [given["command"], *given["args"]],
        env=given["env"],
        input=said,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"jsonrpc": "2.0", "id": 1, "result": {}}
    ]
    assert done.returncode == 0, done.stderr


def run_command(
    *arguments: str, folder: Path, store: str = "sqlite:///g.db"
) -> subprocess.CompletedProcess:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}
    said = {"XDG_DATA_HOME": str(folder / "data")} | ({"MULLIGAN_STORE": store} if store else {})
    return subprocess.run(
        [sys.executable, "-m", "mulligan", "gateway", *arguments],
        env={**kept, **said},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


async def test_a_wrapped_client_works_and_its_file_is_put_back_to_the_byte(servers):
    before = servers.read_bytes()
    folder = servers.parent
    declared = '[servers.sdk.tools.fail]\neffect = "irreversible"\n'
    (folder / "said.toml").write_text(f'mode = "suggest"\n{declared}')
    (folder / "said.toml").chmod(0o600)

    wrapped = run_command("--wrap", "mcp.json", "--declarations", "said.toml", folder=folder)
    entry = json.loads(servers.read_text())["mcpServers"]["sdk"]
    kept = {k: v for k, v in through(servers)["env"].items() if k != "MULLIGAN_STORE"}
    given = StdioServerParameters(**entry, env=kept, cwd="/")
    async with Client(stdio_client(given), mode="legacy") as client:
        answer = await client.call_tool("add", {"a": 1, "b": 2})
        tools = {tool.name for tool in (await client.list_tools()).tools}
    put_back = run_command("--unwrap", "mcp.json", folder=folder)

    assert (wrapped.returncode, put_back.returncode) == (0, 0), wrapped.stderr + put_back.stderr
    assert "sdk starts. Its tools: 1 irreversible, 2 undeclared." in wrapped.stderr
    # A client starts it wherever it likes: no path may hang on where this was said.
    assert str(folder / "said.toml") in entry["args"]
    assert f"sqlite:///{folder}/g.db" in entry["args"]
    assert (folder / "g.db").exists()
    assert answer.structured_content == {"result": 3}
    assert {"add", "mulligan_undo"} <= tools
    assert servers.read_bytes() == before


def test_a_server_that_does_not_start_is_seen_when_it_is_wrapped(servers):
    file = json.loads(servers.read_text())
    file["mcpServers"]["gone"] = {"command": "/there/is/no/such/program"}
    servers.write_text(json.dumps(file))

    wrapped = run_command("--wrap", "mcp.json", folder=servers.parent)

    assert wrapped.returncode == 0
    assert "gone is behind the gateway, and does not work: The server 'gone'" in wrapped.stderr
    assert "sdk starts. Its tools: 3 undeclared." in wrapped.stderr


def test_a_file_of_declarations_is_suggested_and_is_one(servers):
    done = run_command("mcp.json", "--suggest", folder=servers.parent)
    said = servers.parent / "said.toml"
    said.write_text(done.stdout)
    said.chmod(0o600)

    found = tomllib.loads(done.stdout)

    assert done.returncode == 0, done.stderr
    assert "add" in done.stdout
    assert read_rules(said).mode is Mode(found.get("mode", "observe"))


def test_a_file_of_declarations_that_is_none_is_not_written_into_a_client(servers):
    before = servers.read_bytes()

    done = run_command("--wrap", "mcp.json", "--declarations", "none.toml", folder=servers.parent)

    assert done.returncode != 0
    assert "none.toml" in done.stderr
    assert servers.read_bytes() == before


def test_what_is_said_beside_wrap_is_what_every_gateway_of_the_client_does(servers):
    folder = servers.parent
    said = ("--mode", "suggest", "--pin", "--intent", "--timeout", "9")

    done = run_command("--wrap", "mcp.json", *said, folder=folder, store="")
    arguments = json.loads(servers.read_text())["mcpServers"]["sdk"]["args"]

    store = f"sqlite:///{folder}/data/mulligan/gateway.db"
    kept = ["--store", store, "--mode", "suggest", "--timeout", "9.0", "--intent", "--pin"]
    assert done.returncode == 0, done.stderr
    assert arguments[-len(kept) :] == kept
    assert f"mulligan log --store {store}" in done.stderr


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (("other.json", "--wrap", "mcp.json"), "file says nothing"),
        (("--wrap", "mcp.json", "--http", "8400"), "--http says nothing"),
        (("--unwrap", "mcp.json", "--only", "sdk"), "--only says nothing"),
        (("--wrap", "mcp.json", "--store", "postgresql://me:s3cr3t@db/x"), "with its password"),
    ],
)
def test_what_a_wrapped_file_could_not_mean_is_refused_and_nothing_written(
    servers, said, why, monkeypatch, capsys
):
    before = servers.read_bytes()
    monkeypatch.chdir(servers.parent)

    code = main(["gateway", *said])

    told = capsys.readouterr().err
    assert code == 2
    assert why in told
    assert "s3cr3t" not in told
    assert servers.read_bytes() == before


def ask(method: str, params: object) -> dict:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def test_a_hangup_has_all_files_read_again_and_one_that_cannot_be_read_changes_nothing(
    servers,
):
    folder = servers.parent
    tokens, said = folder / "clients.toml", folder / "tools.toml"
    tokens.touch(mode=0o600)
    tokens.write_text(f'[clients.ann]\ntoken = "{"a" * 20}"\n')
    said.write_text('[servers.sdk.tools.add]\nmode = "suggest"\neffect = "irreversible"\n')
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    files = "--token-file", str(tokens), "--declarations", str(said)
    given = through(servers, "--http", str(port), *files)
    command = given["command"], *given["args"]
    gateway = await asyncio.create_subprocess_exec(
        *command, env=given["env"], stderr=asyncio.subprocess.PIPE
    )
    url = f"http://127.0.0.1:{port}/mcp"
    headers = {
        "authorization": f"Bearer {'a' * 20}",
        "accept": "application/json, text/event-stream",
    }

    async def hear(words: str) -> None:
        async for line in gateway.stderr:
            if words in line.decode():
                return
        raise AssertionError(words)

    async def hang_up(words: str) -> None:
        gateway.send_signal(signal.SIGHUP)
        await hear(words)

    try:
        await hear("Clients are served")
        async with httpx.AsyncClient(timeout=120, headers=headers) as http:
            while True:
                try:
                    opened = await http.post(url, json=ask("initialize", INITIALIZE))
                    break
                except httpx.ConnectError:
                    await asyncio.sleep(0.05)
            http.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
            await http.post(url, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
            add = ask("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}})
            held = await http.post(url, json=add)
            said.write_text('[servers.sdk.tools.add]\neffect = "raed"\n')
            await hang_up("Nothing was changed: ")
            still = await http.post(url, json=add)
            said.write_text("strict = true\n")
            await hang_up("strict of the declarations takes a restart")
            said.write_text('[servers.sdk.tools.add]\neffect = "read"\n')
            await hang_up("The files were read again. Servers: sdk.")
            made = await http.post(url, json=add)
    finally:
        gateway.terminate()
        await gateway.wait()

    assert [each.json()["result"]["isError"] for each in (held, still)] == [True, True]
    assert made.json()["result"]["structuredContent"] == {"result": 3}
