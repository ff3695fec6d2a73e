"""Workers on hosts of their own that are paused in the middle of their work, clocks jumping."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from bench.crash import hosts
from bench.crash.application import LATER
from bench.crash.calendar import Calendar
from bench.crash.counting import Broken, account, say_what_is_so, trace
from bench.crash.phases import NO_WAITING
from bench.crash.processes import Child, ChildError, in_child, start_child
from bench.crash.rows import Row, read_rows
from mulligan import Mulligan
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.finding import Finding, Severity
from mulligan_testing.faults import Deed, Faults, Strike, let_go_on
from mulligan_testing.remote import FakeRemote, Fault

LEASE = timedelta(milliseconds=400)
LANDS_WITHIN = timedelta(milliseconds=200)
AN_HOUR = timedelta(hours=1)
TICK = 0.01
DAY = "2026-11-20"
FAULTS = (Fault.NONE,) * 8 + (Fault.LOST_AFTER, Fault.DOWN_AFTER)
PASSES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the workers meet: one store, one remote, and a note that says when to stop."""

    url: str
    folder: Path

    @property
    def remote(self) -> FakeRemote:
        """The remote of all of them."""
        return FakeRemote(self.folder / "remote")

    @property
    def over(self) -> Path:
        """There once nobody need begin another turn."""
        return self.folder / "over"


class Wall:
    """A clock on the wall that somebody sets forward or back now and then."""

    def __init__(self) -> None:
        self._off = timedelta()

    def __call__(self) -> datetime:
        """What it shows."""
        return datetime.now(UTC) + self._off

    def jump(self, chance: random.Random) -> None:
        """Set it, to within an hour."""
        self._off = AN_HOUR * chance.choice((-1, 0, 1))


def reject_marked(attempted: Attempted) -> Iterator[Finding]:
    """A check that is against whatever is marked so."""
    marks = [str(each.call.arguments.get("mark", "")) for each in attempted.executions]
    if any(mark.endswith("wrong") for mark in marks):
        yield Finding(rule="pauses.wrong", severity=Severity.ERROR, issue="It was wrong.")


@dataclass(slots=True, kw_only=True)
class Worker:
    """One process that makes turns and recovers what others left, until it is over."""

    place: Place
    number: int
    chance: random.Random
    turns: int = 0

    async def run(self) -> int:
        """Work, also after having been given up for dead. How many turns were begun."""
        logging.getLogger("mulligan").setLevel(logging.CRITICAL)
        hosts.stand_on(f"host {self.number}")
        while not self.place.over.exists():
            # One that was given up for dead finds its number spent: it begins anew.
            with suppress(Exception):
                await self._live()
        return self.turns

    async def _live(self) -> None:
        wall, remote = Wall(), self.place.remote
        async with open_application(self.place, wall) as m:
            calendar = Calendar(m=m, remote=remote, midway=_pass_by, lands_within=LANDS_WITHIN)
            tools = calendar.tools(["create", "move"])
            while not self.place.over.exists():
                wall.jump(self.chance)
                remote.plan(*self.chance.choices(FAULTS, k=3), by="agent")
                await self._make_turn(m, tools)
                await m.recover()

    async def _make_turn(self, m: Mulligan, tools: dict[str, Any]) -> None:
        self.turns += 1
        said = self.chance.choice(("right", "right", "wrong"))
        strikes = [Strike(deed=Deed.PAUSE, hit=self.chance.randint(1, 16))]

        async def agent(turn: OpenTurn) -> str:
            mark = f"w{self.number}t{self.turns}a{turn.attempt.number}"
            with suppress(Exception):  # its result is on the ledger and in the journal
                await tools["create"](day=DAY, mark=f"{mark}c1 {said}")
            with suppress(Exception):  # as above
                event = f"e{self.number}"
                await tools["move"](event_id=event, day=DAY, mark=f"{mark}c2 {said}")
            return "Done."

        with Faults(*(strikes if self.chance.random() < 0.3 else ())):
            await m.act("Plan the week", agent, timezone="UTC")


async def _pass_by(point: str) -> None:
    """Nothing is to happen in the middle of a tool."""


def open_application(place: Place, clock: Any) -> Mulligan:
    """One application of one host."""
    return Mulligan(
        place.url,
        settings=hosts.build_settings(lease=LEASE),
        checks=[reject_marked],
        clock=clock,
        recover=False,
        backoff=NO_WAITING,
    )


@dataclass(slots=True, kw_only=True)
class Pauses:
    """Stops workers that run and lets those go on that stood still for long enough."""

    chance: random.Random
    children: Sequence[Child]
    made: dict[str, int] = field(default_factory=lambda: {"shorter": 0, "longer": 0})
    _until: dict[int, float] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many there were."""
        return sum(self.made.values())

    def tick(self) -> None:
        """Look at every worker once: by its own process, and no other."""
        time.sleep(TICK)
        for child in self.children:
            if _has_stopped(child.pid):
                self._until[child.pid] = time.monotonic() + self._choose_length()
            elif child.pid in self._until:
                if time.monotonic() >= self._until[child.pid]:
                    del self._until[child.pid]
                    let_go_on(child.pid)
            elif self.chance.random() < 0.02:
                with suppress(ProcessLookupError):  # it has just ended by itself
                    os.kill(child.pid, signal.SIGSTOP)

    def end(self) -> None:
        """Let all of them go on."""
        for child in self.children:
            with suppress(ProcessLookupError):  # it has ended by itself
                let_go_on(child.pid)

    def _choose_length(self) -> float:
        kind = self.chance.choice(("shorter", "longer"))
        self.made[kind] += 1
        times = self.chance.uniform(0.1, 0.7) if kind == "shorter" else self.chance.uniform(1.3, 3)
        return times * LEASE.total_seconds()


def _has_stopped(pid: int) -> bool:
    """Whether a child has come to a stop that nobody has been told of yet."""
    try:
        return os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOHANG) is not None
    except ChildProcessError:
        return False


def run(
    place: Place, *, workers: int, pauses: int, seed: int, most_seconds: float
) -> dict[str, Any]:
    """Pause workers so often, or until time is up; then count what became of everything."""
    for number in range(workers):
        data = {"day": "2026-11-18", "title": f"e{number}"}
        place.remote.create(data, id=f"e{number}", by="person")
    children = [start_child(partial(_work, place, number, seed)) for number in range(workers)]
    pausing = Pauses(chance=random.Random(seed), children=children)
    deadline = time.monotonic() + most_seconds
    try:
        while pausing.count < pauses and time.monotonic() < deadline:
            pausing.tick()
    finally:
        # Nobody is left standing still, whatever happened here.
        place.over.touch()
        pausing.end()
    turns, trouble = 0, []
    for child in children:
        ended = _end(child, pausing)
        turns += ended if isinstance(ended, int) else 0
        trouble += [ended] if isinstance(ended, str) else []
    counted = dict(in_child(lambda: asyncio.run(_settle_and_count(place))).said)
    counted["examples"] = trouble + counted["examples"]
    return {"pauses": pausing.count, **pausing.made, "turns": turns, "hung": len(trouble)} | counted


def _work(place: Place, number: int, seed: int) -> int:
    worker = Worker(place=place, number=number, chance=random.Random(seed * 100 + number))
    return asyncio.run(worker.run())


def _end(child: Child, pausing: Pauses) -> int | str:
    """Wait for a worker, which may still stop at a point; one that hangs is ended, by its id."""
    deadline = time.monotonic() + 30
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while os.waitid(os.P_PID, child.pid, options) is None:
        pausing.end()
        time.sleep(TICK)
        if time.monotonic() > deadline:
            os.kill(child.pid, signal.SIGKILL)
            child()
            return "a worker hung, and was ended"
    try:
        return int(child().said or 0)
    except ChildError as error:
        return str(error).strip().splitlines()[-1]


async def _settle_and_count(place: Place) -> dict[str, Any]:
    """The last process, on a host of its own: passes of recovery, then what the ledger says."""
    logging.getLogger("mulligan").setLevel(logging.CRITICAL)
    hosts.stand_on("the last")
    passed = [timedelta()]
    async with open_application(place, lambda: datetime.now(UTC) + passed[0]) as m:
        Calendar(m=m, remote=place.remote, midway=_pass_by, lands_within=LANDS_WITHIN).tools(
            ["create", "move"]
        )
        for _ in range(PASSES):
            await asyncio.sleep(2 * LEASE.total_seconds())
            await m.recover()
            passed[0] += LATER
    rows, broken = read_rows(place.url), Broken()
    fates = trace(place.remote.ledger(), broken)
    account(rows, fates, broken)
    say_what_is_so(rows, fates, (), broken)
    stale = [row for row in rows if was_written_by_the_dead(row)]
    found = broken.lists()
    return {
        "actions": len(rows),
        "stale_writes_accepted": len(stale),
        **{name: len(found[name]) for name in COUNTED},
        "examples": [said for name in COUNTED for said in found[name][:5]]
        + [f"{row.tool} {row.target}: {row.history} by {row.writers}" for row in stale[:5]],
    }


COUNTED = ("unaccounted", "duplicates", "undone_twice", "untrue")


def was_written_by_the_dead(row: Row) -> bool:
    """Whether somebody wrote an entry after another had taken the action over from them.

    Who has told of a late answer has taken it over, too; once they are given up in their turn, it
    is anybody's again, also theirs whom it was taken from.
    """
    left: set[str] = set()
    times = row.times or (0,) * len(row.writers)
    for earlier, writer, at in zip(row.writers, row.writers[1:], times[1:], strict=False):
        if writer == earlier:
            continue
        left.add(earlier)
        anybodys = row.given_up.get(earlier, at + 1) <= at < row.given_up.get(writer, at + 1)
        if writer in left and not anybodys:
            return True
        left.discard(writer)
    return False
