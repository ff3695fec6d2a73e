"""Hundreds of clients of one principal beside one of another: what the other one gets.

As a program it is the crowd: `python -m bench.gateway.crowd URL TOKEN CLIENTS`, until it is ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from bench.gateway.contenders import (
    build_environment,
    free_port,
    gateway_command_for,
    start_http,
    write_files,
    write_servers,
)
from bench.peers import ROOT

SCRIPT = ROOT / "packages/mulligan-gateway/tests/gateway/scripted_server.py"
CROWD, OTHER = "crowd-" + "c" * 20, "other-" + "o" * 20
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "crowd", "version": "1"},
}
PATIENT = httpx.Timeout(120.0)


async def play(clients: int, calls: int, folder: Path) -> dict[str, Any]:
    """Time calls of one client alone, and again beside so many of another principal."""
    port = free_port()
    servers = write_servers(folder, {"one": {"command": sys.executable, "args": [str(SCRIPT)]}})
    write_files(folder, {"tokens": f"crowd {CROWD}\nother {OTHER}\n"})
    served = ("--http", str(port), "--token-file", str(folder / "tokens"))
    command = gateway_command_for(servers, folder / "crowd.db", *served)
    with start_http(command, port) as (url, _):
        async with connect(url, OTHER) as (http, headers):
            await time_calls(http, url, headers, calls=20)
            alone, _ = await time_calls(http, url, headers, calls=calls)
            asked = [sys.executable, "-m", "bench.gateway.crowd", url, CROWD, str(clients)]
            with subprocess.Popen(  # noqa: ASYNC220 - nothing else goes on here
                asked, cwd=ROOT, env=build_environment(), stdout=subprocess.PIPE, text=True
            ) as crowd:
                try:
                    # It says so once every client has had an answer.
                    await asyncio.to_thread(crowd.stdout.readline)  # type: ignore[union-attr]
                    beside, failed = await time_calls(http, url, headers, calls=calls)
                    async with connect(url, OTHER):
                        pass  # a second session of theirs is there for them, too
                finally:
                    crowd.kill()
    return {
        "clients": clients,
        "other_calls": calls,
        "other_failed": failed,
        **{f"alone_{name}": value for name, value in summarize(alone).items()},
        **{f"beside_{name}": value for name, value in summarize(beside).items()},
    }


def summarize(took: list[float]) -> dict[str, float]:
    """Milliseconds."""
    cut = statistics.quantiles(took, n=100, method="inclusive")
    return {"p50": round(cut[49], 2), "p99": round(cut[98], 2)}


@asynccontextmanager
async def connect(
    url: str, token: str
) -> AsyncIterator[tuple[httpx.AsyncClient, Mapping[str, str]]]:
    """A client with a session."""
    async with httpx.AsyncClient(timeout=PATIENT) as http:
        headers = build_headers(token)
        opened = await http.post(url, content=ask("initialize", INITIALIZE), headers=headers)
        opened.raise_for_status()
        yield http, headers | {"mcp-session-id": opened.headers["mcp-session-id"]}


async def time_calls(
    http: httpx.AsyncClient, url: str, headers: Mapping[str, str], *, calls: int
) -> tuple[list[float], int]:
    """How long each call took, and how many were not answered."""
    took, failed = [], 0
    for number in range(calls):
        began = time.perf_counter()
        answer = await http.post(url, content=call_add(number), headers=headers)
        took.append((time.perf_counter() - began) * 1e3)
        failed += answer.status_code != 200 or answer.json().get("result", {}).get("isError", False)
    return took, failed


def build_headers(token: str) -> dict[str, str]:
    return {
        "authorization": f"Bearer {token}",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
    }


def ask(method: str, params: Mapping[str, Any], *, key: int = 1) -> bytes:
    said = {"jsonrpc": "2.0", "id": key, "method": method, "params": params}
    return json.dumps(said).encode()


def call_add(number: int) -> bytes:
    params = {"name": "add", "arguments": {"a": number, "b": 1}}
    return ask("tools/call", params, key=number + 2)


async def crowd(url: str, token: str, clients: int) -> None:
    """So many clients, each with a connection of its own, that ask and ask and wait for nothing."""
    heard = [asyncio.Event() for _ in range(clients)]
    async with httpx.AsyncClient(
        timeout=PATIENT, limits=httpx.Limits(max_connections=None)
    ) as http:
        asking = [asyncio.ensure_future(press(http, url, token, heard=each)) for each in heard]
        await asyncio.gather(*(each.wait() for each in heard))
        print("all here", flush=True)
        await asyncio.gather(*asking)


async def press(http: httpx.AsyncClient, url: str, token: str, *, heard: asyncio.Event) -> None:
    headers, number = build_headers(token), 0
    while True:
        number += 1
        opens = "mcp-session-id" not in headers
        said = ask("initialize", INITIALIZE) if opens else call_add(number)
        try:
            answer = await http.post(url, content=said, headers=headers)
        except httpx.HTTPError:
            continue
        heard.set()
        if opens and answer.status_code == 200:
            headers["mcp-session-id"] = answer.headers["mcp-session-id"]


if __name__ == "__main__":
    os.nice(19)  # elsewhere the crowd has machines of its own
    asyncio.run(crowd(sys.argv[1], sys.argv[2], int(sys.argv[3])))
