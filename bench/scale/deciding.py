"""A decision's way: approved in one process, carried out by a worker in another."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from functools import partial
from pathlib import Path
from typing import Any

from bench.crash.processes import start_child
from bench.scale.measuring import Place, compute_share
from mulligan import Effect, Mulligan
from mulligan.app.application import build_worker
from mulligan.settings import Memory

LONGEST = 30.0
"""Seconds after which a decision counts as not carried out."""


def measure_decisions(place: Place, *, decisions: int, seed: int = 1) -> dict[str, Any]:
    """Milliseconds from the word to the effect, one after the other, at times of chance."""
    over = place.folder / "decided"
    worker = start_child(partial(_work, place, over))
    said = start_child(partial(_decide_all, place, decisions, seed))().said
    over.touch()
    worker()
    took = sorted(each for each in said if each is not None)
    return {
        "decisions": len(said),
        "not_carried_out": len(said) - len(took),
        "p50_ms": round(compute_share(took, 0.5), 1) if took else None,
        "p99_ms": round(compute_share(took, 0.99), 1) if took else None,
    }


def _open(place: Place) -> Mulligan:
    logging.getLogger("mulligan").setLevel(logging.ERROR)
    m = Mulligan(place.url, recover=False, memory=Memory(on=False))

    @m.tool(effect=Effect.IRREVERSIBLE)
    async def send(to: str) -> str:
        """Send something that cannot be undone."""
        # The clock is the same for all processes of a machine.
        (place.folder / f"sent {to}").write_text(str(time.monotonic()))
        return "sent"

    m.send = send  # type: ignore[attr-defined]
    return m


def _work(place: Place, over: Path) -> None:
    async def work() -> None:
        m, stop = _open(place), asyncio.Event()
        running = asyncio.create_task(build_worker(m).run(stop))
        await asyncio.to_thread(_wait_for, over)
        stop.set()
        await running
        m.close()

    asyncio.run(work())


def _wait_for(path: Path) -> None:
    while not path.exists():
        time.sleep(0.05)


def _decide_all(place: Place, decisions: int, seed: int) -> list[float | None]:
    chance, m = random.Random(seed), _open(place)
    time.sleep(2.0)  # the worker is up by then
    took = [_decide(m, place, str(number), chance) for number in range(decisions)]
    m.close()
    return took


def _decide(m: Mulligan, place: Place, name: str, chance: random.Random) -> float | None:
    done = m.act_sync("Send it", lambda _: m.send(to=name))  # type: ignore[attr-defined]
    time.sleep(chance.uniform(0.0, 0.5))
    m.insights.open_list.approve(done.open_actions[0], by="somebody")
    began, sent = time.monotonic(), place.folder / f"sent {name}"
    while time.monotonic() - began < LONGEST:
        if sent.exists() and (text := sent.read_text()):
            return max(0.0, float(text) - began) * 1_000
        time.sleep(0.002)
    return None
