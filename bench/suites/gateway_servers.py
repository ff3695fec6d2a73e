"""Public MCP servers through the gateway: what real clients get there and directly, and a day."""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import tempfile
from pathlib import Path
from typing import Any

from bench.gateway import lesson_story, story
from bench.gateway.contenders import open_gateway, write_servers
from bench.gateway.public_servers import (
    CLIENTS,
    FROM_NPM,
    Address,
    PublicServer,
    ask,
    install_npm,
    is_failure,
    list_servers,
)
from bench.peers import ROOT, peer_python
from bench.report import progress

Result = dict[str, Any]

PINS = ROOT / "bench" / "peers-servers.txt"
WAYS = ("stdio", "http")
"""How a client reaches the gateway."""
ONCE = ("approved_by_command", "approved_by_asking", "gateway_killed", "server_killed")
"""Parts of the day whose effect must have happened, and not twice."""
LEFT = ("settled", "needs_human", "unknown", "pending_review")
"""Where an action may be that was under way when something was killed: done with, or open."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--calls", type=int, default=30, metavar="N", help="a server, client, way")
    parser.add_argument("--mode", default="observe", choices=("observe", "suggest", "auto"))
    parser.add_argument("--only", default="", metavar="SERVER", help="this one alone; no story")
    parser.add_argument("--no-story", action="store_true", help="answers alone: nothing is killed")
    parser.add_argument("--peers", type=Path, default=ROOT, metavar="DIR")
    parser.add_argument("--no-install", action="store_true", help="never install the servers")


def run(options: argparse.Namespace) -> Result:
    install = not options.no_install
    python = peer_python(options.peers / ".venv-servers", install=install, pins=PINS)
    npm = install_npm(options.peers / ".npm-servers", *FROM_NPM, install=install)
    with tempfile.TemporaryDirectory(prefix="mulligan-servers-") as name, progress(8) as step:
        folder = Path(name)
        rows: list[Result] = []
        for server in list_servers(folder, python.parent, npm):
            if options.only in ("", server.name):
                step(server.name)
                rows += asyncio.run(_compare(folder, server, options))
        told: Result = {}
        if not options.only and not options.no_story:
            step("story")
            told = asyncio.run(_tell(folder, npm))
    return {
        "n": sum(row["n"] for row in rows),
        "different": sum(row["different"] for row in rows),
        "failed": sum(row["failed"] for row in rows),
        "rows": rows,
        "story": told,
        "versions": {each: importlib.metadata.version(each) for each in VERSIONS},
    }


VERSIONS = ("mcp", "fastmcp")


async def _compare(
    folder: Path, server: PublicServer, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Each client by each way, held against the same client without a gateway."""
    rows = []
    with server.run() as address:
        file = write_servers(folder, {server.name: address.write()}, f"{server.name}.json")
        for by in CLIENTS:
            direct = await ask(address, server.calls, count=options.calls, by=by)
            for way in WAYS:
                store = folder / f"{server.name}-{way}.db"
                with open_gateway(file, store, way, "--no-tools", "--mode", options.mode) as ours:
                    got = await ask(Address(**ours), server.calls, count=options.calls, by=by)
                pairs = list(zip(direct, got, strict=True))
                rows.append(
                    {
                        "server": server.name,
                        "client": by,
                        "way": way,
                        "n": options.calls,
                        "failed": sum(map(is_failure, direct[1:])),
                        "different": sum(a != b for a, b in pairs),
                        "example": next(([a[:200], b[:200]] for a, b in pairs if a != b), None),
                    }
                )
    return rows


async def _tell(folder: Path, npm: Path) -> Result:
    """A day before the server for files, and a mistake that is learned from."""
    day = folder / "day"
    (day / "home").mkdir(parents=True)
    stage = story.Stage.build(day, [str(npm / "mcp-server-filesystem"), str(day / "home")])
    told: Result = await story.play(stage)
    everything = [str(npm / "mcp-server-everything"), "stdio"]
    return told | await lesson_story.play(folder, everything)


def failed(result: Result) -> str:
    wrong = sorted({row["server"] for row in result["rows"] if row["different"]})
    said = [f"Not what the server itself answers: {', '.join(wrong)}."] if wrong else []
    told = result["story"]
    bad = [name for name, value in told.items() if value is False]
    bad += [name for name in ONCE if told and told[f"{name}_times"] != 1]
    bad += [name for name in told if name.endswith("_left") and told[name] not in LEFT]
    return " ".join(said + ([f"Not as it must be: {', '.join(bad)}."] if bad else []))
