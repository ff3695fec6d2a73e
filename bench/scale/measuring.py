"""What several processes carry at once on one store, and what they and its server spend on it."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.crash.processes import Gate, start_child
from bench.log_rows import build_rows
from bench.scale.application import declare_add, make_turns, open_application
from bench.scale.ledger import Ledger
from mulligan.stores.opening import open_store
from mulligan.types.log import Batch, roll_up

BATCH = 500
BUSY = 0.85
"""Of the machine's time: then it is the processor that limits."""
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A store, and its server's process if it has one of ours."""

    url: str
    folder: Path
    server: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What one process did."""

    count: int
    took_ms: Sequence[float] = ()
    """How long each took that waits for its own end."""


Work = Callable[[Place, int, Callable[[], None]], Done]
"""What one process does: told its number, and what to call when it is ready."""


def measure(place: Place, work: Work, *, processes: int) -> dict[str, Any]:
    """All processes begin at once; how many a second they did together."""
    gates = [Gate() for _ in range(processes)]
    children = [
        start_child(partial(_time, work, place, number, gate)) for number, gate in enumerate(gates)
    ]
    for gate in gates:
        gate.reached()
    before, began = _read_server_seconds(place.server), time.monotonic()
    for gate in gates:
        gate.open()
    said = [child().said for child in children]
    wall = time.monotonic() - began
    for gate in gates:
        gate.close()
    cores = os.cpu_count() or 1
    client = sum(float(each["cpu"]) for each in said) / wall / cores
    server = (_read_server_seconds(place.server) - before) / wall / cores
    done = sum(each["done"] for each in said)
    return {
        "processes": processes,
        "done": done,
        "per_second": round(done / wall, 1),
        **_summarise_waits([took for each in said for took in each["took_ms"]]),
        "client_cpu": round(client, 3),
        "server_cpu": round(server, 3),
        "limited_by": name_limit(client=client, server=server, share=min(1.0, processes / cores)),
    }


def name_limit(*, client: float, server: float, share: float = 1.0) -> str:
    """What there is none left of: our own time, the server's, or neither, so that it is waiting.

    All are shares of the machine; `share` is what the processes can use at most, a core each.
    """
    if client >= BUSY * share:
        return "processor, in the processes"
    if client + server < BUSY:
        return "waiting for commits and for each other"
    return "processor, in the processes" if client > server else "processor, in the server"


def _summarise_waits(took_ms: Sequence[float]) -> dict[str, float]:
    if not took_ms:
        return {}
    ordered = sorted(took_ms)
    return {f"p{share}_ms": round(compute_share(ordered, share / 100), 1) for share in (50, 99)}


def act(place: Place, number: int, ready: Callable[[], None], *, actions: int) -> Done:
    """Turns of one action each, from the message to the verdict."""
    logging.getLogger("mulligan").setLevel(logging.ERROR)
    took_ms: list[float] = []

    async def work() -> Done:
        async with open_application(place.url, recover=False) as m:
            add = declare_add(m, Ledger(path=place.folder / f"effects{number}"))
            await make_turns(m, add, worker=1_000 + number, turns=1)
            await asyncio.to_thread(ready)
            failed = await make_turns(m, add, worker=number, turns=actions, took_ms=took_ms)
            return Done(count=actions - failed.total(), took_ms=took_ms)

    return asyncio.run(work())


def log(place: Place, number: int, ready: Callable[[], None], *, rows: int) -> Done:
    """Rows in batches, with their roll-ups, as the log's own thread writes them."""
    store, made = open_store(place.url), build_rows(rows, seed=number)
    batches = [made[at : at + BATCH] for at in range(0, rows, BATCH)]
    ready()
    for batch in batches:
        store.log.write(Batch(rows=batch, rollups=roll_up(batch)))
    store.close()
    return Done(count=len(made))


def compute_share(sorted_values: Sequence[float], share: float) -> float:
    """The value that such a share of all is not above."""
    place = min(len(sorted_values) - 1, round(share * (len(sorted_values) - 1)))
    return sorted_values[place]


def _time(work: Work, place: Place, number: int, gate: Gate) -> dict[str, Any]:
    began = [0.0]

    def wait() -> None:
        gate.wait()
        began[0] = time.process_time()

    done = work(place, number, wait)
    spent = time.process_time() - began[0]
    return {"done": done.count, "took_ms": done.took_ms, "cpu": spent}


def _read_server_seconds(server: int | None) -> float:
    """What a server and its children have spent so far, those too that have ended."""
    if server is None:
        return 0.0
    spent = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        own, parent = stat.parent.name == str(server), fields[1] == str(server)
        if own or parent:
            # Of those that ended, the server itself has the sum.
            spent += sum(map(int, fields[11:13] if parent else fields[11:15]))
    return spent / TICKS
