"""What was done through the gateway is undone, by the shipped recipe, over MCP."""

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from mulligan import Mode, Mulligan
from mulligan.runtime.episodes import LATE
from mulligan.types.action import State
from mulligan_gateway.declarations import GatewayOptions, read_declarations
from mulligan_gateway.servers_file import Server
from tests.gateway.recorded_server import FILE_SERVER, write_declarations
from tests.gateway.world import QUICK, connect, run_gateway, scripted, wait_until

pytestmark = pytest.mark.full

SAID = 'mode = "suggest"\n[servers.files]\nrecipe = "filesystem"\n'


@pytest.fixture
def files(tmp_path) -> Server:
    (tmp_path / "files").mkdir()
    command = (sys.executable, str(FILE_SERVER), str(tmp_path / "files"))
    ours = os.pathsep.join([str(Path.cwd()), *sys.path])
    return Server(name="files", command=command, env={"PYTHONPATH": ours})


def declared(tmp_path: Path, files: Server, said: str = SAID) -> dict:
    found = read_declarations(write_declarations(tmp_path, said), [files])
    return {"declarations": found}


async def test_a_wrong_write_is_undone_by_its_own_agent(tmp_path, files):
    page = tmp_path / "files" / "a.txt"
    page.write_text("before")
    m = Mulligan(f"sqlite:///{tmp_path}/m.db")
    async with run_gateway(files, m=m, **declared(tmp_path, files)) as gateway:
        await gateway.start()
        async with (
            connect(gateway, principal="ann") as client,
            connect(gateway, principal="bob") as other,
        ):
            await client.call("write_file", {"path": "a.txt", "content": "wrong"})
            wrong = page.read_text()
            status = (await client.call("mulligan_undo"))["result"]["content"][0]["text"]
            action = status.partition(":")[0]
            theirs = await other.call("mulligan_undo", {"action": action})
            unknown = await other.call("mulligan_undo", {"action": "f" * 32})
            undone = await client.call("mulligan_undo", {"action": action})
        await gateway.stop()

    assert wrong == "wrong"
    assert theirs["result"] == unknown["result"]
    assert theirs["result"]["isError"] is True
    assert "undone" in undone["result"]["content"][0]["text"]
    assert page.read_text() == "before"


async def test_why_an_undo_was_not_made_is_told_to_the_agent_that_asked_for_it(tmp_path, files):
    page = tmp_path / "files" / "a.txt"
    page.write_text("before")
    m = Mulligan(f"sqlite:///{tmp_path}/m.db")
    async with run_gateway(files, m=m, **declared(tmp_path, files)) as gateway:
        await gateway.start()
        async with connect(gateway) as client:
            await client.call("write_file", {"path": "a.txt", "content": "wrong"})
            page.write_text("a person's")
            asked = (await client.call("mulligan_undo"))["result"]["content"][0]["text"]
            undone = await client.call("mulligan_undo", {"action": asked.partition(":")[0]})
        await gateway.stop()

    assert page.read_text() == "a person's"
    assert "conflict. " in undone["result"]["content"][0]["text"]
    assert "Someone changed it since" in undone["result"]["content"][0]["text"]


async def test_a_declaration_of_a_tool_that_its_server_does_not_have_is_told(tmp_path, files):
    said = '[servers.files.tools.write_everything]\neffect = "irreversible"\n'
    async with run_gateway(files, **declared(tmp_path, files, said)) as gateway:
        await gateway.start()
        await gateway.stop()

    assert any("has no tool 'write_everything'" in each for each in gateway.reports)


async def test_an_undo_that_a_crash_left_open_is_taken_up_by_the_next_gateway(tmp_path, files):
    page = tmp_path / "files" / "a.txt"
    page.write_text("before")
    url = f"sqlite:///{tmp_path}/m.db"
    async with run_gateway(files, m=Mulligan(url), **declared(tmp_path, files)) as gateway:
        await gateway.start()
        async with connect(gateway) as client:
            await client.call("write_file", {"path": "a.txt", "content": "wrong"})
            said = (await client.call("mulligan_status"))["result"]["content"][0]["text"]
        await gateway.stop()

    # A person asks for it where nobody is there who could do it.
    action = said.partition(":")[0]
    with Mulligan(url, recover=False) as m:
        await asyncio.to_thread(m.insights.open_list.undo, action, by="ann")

    async with run_gateway(files, m=Mulligan(url), **declared(tmp_path, files)) as gateway:
        await gateway.start()
        settled = gateway.m.insights.open_list.find(action)
        await gateway.stop()

    assert settled.state is State.UNDONE
    assert page.read_text() == "before"


SLOW = """
import functools, pathlib, sys, time
from mcp.server import MCPServer
from tests.gateway.files import NAMES, FileTools

tools = FileTools(pathlib.Path(sys.argv[1]))
server = MCPServer("secure-filesystem-server")

@functools.wraps(tools.read_text_file)
def read_text_file(*given, **named):
    with open(sys.argv[2], "a") as reads:
        reads.write("read ")
    time.sleep(0.4)
    return tools.read_text_file(*given, **named)

for name in NAMES:
    server.add_tool(read_text_file if name == "read_text_file" else getattr(tools, name), name=name)
server.run("stdio")
"""


async def test_an_undo_that_goes_on_while_the_gateway_ends_is_brought_to_its_end(tmp_path, files):
    page, reads = Path(files.command[2]) / "a.txt", tmp_path / "reads"
    page.write_text("before")
    (tmp_path / "slow.py").write_text(SLOW)
    slow = {
        "command": sys.executable,
        "args": [str(tmp_path / "slow.py"), *map(str, (page.parent, reads))],
    }
    (tmp_path / "mcp.json").write_text(
        json.dumps({"mcpServers": {"files": {**slow, "env": dict(files.env)}}})
    )
    url = f"sqlite:///{tmp_path}/m.db"
    given = ["--store", url, "--declarations", str(write_declarations(tmp_path, SAID))]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mulligan", "gateway", str(tmp_path / "mcp.json"), *given],
        env={**kept, **files.env},
    )
    async with Client(stdio_client(command)) as client:
        await client.call_tool("write_file", {"path": "a.txt", "content": "wrong"})
        said = (await client.call_tool("mulligan_status", {})).content[0].text
        action = said.partition(":")[0]
        known = reads.read_text()
        with Mulligan(url, recover=False) as m:
            await asyncio.to_thread(m.insights.open_list.undo, action, by="ann")
        await wait_until(lambda: reads.read_text() != known)

    with Mulligan(url, recover=False) as m:
        assert m.insights.open_list.find(action).state is State.UNDONE
    assert page.read_text() == "before"


async def test_hints_of_a_server_count_only_where_it_is_trusted(tmp_path):
    from msgspec.structs import replace

    from tests.gateway.world import scripted

    for trusted, expected in ((False, "undeclared"), (True, "read")):
        server = replace(scripted(HINTED="1"), trusted=trusted)
        async with run_gateway(server) as gateway, connect(gateway) as client:
            await client.call("add", {"a": 1, "b": 2})
            await client.session.finish()
            known = {each.tool: each for each in gateway.m.insights.tools()}

        assert known["add"].effect == expected, json.dumps(str(known))


async def test_what_is_asked_at_a_failure_is_loaded_while_servers_start(files, monkeypatch):
    asked = threading.Event()
    monkeypatch.setattr(LATE, "load", asked.set)

    async with run_gateway(files, mode=Mode.SUGGEST) as gateway:
        await gateway.start()

    assert asked.wait(60)


async def test_a_declared_tool_is_known_with_its_schema_from_its_first_turn_on(tmp_path, files):
    m = Mulligan(f"sqlite:///{tmp_path}/m.db")
    async with run_gateway(files, m=m, **declared(tmp_path, files)) as gateway:
        await gateway.start()
        async with connect(gateway) as client:
            content = {"path": "a.txt", "content": "x"}
            await client.call("write_file", content, mulligan__turn="goes on")
            known = {each.tool: each for each in m.insights.tools()}
        await gateway.stop()

    assert {"path", "content"} <= set(known["write_file"].schema["properties"])


async def test_changed_declarations_count_for_the_next_call_and_one_under_way_ends_as_it_began(
    tmp_path,
):
    ledger = tmp_path / "ledger"
    server = scripted(LEDGER=str(ledger))

    def declare(**effects: str) -> GatewayOptions:
        tools = [f'[servers.one.tools.{name}]\neffect = "{e}"\n' for name, e in effects.items()]
        file = write_declarations(tmp_path, 'mode = "suggest"\n' + "".join(tools))
        return GatewayOptions(declarations=read_declarations(file, [server]), limits=QUICK)

    before = declare(write="irreversible", echo="irreversible", gone="irreversible")
    after = declare(add="irreversible", echo="read")
    async with run_gateway(server, m=Mulligan("memory:")) as gateway:
        gateway.change_options(before)
        await gateway.start()
        async with connect(gateway, can=()) as client:
            held = [await client.call(name, {"name": "x"}) for name in ("write", "echo")]
            await client.call("add", {"a": 1, "b": 2})
            calling = asyncio.ensure_future(client.call("elicit"))
            asked = await client.wait_for(lambda m: m.get("method") == "elicitation/create")
            gateway.change_options(after)
            settled = asyncio.ensure_future(gateway.settle_all())
            made = [await client.call(name, {"name": "y"}) for name in ("write", "echo")]
            now_held = await client.call("add", {"a": 1, "b": 2})
            await settled
            answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept"}}
            client.session.take_line(json.dumps(answer).encode())
            ended = await calling
            effects = {each.tool: each.effect for each in gateway.m.insights.tools()}
        await gateway.stop()

    assert [each["result"]["isError"] for each in held] == [True, True]
    assert [each["result"].get("isError", False) for each in made] == [False, False]
    assert "approve" in now_held["result"]["content"][0]["text"]
    assert "accept" in ended["result"]["content"][0]["text"]
    assert (effects["write"], effects["echo"]) == ("undeclared", "read")
    assert ledger.read_text().split().count("y") == 1
