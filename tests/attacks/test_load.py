"""What an attacker cannot do with more of everything: sessions, connections, bytes, work."""

from __future__ import annotations

import asyncio
import gzip
import json
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastmcp import Client, FastMCP

from bench.gateway.contenders import free_port
from bench.gateway.crowd import play as play_crowd
from mulligan import Mulligan
from mulligan.app import web_server
from mulligan.learning.classify import classify_text
from mulligan.runtime import host_run
from mulligan.types.log import LogQuery
from mulligan_gateway import http_server
from mulligan_gateway.access import Access
from mulligan_gateway.api import ReportedTurns
from mulligan_gateway.api_messages import LogRequest, ReportedCall
from mulligan_gateway.http_server import GatewayApp, HttpClients
from mulligan_gateway.servers_file import Server
from tests.gateway.web import serve_app
from tests.gateway.world import INITIALIZE, connect, run_gateway, wait_until

pytestmark = pytest.mark.full

TOKENS = {"t" * 20: "ann", "u" * 20: "bob"}
SEES = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
ANN, BOB = ({**SEES, "authorization": f"Bearer {token}"} for token in TOKENS)
HALF_OPEN = 1_200
ROOT = Path(__file__).parents[2]
FAILED = {"tool": "find", "arguments": {"n": 1}, "error": {"message": "n must be at most 50"}}


def ask(method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


@asynccontextmanager
async def serve_gateway(**shares: Any) -> AsyncIterator[tuple[str, httpx.AsyncClient]]:
    """A gateway over HTTP, with sessions for a few."""
    async with run_gateway() as gateway:
        app = GatewayApp(gateway, Access(tokens=TOKENS))
        if shares:
            app.clients = HttpClients(gateway, **shares)
        async with serve_app(app, lifespan="on") as url, httpx.AsyncClient(timeout=60) as http:
            yield url, http


async def open_session(http: httpx.AsyncClient, url: str, who: dict[str, str]) -> httpx.Response:
    return await http.post(f"{url}/mcp", content=ask("initialize", INITIALIZE), headers=who)


async def test_one_principal_cannot_take_every_session():
    async with serve_gateway(most=4, most_of_one=2) as (url, http):
        own = [await open_session(http, url, ANN) for _ in range(3)]
        other = await open_session(http, url, BOB)

    assert [each.status_code for each in own] == [200, 200, 429]
    assert int(own[2].headers["retry-after"]) > 0
    assert other.status_code == 200


async def test_a_session_that_was_left_behind_makes_room_for_its_principal(monkeypatch):
    monkeypatch.setattr(http_server, "RECENT", 0.0)
    async with serve_gateway(most_of_one=1) as (url, http):
        first, second = [await open_session(http, url, ANN) for _ in range(2)]
        headers = ANN | {"mcp-session-id": first.headers["mcp-session-id"]}
        gone = await http.post(f"{url}/mcp", content=ask("ping", {}), headers=headers)

    assert second.status_code == 200
    assert gone.status_code == 404


async def test_servers_of_an_idle_session_end_though_nobody_else_comes():
    async with run_gateway() as gateway:
        clients = HttpClients(gateway, idle=0.1)
        name, _ = clients.open("ann")

        await wait_until(lambda: clients.find(name, "ann") is None)
        await clients.close()


async def test_hundreds_of_clients_of_one_principal_fail_nobody_else(tmp_path):
    found = await play_crowd(120, 20, tmp_path)

    assert found["other_failed"] == 0


@contextmanager
def start_server(*arguments: str, port: int) -> Iterator[str]:
    """A command that serves, with as many open files as a process has by default."""
    command = (
        "import resource, sys; from mulligan.cli.main import main; "
        "most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; "
        "resource.setrlimit(resource.RLIMIT_NOFILE, (1024, most)); sys.exit(main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", command, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


@contextmanager
def start_dashboard(folder: Path) -> Iterator[tuple[str, dict[str, str], int]]:
    port, store = free_port(), f"sqlite:///{folder / 'store.db'}"
    with Mulligan(store):
        pass
    given = ("dashboard", "--store", store, "--port", str(port), "--no-token")
    with start_server(*given, port=port) as url:
        yield f"{url}/", {}, 200


@contextmanager
def start_gateway(folder: Path) -> Iterator[tuple[str, dict[str, str], int]]:
    port, servers, tokens = free_port(), folder / "mcp.json", folder / "tokens"
    servers.write_text(json.dumps({"mcpServers": {"one": {"command": "true"}}}))
    tokens.touch(mode=0o600)
    tokens.write_text("ann " + "t" * 20)
    given = ("gateway", str(servers), "--http", str(port), "--token-file", str(tokens))
    with start_server(*given, "--store", "memory:", port=port) as url:
        yield f"{url}/v1/pitfalls?tool=find", ANN, 200


async def is_served(url: str, headers: dict[str, str]) -> int:
    """The status that somebody gets who comes anew; 0: none."""
    try:
        async with httpx.AsyncClient(timeout=60, follow_redirects=True) as http:
            return (await http.get(url, headers=headers)).status_code
    except httpx.HTTPError:
        return 0


@pytest.mark.parametrize("start", [start_dashboard, start_gateway])
async def test_connections_that_send_half_a_request_keep_nobody_out(start, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < HALF_OPEN + 500:
        pytest.skip("This machine does not let a process open so many sockets.")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, HALF_OPEN + 500), hard))
    with start(tmp_path) as (url, headers, status):
        async with asyncio.timeout(120):
            while await is_served(url, headers) != status:  # noqa: ASYNC110 - it has no event
                await asyncio.sleep(0.1)
        address = httpx.URL(url)
        half = []
        for _ in range(HALF_OPEN):
            _, writer = await asyncio.open_connection(address.host, address.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            half.append(writer)

        got = [await is_served(url, headers) for _ in range(20)]

        for writer in half:
            writer.transport.abort()
    assert got == [status] * 20


@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n",
    ],
)
async def test_a_request_that_never_comes_whole_cannot_hold_its_connection(half, monkeypatch):
    monkeypatch.setattr(web_server, "ARRIVAL", 0.2)

    async def read_all(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async with connect_to(read_all) as (_, reader, writer):
        writer.write(half)

        async with asyncio.timeout(60):
            await reader.read()


async def test_an_answer_that_nobody_reads_cannot_hold_its_connection(monkeypatch):
    monkeypatch.setattr(web_server, "UNREAD", 0.2)

    async def say_much(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(64):
            piece = {"type": "http.response.body", "body": bytes(2**20), "more_body": True}
            await send(piece)

    async with connect_to(say_much) as (server, reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readline()

        await wait_until(lambda: not server.server_state.connections)


@asynccontextmanager
async def connect_to(
    app: Any,
) -> AsyncIterator[tuple[uvicorn.Server, asyncio.StreamReader, asyncio.StreamWriter]]:
    port = free_port()
    server = uvicorn.Server(web_server.configure_server(app, port=port, lifespan="off"))
    running = asyncio.ensure_future(server.serve())
    await wait_until(lambda: server.started)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    yield server, reader, writer
    writer.close()
    server.should_exit = True
    await running


async def test_a_batch_of_failures_cannot_buy_more_advice_than_is_read():
    async with serve_gateway() as (url, http):
        body = {"executions": [FAILED] * 100}
        answer = await http.post(f"{url}/v1/executions", json=body, headers=BOB)

    advised = [bool(each["advice"]) for each in answer.json()["executions"]]
    assert answer.status_code == 201
    assert advised == [False] * 90 + [True] * 10


async def test_failures_beyond_the_last_ones_of_a_request_are_still_logged():
    async with run_gateway() as gateway:
        app = GatewayApp(gateway, Access(tokens=TOKENS))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            await http.post("/v1/executions", json={"executions": [FAILED] * 30}, headers=BOB)
        gateway.m.flush()

        rows = gateway.m.insights.log(LogQuery())

    assert [row.outcome for row in rows] == ["failure"] * 30


async def test_a_long_error_is_read_for_its_class_once_and_not_by_every_source_of_advice():
    classify_text.cache_clear()
    failed = {**FAILED, "error": {"message": "what came is odd, and why nobody says. " * 200}}
    async with serve_gateway() as (url, http):
        await http.post(f"{url}/v1/executions", json={"executions": [failed]}, headers=BOB)

    assert classify_text.cache_info().misses == 1


async def test_requests_of_one_principal_cannot_queue_without_end_before_another():
    body = {"executions": [FAILED]}
    async with serve_gateway() as (url, http):
        crowd = [
            asyncio.ensure_future(http.post(f"{url}/v1/executions", json=body, headers=ANN))
            for _ in range(90)
        ]
        async with httpx.AsyncClient(timeout=60) as apart:
            other = await apart.get(f"{url}/v1/pitfalls?tool=find", headers=BOB)
        own = await asyncio.gather(*crowd)

    assert other.status_code == 200
    assert {each.status_code for each in own} == {201, 429}
    assert all("retry-after" in each.headers for each in own if each.status_code == 429)


@pytest.mark.parametrize("tokens", ["9" * 5_000, "٣", "²", "0", "-1", "4001", "1.5", "x"])
async def test_a_number_of_any_length_in_an_address_is_refused_as_such(tokens):
    async with serve_gateway() as (url, http):
        answer = await http.get(f"{url}/v1/pitfalls", params={"tokens": tokens}, headers=ANN)

    assert answer.status_code == 400


async def test_a_server_cannot_unpack_itself_into_the_gateways_memory():
    asked: list[str] = []

    async def bomb(scope: Any, receive: Any, send: Any) -> None:
        asked.append(dict(scope["headers"]).get(b"accept-encoding", b"").decode())
        packed = gzip.compress(b" " * 3_000_000 + b'{"jsonrpc":"2.0","id":1,"result":{}}')
        headers = [(b"content-type", b"application/json"), (b"content-encoding", b"gzip")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": packed})

    async with (
        serve_app(bomb) as url,
        run_gateway(Server(name="one", url=url)) as gateway,
        connect(gateway, greets=False) as client,
    ):
        answer = await client.ask("initialize", INITIALIZE)

    assert "compressed" in json.dumps(answer)
    assert set(asked) == {"identity"}


async def test_a_turn_that_a_client_of_the_api_never_ends_is_ended(monkeypatch):
    monkeypatch.setattr(host_run, "MOST_CALLS", 3)
    body = {"turn": "mine", "executions": [{"tool": "find", "result": 1}]}
    async with serve_gateway() as (url, http):
        turns = [
            (await http.post(f"{url}/v1/executions", json=body, headers=ANN)).json()["turn"]
            for _ in range(5)
        ]

    assert turns == [turns[0]] * 3 + [turns[3]] * 2
    assert turns[0] != turns[3]


async def test_a_turn_that_a_client_of_the_gateway_never_ends_is_ended(monkeypatch):
    monkeypatch.setattr(host_run, "MOST_CALLS", 3)
    async with run_gateway() as gateway, connect(gateway) as client:
        for number in range(5):
            await client.call("add", {"a": 1, "b": number}, mulligan__turn="mine")
        gateway.m.flush()

        rows = gateway.m.insights.log(LogQuery(oldest_first=True))

    turns = [row.turn for row in rows]
    assert turns == [turns[0]] * 3 + [turns[3]] * 2
    assert turns[0] != turns[3]


async def test_a_turn_that_a_client_of_fastmcp_never_ends_is_ended(monkeypatch):
    monkeypatch.setattr(host_run, "MOST_CALLS", 3)
    server = FastMCP("office")

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    async with Mulligan("memory:") as m:
        server.add_middleware(m.for_fastmcp())
        async with Client(server) as client:
            for number in range(5):
                meta = {"mulligan/turn": "mine"}
                await client.call_tool("add", {"a": 1, "b": number}, meta=meta)
        m.flush()

        rows = m.insights.log(LogQuery(oldest_first=True))

    turns = [row.turn for row in rows]
    assert turns == [turns[0]] * 3 + [turns[3]] * 2
    assert turns[0] != turns[3]


async def test_no_call_of_a_client_ends_a_full_turn_of_the_api_under_another(monkeypatch):
    monkeypatch.setattr(host_run, "MOST_CALLS", 1)
    call = ReportedCall(tool="find", result="x")
    said = LogRequest(turn="mine", executions=[call])
    async with Mulligan("memory:") as m:
        turns = ReportedTurns(m._build_host({}))
        async with turns.enter(said, principal="ann") as run:
            await turns.log(run, [call])
            async with turns.enter(said, principal="ann") as other:
                await turns.log(other, [call])
            over = run.turn.over

    assert not over
    assert run.turn.over


async def test_no_call_of_a_client_ends_a_full_turn_of_the_gateway_under_another(monkeypatch):
    monkeypatch.setattr(host_run, "MOST_CALLS", 2)
    async with run_gateway() as gateway, connect(gateway) as client:
        await client.call("add", {"a": 1, "b": 2}, mulligan__turn="mine")
        run = client.session.ends.turns["mine"].run
        slow = asyncio.create_task(client.call("sample", mulligan__turn="mine"))
        asked = await client.wait_for(lambda m: m.get("method") == "sampling/createMessage")
        await client.call("add", {"a": 1, "b": 2}, mulligan__turn="mine")
        over = run.turn.over
        client.session.take_line(json.dumps({"id": asked["id"], "result": {}}).encode())
        await slow
        await client.session.finish()

    assert not over
    assert run.turn.over


async def test_no_call_of_a_client_ends_a_full_turn_of_fastmcp_under_another(monkeypatch):
    monkeypatch.setattr(host_run, "MOST_CALLS", 2)
    server, begun, enough = FastMCP("office"), asyncio.Event(), asyncio.Event()

    @server.tool
    async def wait() -> None:
        begun.set()
        await enough.wait()

    @server.tool
    def look() -> None: ...

    mine = {"mulligan/turn": "mine"}
    async with Mulligan("memory:") as m:
        reviewed = m.for_fastmcp()
        server.add_middleware(reviewed)
        async with Client(server) as client:
            await client.call_tool("look", meta=mine)
            ((_, turn),) = reviewed.turns.items()
            slow = asyncio.create_task(client.call_tool("wait", meta=mine))
            await begun.wait()
            await client.call_tool("look", meta=mine)
            over = turn.run.turn.over
            enough.set()
            await slow

    assert not over
    assert turn.run.turn.over


async def test_of_two_calls_that_fail_at_once_both_turns_end(monkeypatch):
    ended, leave = [], host_run.Run.leave

    async def note(run: host_run.Run, **how: bool) -> None:
        ended.append(run.id)
        await leave(run, **how)

    monkeypatch.setattr(host_run.Run, "leave", note)
    async with run_gateway() as gateway, connect(gateway) as client:
        await asyncio.gather(*(client.call("fail", {"why": f"404: {n}"}) for n in range(2)))
        await client.session.finish()

    assert len(set(ended)) == len(ended) == 2
