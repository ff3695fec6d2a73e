"""Public MCP servers through the gateway: what the official client gets there and directly."""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from bench.gateway.contenders import connect_stdio, gateway_command_for
from bench.missing import MissingError
from bench.peers import ROOT, peer_python
from bench.report import progress, table

Result = dict[str, Any]
Call = tuple[str, Mapping[str, object]]

PINS = ROOT / "bench" / "peers-servers.txt"
FROM_NPM = ("@modelcontextprotocol/server-filesystem", "@modelcontextprotocol/server-memory")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--calls", type=int, default=110, metavar="N", help="of each server")
    parser.add_argument("--mode", default="observe", choices=("observe", "suggest", "auto"))
    parser.add_argument("--peers", type=Path, default=ROOT, metavar="DIR")
    parser.add_argument("--no-install", action="store_true", help="never install the servers")


def run(options: argparse.Namespace) -> Result:
    install = not options.no_install
    python = peer_python(options.peers / ".venv-servers", install=install, pins=PINS)
    npm = _install_npm(options.peers / ".npm-servers", install=install)
    with tempfile.TemporaryDirectory(prefix="mulligan-servers-") as folder:
        servers = list_servers(Path(folder), python.parent, npm)
        with progress(len(servers)) as step:
            rows = []
            for name, (command, calls) in servers.items():
                step(name)
                found = _compare(Path(folder), name, command, calls=calls, options=options)
                rows.append({"server": name, **asyncio.run(found)})
    total = sum(row["n"] for row in rows)
    different = sum(row["different"] for row in rows)
    versions = {name: importlib.metadata.version(name) for name in ("mulligan", "mcp")}
    return {"n": total, "different": different, "rows": rows, "versions": versions}


def list_servers(folder: Path, pypi: Path, npm: Path) -> dict[str, tuple[list[str], list[Call]]]:
    """Each with its command, and calls that succeed and fail the same way every time."""
    home = folder / "home"
    home.mkdir()
    (home / "a.txt").write_text("hello", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", str(home)], check=True)
    file, repo = str(home / "a.txt"), {"repo_path": str(home)}
    zones = {"time": "10:00", "target_timezone": "Europe/Berlin"}
    return {
        "time": (
            [str(pypi / "mcp-server-time")],
            [
                ("convert_time", {"source_timezone": "UTC", **zones}),
                ("convert_time", {"source_timezone": "Nowhere", **zones}),
            ],
        ),
        "git": (
            [str(pypi / "mcp-server-git"), "--repository", str(home)],
            [("git_status", repo), ("git_show", {**repo, "revision": "nope"})],
        ),
        "sqlite": (
            [str(pypi / "mcp-server-sqlite"), "--db-path", str(folder / "x.sqlite")],
            [("list_tables", {}), ("read_query", {"query": "select 2.50 as b"})],
        ),
        "filesystem": (
            [str(npm / "mcp-server-filesystem"), str(home)],
            [("read_text_file", {"path": file}), ("read_text_file", {"path": "/etc/passwd"})],
        ),
        "memory": (
            [str(npm / "mcp-server-memory")],
            [("read_graph", {}), ("search_nodes", {"query": "x"}), ("open_nodes", {"names": 1})],
        ),
    }


async def _compare(
    folder: Path,
    name: str,
    command: Sequence[str],
    *,
    calls: Sequence[Call],
    options: argparse.Namespace,
) -> Result:
    file = folder / f"{name}.json"
    program, *arguments = command
    server = {"command": program, "args": arguments}
    file.touch(mode=0o600)
    file.write_text(json.dumps({"mcpServers": {name: server}}), encoding="utf-8")
    through = gateway_command_for(file, folder / f"{name}.db", "--no-tools", "--mode", options.mode)
    direct = await _ask(command, calls, options.calls)
    got = await _ask(through, calls, options.calls)
    pairs = list(zip(direct, got, strict=True))
    failed = sum(isinstance(each, str) or bool(each.get("is_error")) for each in direct[1:])
    return {"n": options.calls, "failed": failed, "different": sum(a != b for a, b in pairs)}


async def _ask(command: Sequence[str], calls: Sequence[Call], count: int) -> list[Any]:
    """The list of tools, and then what each call came to."""
    async with connect_stdio(*command) as client:
        found: list[Any] = [(await client.list_tools()).model_dump()]
        for number in range(count):
            name, arguments = calls[number % len(calls)]
            try:
                found.append((await client.call_tool(name, dict(arguments))).model_dump())
            except Exception as error:
                found.append(repr(error))
        return found


def _install_npm(folder: Path, *, install: bool) -> Path:
    programs = folder / "node_modules" / ".bin"
    if not programs.is_dir():
        if not install:
            raise MissingError(f"The servers of npm are not in {folder}: run without --no-install.")
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--prefix", str(folder), *FROM_NPM]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            raise MissingError("The servers of npm cannot be installed: npm says no.")
    return programs


def failed(result: Result) -> str:
    wrong = [row["server"] for row in result["rows"] if row["different"]]
    return f"Not what the server itself answers: {', '.join(wrong)}." if wrong else ""


def show(result: Result) -> RenderableType:
    rows = [[r["server"], r["n"], r["failed"], r["different"]] for r in result["rows"]]
    return table("Through the gateway and directly", ["", "calls", "failed", "different"], rows)
