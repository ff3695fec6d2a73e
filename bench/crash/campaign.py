"""Strikes an application at every point of every scenario, and counts what is broken."""

from __future__ import annotations

import importlib
import random
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from bench.crash import phases
from bench.crash.damage import damage
from bench.crash.hosts import LEASE
from bench.crash.phases import Phase
from bench.crash.processes import Ended, Gate, in_child, start_child
from bench.crash.scenario import Case
from bench.crash.seams import BEGINNING, Seam, Seams, seam_at
from bench.crash.tally import Tally
from bench.crash.worlds import Worlds, find_url
from mulligan.process.fault_points import Point
from mulligan_testing.faults import Deed, Faults, Strike, let_go_on, wait_until_paused

LIVING = (Deed.CANCEL, Deed.RAISE, Deed.HANG)
"""What strikes a process that lives on."""
ON_RECOVERY = (Deed.KILL, Deed.EDIT)
"""What strikes a recovery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blow:
    """Where the first process of a case is struck, and what a person does meanwhile."""

    case: Case
    deed: Deed
    hit: int
    """0: nowhere."""
    rival: bool = False
    """The first process only waits there, while another one recovers; then it goes on."""
    meanwhile: bool = False
    """The first process makes two passes of recovery there itself, hours later; then it goes on."""
    sleep: bool = False
    """The first process stands still there for longer than its lease, on a host of its own, while
    another one takes over; then it goes on."""
    edit: bool = False
    """A person edits after the first process has ended."""
    seam: Seam
    """Between which two points it falls."""
    point: Point | None = None
    """It falls at the n-th time that this one is come by, if that is ever."""
    drawn: str = ""
    """The seed of what else is drawn for it; empty: that rests on what the code does."""

    @property
    def name(self) -> str:
        """How a report calls it."""
        then = ", then a person edits" if self.edit else ""
        where = self.hit if self.point is None else f"{self.point.value} {self.hit}"
        return f"{self.case.name}: {self.kind} at {where}{then}"

    @property
    def strike(self) -> Strike:
        """What befalls the first process."""
        return Strike(deed=self.deed, hit=self.hit, point=self.point)

    @property
    def runs(self) -> int:
        """How many runs it makes at least: one, and others in which the recovery is struck too."""
        return 4 if self.deed is Deed.KILL else 1 if self.sleep else 2

    @property
    def kind(self) -> str:
        """What is counted apart."""
        kinds = {"rival": self.rival, "meanwhile": self.meanwhile, "sleep": self.sleep}
        return next((kind for kind, so in kinds.items() if so), self.deed.value)


def blows(cases: Sequence[Case], paths: Sequence[Sequence[str]]) -> list[Blow]:
    """Every way to strike the first process of each case, given the points that it comes by."""
    found: list[Blow] = []
    for case, path in zip(cases, paths, strict=True):
        for hit in range(len(path) + 1):
            at = partial(Blow, case=case, hit=hit, seam=seam_at(path, hit))
            found += [at(deed=Deed.KILL, edit=edit) for edit in (False, True)]
            if hit:
                found += [at(deed=deed) for deed in (Deed.EDIT, *LIVING)]
                found.append(at(deed=Deed.EDIT, rival=True))
                found.append(at(deed=Deed.PAUSE, sleep=True))
            if hit and case.scenario.waits:
                found.append(at(deed=Deed.EDIT, meanwhile=True))
    return found


def draw_blows(cases: Sequence[Case], *, seed: int, points: int) -> list[Blow]:
    """Blows of at least so many runs, by the seed alone: versions that differ are struck alike.

    Each falls at a point of the protocol by its name, and nowhere in a case that does not come by.
    A case that only one version knows takes the place of few others.
    """
    found: list[Blow] = []
    while sum(blow.runs for blow in found) < points:
        drawn = f"{seed}:{len(found)}"
        chance = random.Random(drawn)
        point, hit = _draw_place(chance, CALLING + UNDOING)
        case = min(cases, key=lambda each: random.Random(f"{drawn}:{each.name}").random())
        seam, kind = (BEGINNING, point.value), chance.choice(_KINDS)
        found.append(Blow(case=case, hit=hit, seam=seam, point=point, drawn=drawn, **kind))
    return found


def _draw_place(chance: random.Random, usual: tuple[Point, ...]) -> tuple[Point, int]:
    """A point and how often it is come by before: mostly one that most cases come by."""
    return chance.choice([*sorted(Point), *usual * 4]), chance.choice((1, 1, 2))


CALLING = (Point.SNAPSHOT_TAKEN, Point.INTENDED, Point.CALLED, Point.EXECUTED, Point.REVIEWED)
UNDOING = (Point.DOOMED, Point.LOOKED, Point.TAKEN_BACK, Point.PROVEN, Point.UNDONE)
RECOVERING = (Point.RECOVERING, Point.CLAIMED, Point.PROBED, Point.LOOKED, Point.UNDONE)


_KINDS: tuple[dict[str, Any], ...] = (
    *({"deed": Deed.KILL, "edit": edit} for edit in (False, True)),
    *({"deed": deed} for deed in (Deed.EDIT, *LIVING)),
    {"deed": Deed.EDIT, "rival": True},
    {"deed": Deed.PAUSE, "sleep": True},
)


class Campaign:
    """Runs blows in folders of its own."""

    def __init__(
        self, folder: Path, *, chance: random.Random, worlds: Worlds, strict: bool = False
    ) -> None:
        self._folder = folder
        self._strict = strict
        """Count what promises less as if it promised all."""
        self._worlds = worlds
        self._chance = chance
        self._numbers = count()
        self._seams = Seams(chance=chance)
        self._template = folder / "template"
        self.tally = Tally()
        folder.mkdir(exist_ok=True)
        worlds.make(self._template)
        in_child(lambda: phases.prepare(self._template))

    def warm_up(self, case: Case) -> None:
        """Import what children need, so that none of them has to."""
        phase = self._phase(case, self._fresh(case), 0, Faults())

        def act_and_tell() -> list[str]:
            phases.run(partial(phases.act, phase))
            return list(sys.modules)

        for name in in_child(act_and_tell).said:
            # What cannot be imported under its own name was never a module to be warm.
            with suppress(ImportError):
                importlib.import_module(name)
        self._worlds.remove(phase.folder)

    def dry_run(self, case: Case) -> list[str]:
        """The points that the first process of a case comes by when nothing strikes it."""
        folder = self._fresh(case)
        ended = in_child(
            lambda: phases.run(partial(phases.act, self._phase(case, folder, 0, Faults())))
        )
        self._worlds.remove(folder)
        return list(ended.said["path"])

    def strike(self, blow: Blow, *, again: int) -> None:
        """One blow, then others on the recovery that follows: `again` times as many as usual.

        With 0, a recovery is struck only where none was struck before.
        """
        if blow.deed in LIVING or blow.meanwhile:
            for _ in range(max(1, blow.runs * again)):
                self._live_on(blow)
            return
        folder = self._fresh(blow.case)
        try:
            self._strike(blow, folder, again=max(0, blow.runs * again - 1))
        finally:
            self._worlds.remove(folder)

    def _strike(self, blow: Blow, folder: Path, *, again: int) -> None:
        if blow.rival:
            ended = self._beside_a_rival(blow, folder)
        elif blow.sleep:
            ended = self._asleep(blow, folder)
        else:
            first = self._phase(blow.case, folder, 0, self._faults(blow, folder))
            ended = in_child(lambda: phases.run(partial(phases.act, first)))
        self.tally.killed += ended.killed
        if blow.edit:
            self._phase(blow.case, folder, 0, Faults()).disturb()
        if blow.case.scenario.world.damage:
            damage(find_url(folder), how=blow.case.scenario.world.damage)
        if not ended.killed:
            self.tally.reached.update(ended.said["path"])
        path = self._count(blow, folder, process=1)
        if blow.sleep:
            return
        for strike in self._choose_strikes(blow, path, again=again):
            self._strike_recovery(blow, folder, strike)

    def _choose_strikes(self, blow: Blow, path: Sequence[str], *, again: int) -> list[Strike]:
        """What befalls the recoveries that follow."""
        if blow.drawn:
            chance = random.Random(f"{blow.drawn}:recovery")
            places = [_draw_place(chance, RECOVERING) for _ in range(again)]
            return [
                Strike(deed=chance.choice(ON_RECOVERY), hit=hit, point=point)
                for point, hit in places
            ]
        most = again or self._seams.fresh(path, ON_RECOVERY)
        chosen = self._seams.choose(path, ON_RECOVERY, most=most)
        return [Strike(deed=deed, hit=hit) for hit, deed in chosen]

    def _beside_a_rival(self, blow: Blow, folder: Path) -> Ended:
        """The first process stands still in the middle, and lives: nobody may take its work."""
        gate = Gate()
        faults = Faults(blow.strike, edit=gate.wait)
        slow = self._phase(blow.case, folder, 0, faults)
        end = start_child(lambda: phases.run(partial(phases.act, slow)))
        rival = self._phase(blow.case, folder, 1, Faults())
        if gate.reached():
            self._take_over(rival)
            gate.open()
        ended = end()
        gate.close()
        return ended

    def _asleep(self, blow: Blow, folder: Path) -> Ended:
        """The first process sleeps past its lease: another may take over, and it must notice."""
        faults = Faults(blow.strike)
        sleeper = self._phase(blow.case, folder, 0, faults, host="sleeper")
        rival = self._phase(blow.case, folder, 1, Faults(), host="rival")
        end = start_child(lambda: phases.run(partial(phases.act, sleeper)))
        if wait_until_paused(end.pid):
            time.sleep(2 * LEASE.total_seconds())
            self._take_over(rival)
            let_go_on(end.pid)
        return end()

    def _take_over(self, rival: Phase) -> None:
        """Have another process recover while the first stands still."""
        ended = in_child(lambda: phases.run(partial(phases.recover, rival)))
        self.tally.reached.update(ended.said["path"])

    def _strike_recovery(self, blow: Blow, folder: Path, strike: Strike) -> None:
        """Kill the recovery too, or let a person edit in the middle of it."""
        copy = self._copy(folder)
        disturb = self._phase(blow.case, copy, 1, Faults()).disturb
        faults = Faults(strike, edit=disturb)
        phase = self._phase(blow.case, copy, 1, faults)
        ended = in_child(lambda: phases.run(partial(phases.recover, phase)))
        self.tally.killed += ended.killed
        name = f"{blow.name}; recovery: {strike.deed} at {strike.hit}"
        self._count(blow, copy, process=2, name=name)
        self._worlds.remove(copy)

    def _count(self, blow: Blow, folder: Path, *, process: int, name: str = "") -> list[str]:
        """Recover to the end, on a copy, and count. The points that the recovery came by."""
        copy = self._copy(folder)
        host = "third" if blow.sleep else ""
        if host:
            # Those on other hosts are known to be gone by their silence alone.
            time.sleep(2 * LEASE.total_seconds())
        phase = self._phase(blow.case, copy, process, Faults(), host=host)
        ended = in_child(lambda: phases.run(partial(phases.settle_and_count, phase)))
        self._add(blow, ended.said, name=name or blow.name)
        self._worlds.remove(copy)
        return list(ended.said["path"])

    def _live_on(self, blow: Blow) -> None:
        folder = self._fresh(blow.case)
        strikes = () if blow.meanwhile else (blow.strike,)
        phase = self._phase(blow.case, folder, 0, Faults(*strikes))
        chance = random.Random(f"{blow.drawn}:again") if blow.drawn else self._chance
        hit = chance.randint(1, 12)
        deed = chance.choice(LIVING) if blow.meanwhile else blow.deed
        later = Faults(Strike(deed=deed, hit=hit))
        struck = blow.hit if blow.meanwhile else 0
        living = partial(phases.live_on, phase, later=later, meanwhile=struck)
        ended = in_child(lambda: phases.run(living))
        self._add(blow, ended.said, name=f"{blow.name}; again at {hit} of the recovery")
        self._worlds.remove(folder)

    def _add(self, blow: Blow, said: dict[str, Any], *, name: str) -> None:
        weaker = "" if self._strict else blow.case.scenario.weaker
        self.tally.add(name, kind=blow.kind, weaker=weaker, said=said)

    def _faults(self, blow: Blow, folder: Path) -> Faults:
        if not blow.hit:
            return Faults()
        disturb = self._phase(blow.case, folder, 0, Faults()).disturb
        return Faults(blow.strike, edit=disturb)

    def _phase(
        self, case: Case, folder: Path, process: int, faults: Faults, *, host: str = ""
    ) -> Phase:
        return Phase(case=case, folder=folder, process=process, faults=faults, host=host)

    def _fresh(self, case: Case) -> Path:
        folder = self._copy(self._template)
        phases.settle_in(self._phase(case, folder, 0, Faults()))
        return folder

    def _copy(self, folder: Path) -> Path:
        return self._worlds.copy(folder, self._folder / str(next(self._numbers)))
