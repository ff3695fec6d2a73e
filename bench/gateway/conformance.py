"""The protocol's own conformance suite, from npm, before a server and before the gateway."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.gateway.contenders import NOTHING, free_port, run_http, write_servers

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.11"
NODE = "node@22"
"""What the suite needs, where the machine's own may be older."""
SPECS = ("2025-11-25", "2026-07-28")
LONGEST = 1_800
OPEN = Path(__file__).with_name("open_gateway.py")
EVERYTHING = "examples/servers/everything-server"
"""The server that the official SDK is held against the suite with, in its sources."""

Checks = dict[str, str]
"""What each check of each scenario came to."""


def run_suite(programs: Path, url: str, spec: str) -> Checks:
    """Every check that a server has at one revision."""
    suite = programs.parent / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    with tempfile.TemporaryDirectory(prefix="mulligan-conformance-") as folder:
        subprocess.run(
            [
                str(programs / "node"),
                str(suite),
                "server",
                "--url",
                url,
                "--suite",
                "all",
                "--spec-version",
                spec,
                "--output-dir",
                folder,
            ],
            stdout=NOTHING,
            stderr=NOTHING,
            timeout=LONGEST,
            check=False,  # it ends with an error where a check failed, also directly
        )
        return read_checks(Path(folder))


def read_checks(folder: Path) -> Checks:
    """What the suite has written down, by scenario and check; several of one name are numbered."""
    found: Checks = {}
    for file in sorted(folder.glob("*/checks.json")):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$", "", file.parent.name)
        seen: dict[str, int] = {}
        for check in json.loads(file.read_text(encoding="utf-8")):
            if check["status"] == "INFO":
                continue
            number = seen[check["id"]] = seen.get(check["id"], 0) + 1
            name = f"{scenario}/{check['id']}" + (f" {number}" if number > 1 else "")
            found[name] = check["status"]
    return found


@contextmanager
def run_everything(sources: Path) -> Iterator[str]:
    """The SDK's own server over HTTP."""
    port = free_port()
    command = [sys.executable, "-c", _set_path(sources, f"main(['--port', '{port}'])")]
    with run_http(command, port) as url:
        yield url


def write_by_lines(sources: Path) -> dict[str, object]:
    """The same server over standard streams, as a file of servers has it."""
    return {"command": sys.executable, "args": ["-c", _set_path(sources, "mcp.run()")]}


def _set_path(sources: Path, then: str) -> str:
    start = f"import sys; sys.path.insert(0, {str(sources / EVERYTHING)!r}); "
    return f"{start}from mcp_everything_server.server import main, mcp; {then}"


@contextmanager
def run_open_gateway(folder: Path, server: dict[str, object]) -> Iterator[str]:
    """The gateway before one server, for a suite that has no place for a token."""
    port = free_port()
    file = write_servers(folder, {"everything": server}, f"{port_name(server)}.json")
    store = f"sqlite:///{file.with_suffix('.db')}"
    command = [sys.executable, str(OPEN), str(port), str(file), store]
    with run_http(command, port) as url:
        yield url


def port_name(server: dict[str, object]) -> str:
    """How a server is reached."""
    return "http" if "url" in server else "stdio"
