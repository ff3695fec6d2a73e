import asyncio
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastmcp import Client as FastClient
from fastmcp.client.transports import StreamableHttpTransport
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from msgspec.structs import replace

from mulligan_gateway.access import Access, Grant
from mulligan_gateway.http_server import GatewayApp
from mulligan_gateway.servers_file import Server
from tests.gateway.test_command import SDK_SERVER, use, use_directly
from tests.gateway.web import serve_app
from tests.gateway.world import INITIALIZE, QUICK, run_gateway, wait_until

pytestmark = pytest.mark.full

TOKENS = {"t" * 20: "ann", "u" * 20: "bob"}
ANN, BOB = ({"authorization": f"Bearer {token}"} for token in TOKENS)
SEES = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@asynccontextmanager
async def serve(*servers: Server, **options):
    async with run_gateway(*servers, **{"own_tools": False} | options) as gateway:
        app = GatewayApp(gateway, Access(tokens=TOKENS))
        async with serve_app(app, lifespan="on") as url:
            yield f"{url}/mcp"


@pytest.fixture
def sdk(tmp_path) -> Server:
    file = tmp_path / "sdk.py"
    file.write_text(SDK_SERVER)
    return Server(name="sdk", command=(sys.executable, str(file)))


@pytest.mark.usefixtures("patient_client")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_official_client_sees_over_http_what_it_sees_directly(sdk, mode):
    expected = await use_directly(Path(sdk.command[1]), mode)
    async with (
        serve(sdk) as url,
        create_mcp_http_client(headers=ANN) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        got = await use(client)

    assert got == expected


async def test_the_client_of_fastmcp_works_over_http_too(sdk):
    async with serve(sdk) as url, FastClient(StreamableHttpTransport(url, headers=ANN)) as client:
        answer = await client.call_tool("add", {"a": 1, "b": 2})

    assert answer.structured_content == {"result": 3}


def ask(method: str, params=None, key=1) -> str:
    message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
    return json.dumps(message if key is None else {**message, "id": key})


async def open_session(http: httpx.AsyncClient, url: str, who: dict) -> dict:
    said = await http.post(url, content=ask("initialize", INITIALIZE), headers={**SEES, **who})
    found = {**SEES, **who, "mcp-session-id": said.headers["mcp-session-id"]}
    await http.post(url, content=ask("notifications/initialized", key=None), headers=found)
    return found


async def test_only_who_has_a_token_and_asks_for_this_host_is_heard():
    async with serve() as url, httpx.AsyncClient() as http:

        async def try_with(**headers: str) -> int:
            given = {**SEES, **ANN, **headers}
            return (await http.post(url, content=ask("initialize"), headers=given)).status_code

        assert await try_with(authorization="") == 401
        assert await try_with(authorization="Bearer nonsense") == 401
        assert await try_with(host="evil.example") == 421
        assert await try_with(origin="https://evil.example") == 403
        assert await try_with(**{"content-type": "text/plain"}) == 415
        assert await try_with(origin="http://localhost:3000") == 200


async def test_anothers_session_is_as_unknown_as_none_at_all():
    async with serve() as url, httpx.AsyncClient() as http:
        anns = await open_session(http, url, ANN)
        stolen = {**anns, **BOB}
        said = [
            await http.post(url, content=ask("tools/list"), headers=stolen),
            await http.post(
                url, content=ask("tools/list"), headers={**stolen, "mcp-session-id": "none"}
            ),
            await http.get(url, headers=stolen),
            await http.delete(url, headers=stolen),
        ]
        fine = await http.post(url, content=ask("tools/list"), headers=anns)

    assert [each.status_code for each in said] == [404, 404, 404, 404]
    assert len({each.text for each in said}) == 1
    assert fine.status_code == 200


async def test_a_message_is_bounded_and_what_is_none_is_answered():
    async with serve() as url, httpx.AsyncClient() as http:
        headers = await open_session(http, url, ANN)
        long = await http.post(url, content=b"x" * 5_000_000, headers=headers)
        none = await http.post(url, content=b"[1]", headers=headers)
        ended = await http.delete(url, headers=headers)
        after = await http.post(url, content=ask("ping"), headers=headers)

    assert (long.status_code, none.status_code) == (413, 400)
    assert (ended.status_code, after.status_code) == (204, 404)


async def test_fifty_clients_at_once_are_never_mixed():
    async with serve() as url, httpx.AsyncClient(timeout=60) as http:

        async def work(number: int) -> list:
            headers = await open_session(http, url, ANN if number % 2 else BOB)
            calls = [
                http.post(
                    url,
                    content=ask("tools/call", {"name": "add", "arguments": {"a": number, "b": n}}),
                    headers=headers,
                )
                for n in range(3)
            ]
            said = [json.loads((await each).text) for each in calls]
            return [each["result"]["structuredContent"]["result"] for each in said]

        got = await asyncio.gather(*(work(number * 100) for number in range(50)))

    assert got == [[n * 100, n * 100 + 1, n * 100 + 2] for n in range(50)]


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
REPEATS = {**SEES, **ANN, "mcp-protocol-version": "2026-07-28"}


@pytest.mark.parametrize(
    ("method", "params", "headers", "status", "code"),
    [
        ("tools/list", {"_meta": MODERN}, {"mcp-method": "tools/list"}, 200, None),
        ("tools/list", {"_meta": MODERN}, {}, 400, -32020),
        ("tools/list", {"_meta": MODERN}, {"mcp-method": "tools/call"}, 400, -32020),
        ("tools/list", {}, {"mcp-method": "tools/list"}, 400, -32602),
        ("initialize", INITIALIZE, {"mcp-method": "initialize"}, 404, -32601),
        (
            "tools/call",
            {"name": "add", "_meta": MODERN},
            {"mcp-method": "tools/call"},
            400,
            -32020,
        ),
    ],
)
async def test_a_request_of_the_revision_without_sessions_says_the_same_in_its_headers(
    method, params, headers, status, code
):
    async with serve() as url, httpx.AsyncClient(timeout=60) as http:
        said = await http.post(url, content=ask(method, params), headers={**REPEATS, **headers})

    assert said.status_code == status
    assert said.json().get("error", {}).get("code") == code


async def test_an_argument_that_a_tool_wants_in_a_header_must_be_the_same_there(tmp_path):
    file = tmp_path / "sdk.py"
    file.write_text(
        "from typing import Annotated\n"
        "from pydantic import Field\n"
        "from mcp.server import MCPServer\n"
        "mcp = MCPServer('regions')\n"
        "Region = Field(json_schema_extra={'x-mcp-header': 'Region'})\n"
        "@mcp.tool()\n"
        "def book(region: Annotated[str, Region]) -> str:\n"
        "    return region\n"
        "mcp.run()\n"
    )
    server = Server(name="sdk", command=(sys.executable, str(file)))
    params = {"name": "book", "arguments": {"region": "eu"}, "_meta": MODERN}
    headers = {**REPEATS, "mcp-method": "tools/call", "mcp-name": "book"}
    async with serve(server) as near, httpx.AsyncClient(timeout=60) as http:
        far = Server(name="far", url=near, headers=BOB)
        async with serve(far) as url:
            body = ask("tools/call", params)
            right = {**headers, "mcp-param-region": "eu"}
            fine = await http.post(url, content=body, headers=right)
            missing = await http.post(url, content=body, headers=headers)
            other = {**headers, "mcp-param-region": "us"}
            wrong = await http.post(url, content=body, headers=other)

    assert fine.json()["result"]["content"][0]["text"] == "eu"
    assert (missing.status_code, wrong.status_code) == (400, 400)


async def test_a_platform_asks_whether_we_are_well_and_what_was_counted():
    grants = {"ann": Grant(metrics=True, per_minute=3, at_once=1), "bob": Grant()}
    async with run_gateway(own_tools=False) as gateway:
        app = GatewayApp(gateway, Access(tokens=TOKENS, grants=grants))
        async with serve_app(app, lifespan="on") as url, httpx.AsyncClient() as http:
            health = await http.get(f"{url}/health")
            session = await open_session(http, f"{url}/mcp", ANN)
            said = {"name": "add", "arguments": {"a": 1, "b": 2}}
            called = await http.post(f"{url}/mcp", content=ask("tools/call", said), headers=session)
            full = await http.post(f"{url}/mcp", content=ask("tools/list"), headers=session)
            ended = await http.delete(f"{url}/mcp", headers=session)
            counted = (await http.get(f"{url}/metrics", headers=ANN)).text
            hidden = [await http.get(f"{url}/metrics", headers=who) for who in (BOB, {})]

    assert (health.status_code, health.text) == (200, "ok\n")
    assert called.json()["result"]["structuredContent"] == {"result": 3}
    assert full.status_code == 429
    assert 0 < int(full.headers["retry-after"]) <= 60
    assert ended.status_code == 204
    assert [each.status_code for each in hidden] == [404, 401]
    lines = dict(line.rsplit(" ", 1) for line in counted.splitlines() if line[0] != "#")
    calls = 'client="ann",server="one",tool="add",outcome="succeeded"'
    assert lines[f"mulligan_gateway_calls_total{{{calls}}}"] == "1"
    assert lines['mulligan_gateway_requests_total{client="ann",status="429"}'] == "1"
    assert lines["mulligan_gateway_sessions"] == "0"
    sent = int(lines['mulligan_gateway_bytes_total{client="ann",direction="out"}'])
    assert sent >= len(called.content) + len(full.content)


async def test_the_api_takes_from_the_same_minute_as_mcp_and_is_counted_with_it():
    grants = {"ann": Grant(metrics=True, per_minute=3), "bob": Grant(bytes_per_minute=10)}
    asked = {"tool": "add", "error": "no"}
    async with run_gateway(own_tools=False) as gateway:
        app = GatewayApp(gateway, Access(tokens=TOKENS, grants=grants))
        async with serve_app(app, lifespan="on") as url, httpx.AsyncClient() as http:
            stranger = await http.get(f"{url}/v1/pitfalls")
            described = await http.get(f"{url}/v1/openapi.json")
            await open_session(http, f"{url}/mcp", ANN)
            taken = await http.post(f"{url}/v1/suggestions", json=asked, headers=ANN)
            over = [
                await http.get(f"{url}/v1/pitfalls", headers=ANN),
                await http.post(f"{url}/mcp", content=ask("ping"), headers={**SEES, **ANN}),
            ]
            first = await http.post(f"{url}/v1/suggestions", json=asked, headers=BOB)
            long = await http.get(f"{url}/v1/pitfalls", headers=BOB)
            counted = (await http.get(f"{url}/metrics", headers=ANN)).text

    said = (stranger, described, taken, *over, first, long)
    assert [each.status_code for each in said] == [401, 200, 200, 429, 429, 200, 429]
    assert stranger.json()["type"] == "urn:mulligan:problem:unauthorized"
    assert over[0].json()["type"] == "urn:mulligan:problem:too-many"
    assert 0 < int(over[0].headers["retry-after"]) <= 60
    lines = dict(line.rsplit(" ", 1) for line in counted.splitlines() if line[0] != "#")
    assert lines['mulligan_gateway_requests_total{client="bob",status="200"}'] == "1"
    assert lines['mulligan_gateway_requests_total{client="bob",status="429"}'] == "1"
    sent = len(first.request.content)
    assert lines['mulligan_gateway_bytes_total{client="bob",direction="in"}'] == str(sent)
    got = len(first.content) + len(long.content)
    assert lines['mulligan_gateway_bytes_total{client="bob",direction="out"}'] == str(got)


async def test_a_client_that_is_removed_hears_no_more_but_what_its_calls_under_way_come_to():
    call = ask("tools/call", {"name": "elicit", "arguments": {}})
    async with run_gateway(own_tools=False) as gateway:
        app = GatewayApp(gateway, Access(tokens=TOKENS))
        async with serve_app(app, lifespan="on") as url, httpx.AsyncClient(timeout=60) as http:
            anns, bobs = [await open_session(http, f"{url}/mcp", who) for who in (ANN, BOB)]
            found = app.clients.find(anns["mcp-session-id"], "ann")
            calling = asyncio.ensure_future(http.post(f"{url}/mcp", content=call, headers=anns))
            await wait_until(lambda: bool(found.session.client.asked))
            async with http.stream("GET", f"{url}/mcp", headers=anns) as listening:
                app.change_access(Access(tokens={"u" * 20: "bob"}))
                heard = await listening.aread()
            fine = await http.post(f"{url}/mcp", content=ask("tools/list"), headers=bobs)
            refused = await http.post(f"{url}/mcp", content=ask("ping"), headers=anns)
            (key,) = found.session.client.asked
            answer = {"jsonrpc": "2.0", "id": json.loads(key), "result": {"action": "accept"}}
            found.session.take_line(json.dumps(answer).encode())
            called = await calling
            await wait_until(lambda: found.session.closed)
            left = app.clients.count

    assert b"data:" not in heard
    assert (fine.status_code, refused.status_code) == (200, 401)
    assert "accept" in called.text
    assert left == 1


@pytest.mark.parametrize("in_session", [False, True])
async def test_a_client_that_is_removed_is_subscribed_to_nothing(in_session):
    meta = {} if in_session else {"_meta": MODERN}
    frame = ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}, **meta})
    async with run_gateway(own_tools=False, limits=replace(QUICK, answer=3_600.0)) as gateway:
        app = GatewayApp(gateway, Access(tokens=TOKENS))
        async with serve_app(app, lifespan="on") as url, httpx.AsyncClient(timeout=60) as http:
            headers = {**SEES, **ANN, "mcp-method": "subscriptions/listen"}
            headers["mcp-protocol-version"] = MODERN["io.modelcontextprotocol/protocolVersion"]
            if in_session:
                headers = await open_session(http, f"{url}/mcp", ANN)
            async with http.stream("POST", f"{url}/mcp", content=frame, headers=headers) as told:
                parts = told.aiter_bytes()
                heard = await anext(parts)
                name = headers.get("mcp-session-id")
                found = app.clients.find(name, "ann") if name else app.clients.share("ann")
                app.change_access(Access(tokens={"u" * 20: "bob"}))
                await wait_until(lambda: found.session.closed)
                rest = [part async for part in parts]

    assert b"notifications/subscriptions/acknowledged" in heard
    assert not any(b"data:" in part for part in rest)
