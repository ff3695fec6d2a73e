"""The life of one application over several processes: it acts, it is recovered, it is counted."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.crash.calendar import EVENTS, Calendar
from bench.crash.counting import (
    Broken,
    Story,
    account,
    is_listed,
    keep_to_the_story,
    read_rows,
    trace,
)  # fmt: skip
from bench.crash.reviewing import Judging, reviewer, weekdays
from bench.crash.scenarios import Case
from mulligan import Mulligan
from mulligan.app.settings import Settings
from mulligan.core.action import State
from mulligan.core.limits import Backoff
from mulligan.testing.faults import Deed, Faults, PlannedError, Strike, cancel_when_hung
from mulligan.testing.remote import FakeRemote
from mulligan.turns.turn.context import OpenTurn

SOON = timedelta(seconds=5)
"""Sooner than a request can be late."""
AFTER_A_WHILE = timedelta(minutes=1)
AN_HOUR = timedelta(hours=1)
LATER = timedelta(minutes=20)
"""Longer than any pause of recovery, than any call is held, and than any request is late."""

MOST_PASSES = 20
DONE = "Done."
"""The agent's reply. Where the person reads another one, what it did was taken back."""
NO_WAITING = Backoff(first=timedelta(), longest=timedelta(), total=timedelta(seconds=1))


BEGINNING = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


class Clock:
    """A time that passes only when somebody says so: a loaded machine changes no result.

    Where it is kept in a file, it is the same for all processes, also for one that stood still.
    """

    def __init__(self, kept: Path | None = None) -> None:
        self._kept = kept
        self._now = BEGINNING

    def __call__(self) -> datetime:
        """Now."""
        if self._kept is not None and self._kept.exists():
            return datetime.fromisoformat(self._kept.read_text())
        return self._now

    def go_on(self, by: timedelta) -> None:
        """Let time pass."""
        self._now = self() + by
        if self._kept is not None:
            # Replaced as a whole: a heart that beats in another thread may be reading.
            written = self._kept.with_suffix(f".{os.getpid()}")
            written.write_text(self._now.isoformat())
            written.replace(self._kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One process of a case: where it works, what strikes it, and what its reviewer says."""

    case: Case
    folder: Path
    process: int
    """0 acts, and the others recover."""
    faults: Faults

    @property
    def remote(self) -> FakeRemote:
        """The world as this process reaches it."""
        scenario = self.case.scenario
        return FakeRemote(
            self.folder / "remote",
            versioned=scenario.versioned or not scenario.bare_remote,
            late_by=scenario.late_by,
        )

    def clock(self) -> Clock:
        """What time it is for this process, which begins soon after the one before it ended."""
        clock = Clock(self.folder / "clock")
        if self.process:
            clock.go_on(SOON + (self.case.scenario.idle if self.process == 1 else timedelta()))
        return clock

    @asynccontextmanager
    async def application(self, clock: Clock) -> AsyncIterator[Application]:
        """The application, with its store open."""
        logging.getLogger("mulligan").setLevel(logging.CRITICAL)
        remote, scenario = self.remote, self.case.scenario
        if self.process == 0:
            remote.plan(*scenario.on_calls, by="agent")
            remote.plan(*scenario.on_reads, by="read")
        else:
            remote.plan(*scenario.on_releases, by="agent")
            if not scenario.looked_for_first:
                remote.arrive()
        remote.plan(*scenario.on_undos, by="undo")
        answer = self.case.reviewer(self.process)
        async with Mulligan(
            f"sqlite:///{self.folder}/family.db",
            settings=Settings(),
            checks=[reviewer(answer)],
            facts=[weekdays],
            judge=Judging(answer) if self.case.judged else None,
            clock=clock,
            recover=False,
            backoff=NO_WAITING,
        ) as m:

            def looked() -> None:
                if scenario.slow_looks:
                    clock.go_on(AN_HOUR)
                    remote.arrive()

            calendar = Calendar(m=m, remote=remote, midway=self.faults.hit, looked=looked)
            calls = calendar.tools(name for name, _ in scenario.calls)
            yield Application(m=m, calls=calls, case=self.case, remote=remote, clock=clock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """What the agent has to do with."""

    m: Mulligan
    calls: dict[str, Any]
    case: Case
    remote: FakeRemote
    clock: Clock

    async def act(self) -> int:
        """Let the agent do its work. The attempt whose answer was delivered, 0 if none was."""
        if self.case.scenario.form == "open":
            async with self.m.turn("Plan the week", timezone="UTC") as turn:
                await self._agent(turn)
            return 1
        done = await self.m.act("Plan the week", self._agent, timezone="UTC")
        return len(done.attempts) if done.reply == DONE else 0

    async def _agent(self, turn: OpenTurn) -> str:
        for number, (tool, given) in enumerate(self.case.scenario.calls, start=1):
            mark = f"a{turn.attempt.number}c{number}"
            try:
                await self.calls[tool](**given, mark=mark)
            except (PlannedError, asyncio.CancelledError):
                raise
            except Exception:
                continue
        return DONE

    def answer(self) -> None:
        """What the person says to everything that waits for them."""
        scenario, answers = self.case.scenario, self.m.insights.open_list
        for action in answers.actions():
            if action.state is State.HELD and scenario.answer == "approved":
                answers.approve(action.id, by="a person")
            elif action.state is State.HELD and scenario.answer == "denied":
                answers.deny(action.id, by="a person")
            elif action.state is State.DISPUTED and scenario.takes_back:
                answers.undo(action.id, by="a person")

    async def look_after(self) -> None:
        """One pass of recovery, and then everything late arrives, looked for or not."""
        await self.m.recover()
        if self.case.scenario.looked_for_first:
            self.clock.go_on(SOON)
            await self.m.recover()
        self.remote.arrive()

    async def look_after_all(self) -> None:
        """Passes until nothing moves, with the person answering in between."""
        still = 0
        for _ in range(MOST_PASSES):
            before = self.standing()
            self.answer()
            await self.look_after()
            still = still + 1 if self.standing() == before else 0
            if still == 2:
                return
            self.clock.go_on(LATER if still else AFTER_A_WHILE)

    def standing(self) -> dict[str, int]:
        """The open list: which actions, and how many entries each has."""
        return {a.id: a.version for a in self.m._parts.store.journal.list_open_actions(limit=500)}


def prepare(folder: Path) -> None:
    """The world before anybody does anything, with a store that is empty."""
    folder.mkdir(parents=True)
    Mulligan(f"sqlite:///{folder}/family.db", settings=Settings()).close()
    remote = FakeRemote(folder / "remote")
    for event_id in EVENTS:
        remote.create({"day": "2026-11-18", "title": event_id}, id=event_id, by="person")


def edit(remote: FakeRemote) -> None:
    """A person changes everything there is, and makes anew what is missing."""
    items = remote.list_items()
    count = len(remote.ledger())
    for item in items.values():
        remote.update(item.id, {"by": "a person", "day": f"edit {count}"}, by="person")
    for event_id in set(EVENTS) - set(items):
        remote.create({"by": "a person", "day": f"edit {count}"}, id=event_id, by="person")


async def act(phase: Phase) -> dict[str, object]:
    """The first process, to its end if nothing strikes it."""
    delivered = 0

    async def work() -> None:
        nonlocal delivered
        async with phase.application(phase.clock()) as application:
            with phase.faults:
                delivered = await application.act()

    await cancel_when_hung(work(), phase.faults)
    return {"delivered": delivered, "path": phase.faults.path, "leaked": _leaked()}


async def recover(phase: Phase) -> dict[str, object]:
    """A later process: a person answers, and passes are made until nothing moves any more."""

    async def work() -> None:
        async with phase.application(phase.clock()) as application:
            with phase.faults:
                await application.look_after_all()

    await cancel_when_hung(work(), phase.faults)
    return {"path": phase.faults.path, "leaked": _leaked()}


async def settle_and_count(phase: Phase, *, delivered: int) -> dict[str, Any]:
    """The last process: passes until nothing moves, then what the ledger says."""
    async with phase.application(phase.clock()) as application:
        with phase.faults:
            await application.look_after_all()
        open_ids = set(application.standing())
    return _count(phase, open_ids=open_ids, delivered=delivered)


def _count(phase: Phase, *, open_ids: set[str], delivered: int) -> dict[str, Any]:
    broken = Broken()
    rows = read_rows(phase.folder / "family.db")
    ledger, scenario = phase.remote.ledger(), phase.case.scenario
    story = Story(
        reviewers=[phase.case.reviewer(process) for process in range(phase.process + 1)],
        delivered=delivered,
        approved=scenario.answer == "approved",
        takes_back=scenario.takes_back,
        edited=sum(line.by == "person" for line in ledger) > len(EVENTS),
        undo_can_fail=bool(scenario.on_undos or scenario.on_reads),
    )
    account(rows, trace(ledger, broken), broken)
    keep_to_the_story(rows, story, broken)
    is_listed(rows, open_ids, broken)
    return {
        "broken": broken.lists(),
        "path": phase.faults.path,
        "states": sorted(row.state.value for row in rows),
    }


def _leaked() -> int:
    """Tasks that nobody has ended."""
    return len([task for task in asyncio.all_tasks() if not task.done()]) - 1


def run(work: Callable[[], Any]) -> Any:
    """One phase, on an event loop of its own."""
    return asyncio.run(work())


async def live_on(phase: Phase, *, later: Faults, meanwhile: int = 0) -> dict[str, Any]:
    """One process that is struck but lives: it acts, recovers, is struck again, and is counted.

    `meanwhile` is the point at which it makes passes of recovery in the middle of its turn.
    """
    clock = phase.clock()
    delivered = 0

    async def look_around() -> None:
        for _ in range(2):
            clock.go_on(AN_HOUR)
            # In an hour everything has arrived, however late.
            application.remote.arrive()
            alone = contextvars.Context()
            await asyncio.get_running_loop().create_task(application.m.recover(), context=alone)

    async def acting() -> None:
        nonlocal delivered
        with first:
            delivered = await application.act()

    async def recovering() -> None:
        with later:
            await application.look_after_all()

    first = phase.faults
    if meanwhile:
        first = Faults(Strike(deed=Deed.EDIT, hit=meanwhile), edit=look_around)
    async with phase.application(clock) as application:
        await cancel_when_hung(acting(), first)
        clock.go_on(phase.case.scenario.idle + SOON)
        if not phase.case.scenario.looked_for_first:
            application.remote.arrive()
        await cancel_when_hung(recovering(), later)
        with Faults():
            await application.look_after_all()
        open_ids = set(application.standing())
    counted = _count(phase, open_ids=open_ids, delivered=delivered)
    if _leaked():
        counted["broken"]["other"].append(f"{_leaked()} tasks were never ended")
    return counted | {"path": first.path + later.path}
