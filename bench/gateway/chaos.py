"""A server that is killed, stopped and garbled while it is called, and what became of the calls."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.peers import ROOT
from mulligan import Effect, Mode, Mulligan, Repeat
from mulligan.codec import decode_json, encode_json
from mulligan_gateway.declarations import GatewayOptions
from mulligan_gateway.gateway import Gateway
from mulligan_gateway.party import Party
from mulligan_gateway.protocol import Limits
from mulligan_gateway.servers_file import Server

SCRIPT = ROOT / "packages/mulligan-gateway/tests/gateway/scripted_server.py"
LIMITS = Limits(answer=1.0, start=5.0, stop=0.2, backoff=0.01, rest=0.05)
LONGEST = 30.0
"""Seconds after which a caller counts as hung."""
FAULTS = ("kill", "stop", "garble", "die", "long", "none")


def _stay_silent(_: str) -> None:
    """What a gateway reports of dying servers is what is asked for here."""


class _Client:
    """Waits for each of its calls."""

    def __init__(self) -> None:
        self.waiting: dict[str, asyncio.Future[Any]] = {}
        self.session: Any = None

    def send(self, frame: bytes) -> None:
        read = decode_json(frame)
        waits = self.waiting.pop(read.get("id"), None) if "method" not in read else None
        if waits is not None and not waits.done():
            waits.set_result(read)

    async def call(self, key: str, tool: str, /, **arguments: object) -> Any:
        return await self.ask(key, "tools/call", {"name": tool, "arguments": arguments})

    async def ask(self, key: str, method: str, params: dict[str, Any]) -> Any:
        waits = self.waiting[key] = asyncio.get_running_loop().create_future()
        said = {"jsonrpc": "2.0", "id": key, "method": method, "params": params}
        self.session.take_line(encode_json(said))
        return await asyncio.wait_for(waits, LONGEST)


async def play(rounds: int, folder: Path, *, seed: int) -> dict[str, int]:
    """Let clients write while their server comes to harm; the server's own ledger is the truth."""
    chance, counts = random.Random(seed), Counter[str]()
    others = set(list_children())  # what the program around us has started
    ledger = folder / "ledger"
    server = Server(name="one", command=(sys.executable, str(SCRIPT)), env={"LEDGER": str(ledger)})
    async with Mulligan(f"sqlite:///{folder / 'chaos.db'}") as m:
        m.declare("add", server="one", effect=Effect.READ, repeat=Repeat.IDEMPOTENT)
        options = GatewayOptions(mode=Mode.AUTO, limits=LIMITS)
        gateway = Gateway(m, [server], options=options, report=_stay_silent)
        client = _Client()
        client.session = gateway.open_session(Party(client))
        try:
            await _greet(client)
            for number in range(rounds):
                await _play_round(client, number, chance, counts)
        finally:
            await client.session.close()
    written = Counter(ledger.read_text(encoding="utf-8").split())
    names = [name for name in written if name.startswith("w")]
    return {
        **counts,
        "duplicates": sum(written[name] - 1 for name in names),
        "written": len(names),
        "zombies": len(set(list_children()) - others),
    }


async def _greet(client: _Client) -> None:
    about = {"name": "chaos", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
    await client.ask("hello", "initialize", params)
    client.session.take_line(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')


async def _play_round(
    client: _Client, number: int, chance: random.Random, counts: Counter[str]
) -> None:
    fault = chance.choice(FAULTS)
    writes = [client.call(f"w{number}-{n}", "write", name=f"w{number}-{n}") for n in range(3)]
    calls = [asyncio.ensure_future(each) for each in writes]
    calls.append(asyncio.ensure_future(client.call(f"r{number}", "add", a=1, b=number)))
    if fault in ("die", "garble", "long"):
        calls.append(asyncio.ensure_future(client.call(f"f{number}", fault)))
    await asyncio.sleep(chance.choice((0, 0, 0.001, 0.005, 0.02)))
    _strike(client, fault)
    for answer in await asyncio.gather(*calls, return_exceptions=True):
        counts["calls"] += 1
        counts["hung"] += isinstance(answer, TimeoutError)
        failed = isinstance(answer, dict) and ("error" in answer or answer["result"].get("isError"))
        counts["failed"] += bool(failed)
    counts[fault] += 1


def _strike(client: _Client, fault: str) -> None:
    life = client.session.upstreams["one"]._life
    pid = life._process.get_pid() if life is not None and life._process is not None else None
    number = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}.get(fault)
    if pid and number:
        with suppress(ProcessLookupError):  # it has come to harm already
            os.kill(pid, number)


def list_children() -> list[int]:
    """Processes that we have started and that are still there, dead or alive."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, IndexError, ValueError):  # it ended while it was read
            pid, rest = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
            if int(rest[1]) == os.getpid():
                found.append(pid)
    return found
