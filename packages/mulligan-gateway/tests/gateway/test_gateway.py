"""What was done through the gateway is undone, by the shipped recipe, over MCP."""

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

import pytest

from mulligan import Mode, Mulligan
from mulligan.runtime.episodes import LATE
from mulligan.types.action import State
from mulligan_gateway.declarations import read_declarations
from mulligan_gateway.servers_file import Server
from tests.gateway.recorded_server import FILE_SERVER, write_declarations
from tests.gateway.world import connect, run_gateway

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
        # A person asks for it, and this process ends before anybody has done it.
        open_list = gateway.m.insights.open_list
        action = said.partition(":")[0]
        await asyncio.to_thread(open_list.undo, action, by="ann")
        await gateway.stop()

    async with run_gateway(files, m=Mulligan(url), **declared(tmp_path, files)) as gateway:
        await gateway.start()
        settled = gateway.m.insights.open_list.find(action)
        await gateway.stop()

    assert settled.state is State.UNDONE
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
