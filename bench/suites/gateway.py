"""What a call costs through the gateway: beside no proxy, FastMCP's and mcp-proxy."""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import random
import statistics
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.gateway.contenders import (
    EVERYTHING,
    SERVER,
    TOKEN,
    Places,
    connect_http,
    connect_stdio,
    gateway_command,
    gateway_http,
    mcp_proxy_http,
    run_http,
    time_calls,
)
from bench.peers import ROOT, peer_python
from bench.report import Step, progress
from bench.rounds import digits

Result = dict[str, Any]

FASTMCP = ROOT / "bench" / "peers-fastmcp.txt"
MCP_PROXY = ROOT / "bench" / "peers-gateway.txt"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    rounds: int = 20
    calls: int = 50
    """In a block."""


QUICK = Plan(rounds=2, calls=5)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--peers", type=Path, default=ROOT, metavar="DIR", help="where their environments are made"
    )
    parser.add_argument("--no-install", action="store_true", help="never install the peers")
    parser.add_argument("--alone", action="store_true", help="without the peers")
    parser.add_argument("--rounds", type=int, metavar="N", help="of blocks; 20")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    parser.add_argument("--quick", action="store_true", help="seconds, not minutes; no figures")


def run(options: argparse.Namespace) -> Result:
    plan = QUICK if options.quick else Plan()
    if options.rounds:
        plan = replace(plan, rounds=options.rounds)
    install = not options.no_install
    fastmcp = proxy = None
    if not options.alone:
        fastmcp = peer_python(options.peers / ".venv-fastmcp", install=install, pins=FASTMCP)
        proxy = peer_python(options.peers / ".venv-mcp-proxy", install=install, pins=MCP_PROXY)
    with tempfile.TemporaryDirectory(prefix="mulligan-gateway-") as folder, progress(1) as step:
        places = Places(folder=Path(folder), fastmcp=fastmcp, mcp_proxy=proxy)
        found = asyncio.run(_measure(places, plan, random.Random(options.seed), step))
    result = {"n": plan.rounds * plan.calls, **_compare(found)}
    return {**result, "versions": _versions(places)}


async def _measure(
    places: Places, plan: Plan, chance: random.Random, step: Step
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    step("one after the other")
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(connect_stdio(*command))
            for name, command in _stdio_commands(places).items()
        }
        for name, (command, port) in _http_commands(places).items():
            url = stack.enter_context(run_http(command, port))
            token = TOKEN if name.startswith("http") else ""
            clients[name] = await stack.enter_async_context(connect_http(url, token))
        for number in range(-1, plan.rounds):
            for name in chance.sample(sorted(clients), k=len(clients)):
                took = await time_calls(clients[name], plan.calls)
                if number >= 0:
                    found.setdefault(name, []).extend(took)
    return found


def _stdio_commands(places: Places) -> dict[str, list[str]]:
    commands = {
        "direct": [sys.executable, str(SERVER)],
        "stdio": gateway_command(places, "stdio", *EVERYTHING),
        "observe": gateway_command(places, "observe"),
    }
    if places.fastmcp is not None:
        proxy = str(ROOT / "bench" / "gateway" / "fastmcp_proxy.py")
        commands["fastmcp"] = [str(places.fastmcp), proxy, sys.executable, str(SERVER)]
    return commands


def _http_commands(places: Places) -> dict[str, tuple[list[str], int]]:
    commands = {
        "http": gateway_http(places, "http", *EVERYTHING),
        "http_observe": gateway_http(places, "http-observe"),
    }
    if places.mcp_proxy is not None:
        commands["mcp_proxy"] = mcp_proxy_http(places)
    return commands


def _compare(found: dict[str, list[float]]) -> Result:
    p50 = {name: statistics.median(took) for name, took in found.items()}
    p99 = {name: _percentile(took, 0.99) for name, took in found.items()}

    def ratio(figures: dict[str, float], ours: str, theirs: str) -> float | None:
        there = ours in figures and theirs in figures
        return digits(figures[ours] / figures[theirs]) if there else None

    return {
        "direct_ratio_p50": ratio(p50, "stdio", "direct"),
        "stdio_ratio_p50": ratio(p50, "stdio", "fastmcp"),
        "stdio_ratio_p99": ratio(p99, "stdio", "fastmcp"),
        "http_ratio_p50": ratio(p50, "http", "mcp_proxy"),
        "http_ratio_p99": ratio(p99, "http", "mcp_proxy"),
        "direct_ms": digits(p50["direct"]),
        "observe": {
            "direct_ratio_p50": ratio(p50, "observe", "direct"),
            "stdio_ratio_p50": ratio(p50, "observe", "fastmcp"),
            "http_ratio_p50": ratio(p50, "http_observe", "mcp_proxy"),
        },
        "p50_ms": {name: digits(value) for name, value in p50.items()},
        "p99_ms": {name: digits(value) for name, value in p99.items()},
    }


def _percentile(took: list[float], share: float) -> float:
    return sorted(took)[min(len(took) - 1, int(len(took) * share))]


def _versions(places: Places) -> dict[str, str]:
    versions = {"mcp": importlib.metadata.version("mcp")}
    for python, name in ((places.fastmcp, "fastmcp"), (places.mcp_proxy, "mcp-proxy")):
        if python is not None:
            code = f"import importlib.metadata as m; print(m.version({name!r}))"
            done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
            versions[name] = done.stdout.strip()
    return versions
