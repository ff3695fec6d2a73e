"""Mutated frames through the gateway: nothing dies, and every request with an id is answered."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from typing import Any

from bench.gateway.fuzz import find_id, find_owed, mutate
from bench.peers import ROOT
from mulligan import Mulligan
from mulligan.codec import decode_json
from mulligan_gateway.declarations import GatewayOptions
from mulligan_gateway.gateway import Gateway
from mulligan_gateway.party import Party
from mulligan_gateway.protocol import Limits
from mulligan_gateway.servers_file import Server

Result = dict[str, Any]
SCRIPT = ROOT / "packages/mulligan-gateway/tests/gateway/scripted_server.py"
AT_ONCE = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--frames", type=int, default=100_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Result:
    found = asyncio.run(play(options.frames, seed=options.seed))
    return {"n": options.frames, **found}


class _Heard:
    """A client that only counts."""

    def __init__(self) -> None:
        self.answered: Counter[Any] = Counter()

    def send(self, frame: bytes) -> None:
        read = decode_json(frame)
        if "method" not in read:
            self.answered[_name(read["id"])] += 1


async def play(frames: int, *, seed: int) -> Result:
    """Send the frames to one session, and hold what comes back against what is owed."""
    client, crashes = _Heard(), 0
    owed, sent = Counter[Any](), Counter[Any]()
    server = Server(name="one", command=(sys.executable, str(SCRIPT)))
    limits = Limits(answer=30.0, stop=0.5)
    async with Mulligan("memory:") as m:
        gateway = Gateway(m, [server], options=GatewayOptions(limits=limits), report=len)
        session = gateway.open_session(Party(client))
        try:
            for number, line in enumerate(mutate(frames, seed=seed)):
                key = find_owed(line)
                if key is not None:
                    owed[_name(key)] += 1
                sent[_name(find_id(line))] += 1
                try:
                    session.take_line(line)
                except Exception as error:
                    crashes += 1
                    print(f"{error!r} of {line[:200]!r}", file=sys.stderr)
                if number % AT_ONCE == 0:
                    await _settle(client, owed)
            await _settle(client, owed, seconds=60.0)
            alive = await _is_alive(session, client)
        finally:
            await session.close()
    missing = owed - client.answered
    return {
        "crashes": crashes,
        "owed": owed.total(),
        "unanswered": missing.total(),
        "answered_twice": (client.answered - sent).total() - 1,
        "dropped": session.client.dropped,
        "alive": alive,
        "examples": [str(each) for each in list(missing)[:5]],
    }


async def _settle(client: _Heard, owed: Counter[Any], *, seconds: float = 5.0) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and (owed - client.answered):  # noqa: ASYNC110
        await asyncio.sleep(0.001)


async def _is_alive(session: Any, client: _Heard) -> bool:
    session.take_line(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
    await _settle(client, Counter({_name("last"): 1}), seconds=30.0)
    return client.answered[_name("last")] == 1


def _name(key: object) -> tuple[str, object]:
    return type(key).__name__, key


def failed(result: Result) -> str:
    wrong = {
        name: result[name] for name in ("crashes", "unanswered", "answered_twice") if result[name]
    }
    if not result["alive"]:
        wrong["alive"] = False
    return f"The gateway did not stand it: {wrong}." if wrong else ""
