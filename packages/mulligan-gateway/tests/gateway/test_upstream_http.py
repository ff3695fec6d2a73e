import json
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest
from msgspec.structs import replace

from mulligan_gateway.servers_file import Server
from tests.gateway.test_command import SDK_SERVER
from tests.gateway.test_serving_http import ANN, BOB, SEES, serve
from tests.gateway.world import QUICK, connect, run_gateway, scripted

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


@pytest.mark.full
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


@pytest.mark.full
async def test_one_that_is_not_there_is_told_and_nobody_hangs():
    async with (
        run_gateway(Server(name="far", url="http://127.0.0.1:9/mcp")) as gateway,
        connect(gateway, greets=False) as client,
    ):
        answer = await client.ask("initialize", {})

    assert "has not answered" in answer["error"]["message"]


async def test_what_is_told_during_a_request_reaches_who_asked_it_without_a_session():
    async with serve(scripted()) as url, httpx.AsyncClient(timeout=60) as http:
        params = {"name": "shout", "arguments": {}, "_meta": MODERN}
        frame = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {**SEES, **ANN, "mcp-protocol-version": "2026-07-28"}
        headers |= {"mcp-method": "tools/call", "mcp-name": "shout"}
        said = await http.post(url, content=json.dumps(frame), headers=headers)

    events = [json.loads(line[6:]) for line in said.text.splitlines() if line.startswith("data: ")]
    assert "notifications/message" in [each.get("method") for each in events]
    assert events[-1]["result"]["content"][0]["text"] == "shouted"


async def test_a_failed_call_can_be_asked_about_without_a_session_too():
    async with serve(scripted(), own_tools=True) as url, httpx.AsyncClient(timeout=60) as http:
        for name, given in (("fail", {"why": "no rain"}), ("mulligan_why", {})):
            params = {"name": name, "arguments": given, "_meta": MODERN}
            frame = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            headers = {**SEES, **ANN, "mcp-protocol-version": "2026-07-28"}
            headers |= {"mcp-method": "tools/call", "mcp-name": name}
            said = await http.post(url, content=json.dumps(frame), headers=headers)

    assert "no rain" in said.text


BREAKS = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Breaks(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, body, kind="application/json", status=200):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("mcp-session-id", "s")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if said["method"] == "initialize":
            able = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
            about = {"name": "breaks", "version": "1"}
            result = {**able, "serverInfo": about}
            self.answer(json.dumps({"jsonrpc": "2.0", "id": said["id"], "result": result}).encode())
        elif said["method"] == "tools/call":
            kept[b"e1"] = said["id"], said["params"]["name"]
            self.answer(b"id: e1\\nretry: 10\\ndata: \\n\\n", "text/event-stream")
        elif "id" in said:
            result = {"tools": []}
            self.answer(json.dumps({"jsonrpc": "2.0", "id": said["id"], "result": result}).encode())
        else:
            self.answer(b"", status=202)

    def do_GET(self):
        found = kept.get((self.headers["last-event-id"] or "").encode())
        if found is None:
            self.answer(b"", status=405)
            return
        key, name = found
        result = {"content": [{"type": "text", "text": "late" * (5_000 if name == "huge" else 1)}]}
        said = json.dumps({"result": result, "jsonrpc": "2.0", "id": key})
        self.answer(f"id: e2\\ndata: {said}\\n\\n".encode(), "text/event-stream")

    def log_message(self, *said):
        pass


kept = {}
server = ThreadingHTTPServer(("127.0.0.1", 0), Breaks)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@pytest.fixture
def breaking() -> Iterator[str]:
    """A server that breaks off every stream of a call, and keeps the answer for who comes back."""
    with subprocess.Popen([sys.executable, "-c", BREAKS], stdout=subprocess.PIPE, text=True) as far:
        yield f"http://127.0.0.1:{far.stdout.readline().strip()}/mcp"
        far.kill()


async def test_an_answer_whose_stream_broke_off_is_fetched_where_the_server_keeps_it(breaking):
    async with (
        run_gateway(Server(name="far", url=breaking)) as gateway,
        connect(gateway) as client,
    ):
        answer = await client.call("any")

    assert answer["result"]["content"][0]["text"] == "late"


async def test_an_event_that_is_too_long_ends_the_call_that_it_answers(breaking):
    async with (
        run_gateway(
            Server(name="far", url=breaking), limits=replace(QUICK, server_frame=8_000)
        ) as gateway,
        connect(gateway) as client,
    ):
        answer = await client.call("huge")

    assert "is longer than 8000 bytes" in json.dumps(answer)
