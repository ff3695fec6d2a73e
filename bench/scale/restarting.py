"""Workers under load while their Postgres server is killed and started again, over and over."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from bench.crash.pausing import was_written_by_the_dead
from bench.crash.processes import A_LONG_TIME, Child, start_child
from bench.crash.rows import Row, read_rows
from bench.scale.application import declare_add, make_turns, open_application
from bench.scale.ledger import Ledger
from mulligan.types.action import SETTLED, State
from mulligan_testing.postgres import PostgresServer, start_again

LEASE = 3.0
"""Seconds: longer than most restarts take, so that who waited for the server is not given up."""
LONG_EVERY, LONG_AWAY = 5, 1.2 * LEASE
"""One restart in so many lasts longer than a lease: then everybody gives everybody up."""
WRONG_EVERY = 10
PASSES = 8
LATER = timedelta(minutes=10)

STANDS = frozenset({State.EXECUTED, State.PENDING_REVIEW, State.VERIFIED, State.UNCHECKED})
NOTHING = frozenset({State.NOT_EXECUTED, State.UNDONE})
ASKED = frozenset({State.NEEDS_HUMAN, State.DISPUTED, State.CONFLICT, State.UNDO_FAILED})
"""States in which a person is shown it: nothing is lost, whatever is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What the workers are to do."""

    url: str
    folder: Path
    workers: int
    actions: int
    """Of each worker."""

    @property
    def ledger(self) -> Ledger:
        """The record of what really happened."""
        return Ledger(path=self.folder / "effects")


def run(
    server: PostgresServer, load: Load, *, restarts: int, most_seconds: float
) -> dict[str, Any]:
    """Kill the server so often while the workers work, evenly over their work; then count."""
    works = [partial(_work, load, number) for number in range(load.workers)]
    children = [start_child(work, timeout=A_LONG_TIME) for work in works]
    killed, away = _keep_killing(server, load, children, most=restarts, seconds=most_seconds)
    refused = sum((Counter[str](child().said) for child in children), Counter[str]())
    counted = dict(start_child(partial(_settle_and_count, load), timeout=A_LONG_TIME)().said)
    refusals = {"turns_refused": refused.total(), "refused_by": dict(refused)}
    return {"restarts": killed, "seconds_away": round(away, 1)} | refusals | counted


def _keep_killing(
    server: PostgresServer, load: Load, children: Sequence[Child], *, most: int, seconds: float
) -> tuple[int, float]:
    """How often it was killed, and for how long it was away in all."""
    deadline, killed, away = time.monotonic() + seconds, 0, 0.0
    total = load.workers * load.actions
    while any(_is_alive(child) for child in children) and killed < most:
        time.sleep(0.05)
        due = _count_lines(load.ledger.path) * (most + 1) >= total * (killed + 1)
        if not due and time.monotonic() < deadline:
            continue
        began = time.monotonic()
        _kill(server)
        if killed % LONG_EVERY == LONG_EVERY - 1:
            time.sleep(LONG_AWAY)
        start_again(server)
        killed, away = killed + 1, away + time.monotonic() - began
    return killed, away


def _kill(server: PostgresServer) -> None:
    """What `pg_ctl stop -m immediate` does: no goodbye, no checkpoint, recovery at the start."""
    assert server.process is not None
    server.process.send_signal(signal.SIGQUIT)
    server.process.wait(60)


def _is_alive(child: Child) -> bool:
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, child.pid, options) is None


def _count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def _work(load: Load, number: int) -> Counter[str]:
    logging.getLogger("mulligan").setLevel(logging.CRITICAL)

    async def work() -> Counter[str]:
        async with open_application(load.url, lease=LEASE) as m:
            add = declare_add(m, load.ledger)
            # Every tenth call is wrong, undone and made again: so many turns make the actions.
            turns = load.actions * WRONG_EVERY // (WRONG_EVERY + 1)
            return await make_turns(m, add, worker=number, turns=turns, wrong_every=WRONG_EVERY)

    return asyncio.run(work())


def _settle_and_count(load: Load) -> dict[str, Any]:
    """The last process: passes of recovery, hours later by its clock, then what is so."""
    logging.getLogger("mulligan").setLevel(logging.CRITICAL)
    passed = [timedelta()]

    async def settle() -> None:
        await asyncio.sleep(2 * LEASE)
        clock = lambda: datetime.now(UTC) + passed[0]  # noqa: E731
        async with open_application(load.url, recover=False, clock=clock) as m:
            declare_add(m, load.ledger)
            for _ in range(PASSES):
                if not await m.recover():
                    break
                passed[0] += LATER

    asyncio.run(settle())
    return count(read_rows(load.url), *load.ledger.count())


def count(rows: Sequence[Row], made: Counter[str], back: Counter[str]) -> dict[str, Any]:
    """What the journal says, held against what really happened, key by key."""
    known = {row.id: row for row in rows}
    lost = [f"{key} took effect, and is on no record" for key in made if key not in known]
    untrue = []
    for row in rows:
        stands = made[row.id] > back[row.id]
        if row.state in STANDS and not stands:
            lost.append(f"{row.id} is {row.state}, and nothing is there")
        if row.state in NOTHING and stands:
            untrue.append(f"{row.id} is {row.state}, and it stands")
    doubled = [f"{key} took effect {times} times" for key, times in made.items() if times > 1]
    doubled += [f"{key} was undone {times} times" for key, times in back.items() if times > 1]
    stale = [f"{row.id}: {row.writers}" for row in rows if was_written_by_the_dead(row)]
    open_ones = [row for row in rows if row.state not in SETTLED]
    forgotten = [f"{row.id} is {row.state}" for row in open_ones if row.state not in ASKED]
    examples = (lost, untrue, doubled, stale, forgotten)
    return {
        "actions": len(rows),
        "effects": sum(made.values()),
        "undone": sum(back.values()),
        "lost": len(lost),
        "untrue": len(untrue),
        "doubled": len(doubled),
        "stale_writes_accepted": len(stale),
        "forgotten": len(forgotten),
        "for_a_person": len(open_ones) - len(forgotten),
        "examples": [said for found in examples for said in found[:5]],
    }
