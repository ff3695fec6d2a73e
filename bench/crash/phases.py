"""The life of one application over several processes: it acts, it is recovered, it is counted."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.crash import hosts, people
from bench.crash.application import SOON, Application
from bench.crash.calendar import EVENTS, Calendar
from bench.crash.clock import Clock
from bench.crash.counting import (
    Broken,
    Story,
    account,
    find_false_conflicts,
    find_live_holds,
    find_survivors,
    is_listed,
    keep_to_the_story,
    list_causes,
    say_what_is_so,
    trace,
)
from bench.crash.means import SETTLES_WITHIN
from bench.crash.mutants.planting import plant_in
from bench.crash.pace import Pace
from bench.crash.reviewing import Judging, gather_facts, reviewer
from bench.crash.rough_tools import SECOND
from bench.crash.rows import read_rows
from bench.crash.scenario import Case
from bench.crash.worlds import find_url
from mulligan import Mulligan
from mulligan.settings import Settings
from mulligan.types.limits import Backoff
from mulligan_testing.faults import Deed, Faults, Strike, cancel_when_hung
from mulligan_testing.remote import FakeRemote

AN_HOUR = timedelta(hours=1)
NO_WAITING = Backoff(first=timedelta(), longest=timedelta(), total=timedelta(seconds=1))


class Place(type(Path())):  # type: ignore[misc]
    """A path that is the same one in a copy of its world: what a case began is settled in copies,
    and a tool is told from another person's by the values it is bound to."""

    def __repr__(self) -> str:
        return f"Place({self.name!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One process of a case: where it works, what strikes it, and what its reviewer says."""

    case: Case
    folder: Path
    process: int
    """0 acts, and the others recover."""
    faults: Faults
    host: str = ""
    """The host it stands on, where that is not everybody's, and a short lease."""

    @property
    def remote(self) -> FakeRemote:
        """The world as this process reaches it."""
        scenario = self.case.scenario
        return FakeRemote(
            Place(self.folder / "remote"),
            versioned=not scenario.bare_remote,
            numbered=scenario.world.numbered,
            late_by=scenario.late_by,
            clock=self._read_seconds,
        )

    def _read_seconds(self) -> float:
        """A remote's time passes while somebody waits, and when the campaign says so: never by
        itself, or on a loaded machine no reader would be behind."""
        return Clock(self.folder / "clock").read_steady()[1]

    def clock(self) -> Clock:
        """What time it is for this process, which begins soon after the one before it ended."""
        clock = Clock(self.folder / "clock")
        if self.process:
            clock.go_on(SOON + (self.case.scenario.idle if self.process == 1 else timedelta()))
        return clock

    def _begin(self, remote: FakeRemote) -> None:
        """Have this process stand where it stands, and the remote do what it does to it."""
        scenario = self.case.scenario
        if self.host:
            hosts.stand_on(self.host)
        if self.process == 0:
            remote.plan(*scenario.on_calls, by="agent")
            remote.plan(*scenario.on_reads, by="read")
            if scenario.world.lag:
                remote.set_lag(scenario.world.lag)
        else:
            remote.plan(*scenario.on_releases, by="agent")
            if not scenario.looked_for_first:
                remote.arrive()
        remote.plan(*scenario.on_undos, by="undo")
        remote.plan(*scenario.world.on_seconds, by=SECOND)

    @asynccontextmanager
    async def application(self, clock: Clock) -> AsyncIterator[Application]:
        """The application, with its store open."""
        logging.getLogger("mulligan").setLevel(logging.CRITICAL)
        remote, scenario = self.remote, self.case.scenario
        self._begin(remote)
        pace = Pace()
        answer = self.case.reviewer(self.process)
        _let_waits_pass(clock)
        async with Mulligan(
            find_url(self.folder),
            settings=hosts.build_settings() if self.host else Settings(),
            checks=[reviewer(answer)],
            facts=[gather_facts(answer)],
            judge=Judging(answer, meanwhile=pace.let_return) if self.case.judged else None,
            clock=clock,
            recover=False,
            backoff=NO_WAITING,
        ) as m:

            def looked() -> None:
                if scenario.slow_looks:
                    clock.go_on(AN_HOUR)
                    remote.arrive()

            hit = self.faults.hit
            calendar = Calendar(m=m, remote=remote, midway=hit, looked=looked, pace=pace)
            calls = calendar.tools(name for name, _ in scenario.calls)
            yield Application(
                m=m,
                calls=calls,
                case=self.case,
                remote=remote,
                clock=clock,
                pace=pace,
                folder=self.folder,
                reached=hit,
            )

    def disturb(self) -> None:
        """A person does what they do in this world."""
        world = self.case.scenario.world
        people.disturb(self.remote, person=world.person, absent=world.absent)


def _let_waits_pass(clock: Clock) -> None:
    """From now on in this process, what waits for readers to catch up lets the remote's time pass,
    and takes none."""
    sleep = asyncio.sleep

    async def let_pass(delay: float, result: Any = None) -> Any:
        if delay == SETTLES_WITHIN.total_seconds():
            clock.go_on(SETTLES_WITHIN)
            delay = 0
        return await sleep(delay, result)

    plant_in(asyncio, sleep=let_pass)


def prepare(folder: Path) -> None:
    """A store that is empty, in a world that nobody lives in yet."""
    Mulligan(find_url(folder), settings=Settings()).close()


def settle_in(phase: Phase) -> None:
    """The world before the agent does anything."""
    for event_id in EVENTS:
        data = {"day": "2026-11-18", "title": event_id}
        phase.remote.create(data, id=event_id, by="person")
    phase.clock().go_on(SOON)


async def act(phase: Phase) -> dict[str, object]:
    """The first process, to its end if nothing strikes it."""

    async def work() -> None:
        async with phase.application(phase.clock()) as application:
            with phase.faults:
                await application.act()

    await cancel_when_hung(work(), phase.faults)
    return {"path": phase.faults.path, "leaked": _leaked()}


async def recover(phase: Phase) -> dict[str, object]:
    """A later process: a person answers, and passes are made until nothing moves any more."""

    async def work() -> None:
        async with phase.application(phase.clock()) as application:
            with phase.faults:
                await application.look_after_all()

    await cancel_when_hung(work(), phase.faults)
    return {"path": phase.faults.path, "leaked": _leaked()}


async def settle_and_count(phase: Phase) -> dict[str, Any]:
    """The last process: passes until nothing moves, then what the ledger says."""
    async with phase.application(phase.clock()) as application:
        with phase.faults:
            await application.look_after_all()
        open_ids = set(application.list_standing())
    return _count(phase, open_ids=open_ids)


def _count(phase: Phase, *, open_ids: set[str]) -> dict[str, Any]:
    broken = Broken()
    rows = read_rows(find_url(phase.folder))
    ledger = phase.remote.ledger()
    story, fates = _tell_story(phase), trace(ledger, broken)
    account(rows, fates, broken)
    say_what_is_so(rows, fates, _read_told(phase.folder), broken)
    find_false_conflicts(rows, fates, story, broken)
    find_live_holds(rows, broken)
    find_survivors(rows, story, broken)
    keep_to_the_story(rows, story, broken)
    is_listed(rows, open_ids, broken)
    return {
        "broken": broken.lists(),
        "path": phase.faults.path,
        "states": sorted(row.state.value for row in rows),
        "causes": list_causes(rows, story),
    }


def _tell_story(phase: Phase) -> Story:
    """What was said and done around the application."""
    scenario, ledger = phase.case.scenario, phase.remote.ledger()
    kept = phase.folder / "delivered"
    delivered, shown = json.loads(kept.read_text()) if kept.exists() else (0, None)
    return Story(
        reviewers=[phase.case.reviewer(process) for process in range(phase.process + 1)],
        delivered=delivered,
        delivered_us=shown,
        approved=scenario.answer == "approved",
        takes_back=scenario.takes_back,
        edited=any(line.by == "person" for line in ledger[len(EVENTS) :]),
        undo_can_fail=scenario.undo_can_fail,
        form=scenario.form,
        damaged=bool(scenario.world.damage),
        people=frozenset(line.id for line in ledger[len(EVENTS) :] if line.by == "person"),
    )


def _read_told(folder: Path) -> list[str]:
    """Actions of which the agent was told that they were undone."""
    kept = folder / "told"
    lines = kept.read_text().splitlines() if kept.exists() else []
    return [action for line in lines for action in json.loads(line)]


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

    async def look_around() -> None:
        for _ in range(2):
            clock.go_on(AN_HOUR)
            # In an hour everything has arrived, however late.
            application.remote.arrive()
            alone = contextvars.Context()
            await asyncio.get_running_loop().create_task(application.m.recover(), context=alone)

    async def acting() -> None:
        with first:
            await application.act()

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
        open_ids = set(application.list_standing())
    counted = _count(phase, open_ids=open_ids)
    if _leaked():
        counted["broken"]["other"].append(f"{_leaked()} tasks were never ended")
    return counted | {"path": first.path + later.path}
