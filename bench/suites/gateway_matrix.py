"""Servers and clients of every SDK and age through the gateway: what each client gets of each."""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.gateway.contenders import (
    build_environment,
    free_port,
    open_gateway,
    start_http,
    write_servers,
)
from bench.gateway.public_servers import install_npm
from bench.peers import ROOT, build_python
from bench.report import progress

Result = dict[str, Any]

SCRIPTS = ROOT / "bench" / "gateway" / "matrix"
OLD = "mcp==1.30.0"
FROM_NPM = ("@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/server@2.4.0", "zod@4")
WAYS = ("stdio", "http")
SERVERS = ("mcp1", "mcp2", "typescript", "newest")
"""The last one is on the TypeScript SDK, and serves no revision with a handshake."""
CLIENTS = ("mcp1", "mcp2", "typescript", "fastmcp")
OF_ITS_TIME = frozenset({"resultType", "ttlMs", "cacheScope", "_meta"})
"""What only some revisions say beside a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where the SDKs are, and whether the longest answers are asked for."""

    old: Path
    npm: Path
    sizes: Sequence[int]

    def write_server(self, name: str) -> list[str]:
        """The command of a server; with a port after it, over HTTP."""
        if name in ("typescript", "newest"):
            newest = ["--newest"] if name == "newest" else []
            return ["node", str(self.npm / "server.mjs"), *newest]
        python = self.old if name == "mcp1" else sys.executable
        return [str(python), str(SCRIPTS / "server.py")]

    def write_client(self, name: str) -> list[str]:
        """The command of a client, less what it is to do."""
        if name == "typescript":
            return ["node", str(self.npm / "client.mjs")]
        kinds = {"mcp1": "session", "mcp2": "sdk", "fastmcp": "fastmcp"}
        python = self.old if name == "mcp1" else sys.executable
        return [str(python), str(SCRIPTS / "client.py"), kinds[name]]

    def list_steps(self, prefix: str = "", memo: str = "memo") -> list[list[Any]]:
        """Every feature, by the names that a server's tools and resources have for a client."""
        named = {"name": "name", "value": "an"}
        calls: list[tuple[str, str, dict[str, object]]] = [
            ("call", "add", {"a": 1, "b": 2}),
            ("call", "add", {"a": "x", "b": 2}),
            ("call", "echo", {"text": "é\u2028\n\u0000😀"}),
            ("call", "echo", {"text": ""}),
            ("call", "fail", {"why": "no"}),
            ("call", "show", {}),
            ("call", "point", {}),
            ("call", "none", {}),
            ("progress", "count", {"steps": 3}),
            ("call", "note", {"text": "n"}),
            *(("call", name, {}) for name in ("ask", "sample", "roots")),
            *[("call", "weigh", dict[str, object](mib=size)) for size in self.sizes],
            ("prompt", "greet", {"name": "Ann"}),
            ("prompt", "greet", {}),
            ("prompt", "none", {}),
            ("complete", "greet", dict(named)),
        ]
        lists = ("tools", "resources", "resource_templates", "prompts")
        uris = (f"{memo}://fixed", f"{memo}://bytes", f"{memo}://of/ann", f"{memo}2://none")
        return [
            ["greeting"],
            *(["list", kind] for kind in lists),
            *([kind, f"{prefix}{name}", given] for kind, name, given in calls),
            *(["read", uri] for uri in uris),
            ["ping"],
        ]

    @contextmanager
    def serve(self, name: str, way: str, memo: str = "memo") -> Iterator[dict[str, Any]]:
        """A server, as a file of servers has it."""
        program, *arguments = self.write_server(name)
        if way == "stdio":
            yield {"command": program, "args": arguments, "env": {"MATRIX_MEMO": memo}}
            return
        port = free_port()
        command = [program, *arguments, str(port)]
        with start_http(command, port, MATRIX_MEMO=memo) as (url, _):
            yield {"url": url}

    def ask(self, client: str, target: dict[str, Any], steps: list[list[Any]]) -> list[Result]:
        """What a client gets at each step."""
        command = [*self.write_client(client), json.dumps(target), json.dumps(steps)]
        done = subprocess.run(
            command, env=build_environment(), capture_output=True, text=True, check=False
        )
        if done.returncode:
            last: str = (done.stderr.strip() or "nothing").rpartition("\n")[2]
            return [{"step": step, "gave": f"the client ended: {last}"} for step in steps]
        return list(json.loads(done.stdout))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--peers", type=Path, default=ROOT, metavar="DIR")
    parser.add_argument("--no-install", action="store_true", help="never install the SDKs")
    parser.add_argument("--short", action="store_true", help="one pair a client, short answers")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 5, 50], metavar="MIB")


def run(options: argparse.Namespace) -> Result:
    install = not options.no_install
    old = build_python(
        options.peers / ".venv-mcp1", (OLD,), wanted=OLD, name="An older SDK", install=install
    )
    npm = install_npm(options.peers / ".npm-matrix", *FROM_NPM, install=install).parent.parent
    for script in SCRIPTS.glob("*.mjs"):
        shutil.copy(script, npm)
    places = Places(old=old, npm=npm, sizes=[1] if options.short else options.sizes)
    rows: list[Result] = []
    cells = list(_list_cells(short=options.short))
    with tempfile.TemporaryDirectory(prefix="mulligan-matrix-") as folder, progress(8) as step:
        for names, client, way in cells:
            step(f"{' + '.join(names)}: {client} over {way}")
            rows += _compare(places, names, client, way, folder=Path(folder))
    differ = [row for row in rows if row["differs"]]
    return {
        "n": sum(row["steps"] for row in rows),
        "versions": {"old": OLD, "npm": " ".join(FROM_NPM)},
        "cells": len(cells),
        "different": sum(len(row["differs"]) for row in differ),
        "rows": rows,
    }


def _list_cells(*, short: bool) -> Iterator[tuple[tuple[str, ...], str, str]]:
    pairs = list(itertools.combinations(SERVERS, 2))
    if short:
        yield from ((("mcp1", "newest"), client, "stdio") for client in CLIENTS)
        return
    for client, way in itertools.product(CLIENTS, WAYS):
        yield from (((name,), client, way) for name in SERVERS)
        yield from ((pair, client, way) for pair in pairs)


def _compare(
    places: Places, names: tuple[str, ...], client: str, way: str, *, folder: Path
) -> list[Result]:
    """Hold what a client gets of each server behind one gateway against what the server gives."""
    old = client == "mcp1" or (len(names) > 1 and "mcp1" in names)
    mode = "legacy" if old else "auto"
    prefixes = [f"{name}_" if len(names) > 1 else "" for name in names]
    with ExitStack() as stack:
        # Of a pair, one is a process and one is at an address.
        found = {
            name: stack.enter_context(places.serve(name, way if at == 0 else "http", memo=name))
            for at, name in enumerate(names)
        }
        expected: list[tuple[bool, list[Result]]] = []
        for name in names:
            # Only the newest client can reach the newest server without us.
            reader, era = (client, mode) if not (old and name == "newest") else ("mcp2", "auto")
            target = _write_target(found[name]) | {"mode": era}
            steps = places.list_steps(memo=name)
            plain = (reader, era) != (client, mode)
            expected.append((plain, places.ask(reader, target, steps)))
        file = write_servers(folder, found)
        file.with_name("mcp.json.pins").unlink(missing_ok=True)
        gateway = open_gateway(file, folder / "matrix.db", way, "--no-tools")
        target = stack.enter_context(gateway) | {"mode": mode}
        rows = []
        for name, prefix, (plain, direct) in zip(names, prefixes, expected, strict=True):
            got = places.ask(client, target, places.list_steps(prefix, memo=name))
            wanted = [_normalize(each, "", name, plain=plain) for each in direct]
            seen = [_normalize(each, prefix, name, plain=plain) for each in got]
            differs = [
                {"step": step["step"], "direct": one, "gateway": other}
                for step, one, other in zip(direct, wanted, seen, strict=True)
                if one != other and not (len(names) > 1 and _is_ours(step["step"]))
            ]
            row = {"server": name, "beside": [n for n in names if n != name], "client": client}
            rows.append(row | {"way": way, "steps": len(direct), "differs": differs})
    return rows


def _write_target(server: dict[str, Any]) -> dict[str, Any]:
    if "url" in server:
        return {"url": server["url"]}
    environment = [f"{name}={value}" for name, value in server["env"].items()]
    return {"command": ["/usr/bin/env", *environment, server["command"], *server["args"]]}


def _normalize(said: Result, prefix: str, server: str, *, plain: bool) -> Any:
    """What a step gave, by the names that the server itself has for things.

    `plain`: two clients are compared, each of which has words of its own for what failed.
    """
    gave = _strip(said["gave"])
    if isinstance(gave, dict) and "raised" in gave and plain:
        gave = {"code": gave["code"]}
    if said["step"][0] == "list" and isinstance(gave, dict):
        kind, items = next((k, v) for k, v in gave.items() if isinstance(v, list))
        of = [each for each in items if _is_of(each, prefix, server)]
        named = kind in ("tools", "prompts")
        items = [
            each | {"name": each["name"].removeprefix(prefix)} if named else each for each in of
        ]
        gave = {kind: items}
    heard = sorted(map(json.dumps, said.get("heard", [])))
    return {"gave": gave, "heard": [] if plain else heard}


def _is_ours(step: list[Any]) -> bool:
    """Whether the gateway answers a step itself, where it has several servers."""
    return step[0] in ("greeting", "ping") or str(step[1]).endswith("2://none")


def _is_of(item: Result, prefix: str, server: str) -> bool:
    uri = item.get("uri") or item.get("uriTemplate")
    return str(uri).startswith(f"{server}:") if uri else item["name"].startswith(prefix)


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {k: _strip(v) for k, v in value.items() if k not in OF_ITS_TIME and v is not None}
        return {k: v for k, v in kept.items() if (k, v) != ("isError", False)}
    return [_strip(each) for each in value] if isinstance(value, list) else value


def failed(result: Result) -> str:
    """What differs between the gateway and a server itself; or nothing."""
    return f"{result['different']} steps differ." if result["different"] else ""
