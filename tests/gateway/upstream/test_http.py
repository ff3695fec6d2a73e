import json
import sys

import pytest

from mulligan.gateway.servers_file import Server
from tests.gateway.serving.test_http import ANN, BOB, serve
from tests.gateway.test_command import SDK_SERVER
from tests.gateway.world import connect, run_gateway, scripted

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
}


async def test_a_server_over_http_is_called_listed_and_told_off_like_any_other():
    async with (
        serve(scripted()) as url,
        run_gateway(Server(name="far", url=url, headers=ANN)) as gateway,
        connect(gateway) as client,
    ):
        added = await client.call("add", {"a": 1, "b": 2})
        failed = await client.call("fail", {"why": "no"})
        refused = await client.call("refuse")
        await client.call("progress", {"steps": 2}, progressToken="mine")
        listed = await client.ask("tools/list")

    assert added["result"]["structuredContent"] == {"result": 3}
    assert failed["result"]["isError"] is True
    assert refused["error"]["code"] == -32050
    assert len(listed["result"]["tools"]) == 8
    told = [m["params"] for m in client.heard if m.get("method") == "notifications/progress"]
    assert [each["progressToken"] for each in told] == ["mine", "mine"]


async def test_a_server_may_ask_over_http_too():
    async with (
        serve(scripted()) as url,
        run_gateway(Server(name="far", url=url, headers=ANN)) as gateway,
        connect(gateway) as client,
    ):
        client.say("tools/call", {"name": "sample"}, key="c")
        asked = await client.wait_for(lambda m: m.get("method") == "sampling/createMessage")
        said = {"jsonrpc": "2.0", "id": asked["id"], "result": {"role": "assistant"}}
        client.session.take_line(json.dumps(said).encode())
        answer = await client.wait_for(lambda m: m.get("id") == "c")

    assert json.loads(answer["result"]["content"][0]["text"]) == {"role": "assistant"}


async def test_revisions_without_sessions_pass_with_their_headers(tmp_path):
    file = tmp_path / "sdk.py"
    file.write_text(SDK_SERVER)
    server = Server(name="sdk", command=(sys.executable, str(file)))
    async with (
        serve(server) as url,
        run_gateway(Server(name="far", url=url, headers=BOB)) as gateway,
        connect(gateway, greets=False) as client,
    ):
        found = await client.ask("server/discover", {"_meta": MODERN})
        params = {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": MODERN}
        added = await client.ask("tools/call", params)

    assert "2026-07-28" in found["result"]["supportedVersions"]
    assert added["result"]["structuredContent"] == {"result": 3}


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer nonsense"}])
async def test_one_that_does_not_let_us_in_is_told_and_nobody_hangs(headers):
    async with (
        serve(scripted()) as url,
        run_gateway(Server(name="far", url=url, headers=headers)) as gateway,
        connect(gateway, greets=False) as client,
    ):
        answer = await client.ask("initialize", {})

    assert "status 401" in answer["error"]["message"]


async def test_one_that_is_not_there_is_told_and_nobody_hangs():
    async with (
        run_gateway(Server(name="far", url="http://127.0.0.1:9/mcp")) as gateway,
        connect(gateway, greets=False) as client,
    ):
        answer = await client.ask("initialize", {})

    assert "has not answered" in answer["error"]["message"]
