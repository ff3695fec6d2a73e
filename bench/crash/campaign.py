"""Strikes an application at every point of every scenario, and counts what is broken."""

from __future__ import annotations

import importlib
import random
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from bench.crash import phases
from bench.crash.phases import Phase
from bench.crash.processes import Ended, Gate, in_child, start_child
from bench.crash.scenarios import Case
from bench.crash.seams import Seam, Seams, seam_at
from mulligan.core.points import Point
from mulligan.testing.faults import Deed, Faults, Strike

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
    edit: bool = False
    """A person edits after the first process has ended."""
    seam: Seam
    """Between which two points it falls."""

    @property
    def name(self) -> str:
        """How a report calls it."""
        then = ", then a person edits" if self.edit else ""
        return f"{self.case.name}: {self.kind} at {self.hit}{then}"

    @property
    def runs(self) -> int:
        """How many runs it makes at least: one, and others in which the recovery is struck too."""
        return 4 if self.deed is Deed.KILL else 2

    @property
    def kind(self) -> str:
        """What is counted apart."""
        return "rival" if self.rival else "meanwhile" if self.meanwhile else self.deed.value


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a campaign has seen so far."""

    points: Counter[str] = field(default_factory=Counter)
    """Runs by deed."""
    killed: int = 0
    """Processes that really died."""
    reached: set[str] = field(default_factory=set)
    broken: Counter[str] = field(default_factory=Counter)
    bare: Counter[str] = field(default_factory=Counter)
    """The same for tools without versions."""
    states: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def add(self, name: str, *, kind: str, versioned: bool, said: dict[str, Any]) -> None:
        """Count one run."""
        self.points[kind] += 1
        self.reached.update(said["path"])
        self.states.update(said["states"])
        for what, found in said["broken"].items():
            (self.broken if versioned else self.bare)[what] += len(found)
            if found and versioned and len(self.examples) < 50:
                self.examples.append(f"{name}: {what}: {found[0]}; states {said['states']}")

    def trouble(self, name: str, what: str) -> None:
        """A process ended in a way that nobody planned: that is a broken promise too."""
        self.broken["other"] += 1
        self.examples.append(f"{name}: {what}")

    def join(self, other: dict[str, Any]) -> None:
        """Add what another worker has seen."""
        self.points.update(other["points"])
        self.killed += other["killed"]
        self.reached.update(other["reached"])
        self.broken.update(other["broken"])
        self.bare.update(other["bare"])
        self.states.update(other["states"])
        self.examples += other["examples"]

    def plain(self) -> dict[str, Any]:
        """For a pipe."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}

    @property
    def missed(self) -> list[str]:
        """Named points that nobody came by."""
        return [point.value for point in Point if point.value not in self.reached]


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, set) else value


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
            if hit and case.scenario.waits:
                found.append(at(deed=Deed.EDIT, meanwhile=True))
    return found


class Campaign:
    """Runs blows in folders of its own."""

    def __init__(self, folder: Path, *, chance: random.Random) -> None:
        self._folder = folder
        self._chance = chance
        self._numbers = count()
        self._seams = Seams(chance=chance)
        self._template = folder / "template"
        self.tally = Tally()
        folder.mkdir(exist_ok=True)
        in_child(lambda: phases.prepare(self._template))

    def warm_up(self, case: Case) -> None:
        """Import what children need, so that none of them has to."""
        phase = self._phase(case, self._fresh(), 0, Faults())

        def act_and_tell() -> list[str]:
            phases.run(partial(phases.act, phase))
            return list(sys.modules)

        for name in in_child(act_and_tell).said:
            # What cannot be imported under its own name was never a module to be warm.
            with suppress(ImportError):
                importlib.import_module(name)
        shutil.rmtree(phase.folder)

    def dry_run(self, case: Case) -> list[str]:
        """The points that the first process of a case comes by when nothing strikes it."""
        folder = self._fresh()
        ended = in_child(
            lambda: phases.run(partial(phases.act, self._phase(case, folder, 0, Faults())))
        )
        shutil.rmtree(folder)
        return list(ended.said["path"])

    def strike(self, blow: Blow, *, again: int) -> None:
        """One blow, then others on the recovery that follows: `again` times as many as usual.

        With 0, a recovery is struck only where none was struck before.
        """
        if blow.deed in LIVING or blow.meanwhile:
            for _ in range(max(1, blow.runs * again)):
                self._live_on(blow)
            return
        folder = self._fresh()
        try:
            self._strike(blow, folder, again=max(0, blow.runs * again - 1))
        finally:
            shutil.rmtree(folder)

    def _strike(self, blow: Blow, folder: Path, *, again: int) -> None:
        if blow.rival:
            ended = self._beside_a_rival(blow, folder)
        else:
            first = self._phase(blow.case, folder, 0, self._faults(blow, folder))
            ended = in_child(lambda: phases.run(partial(phases.act, first)))
        self.tally.killed += ended.killed
        delivered = 0 if ended.killed else ended.said["delivered"]
        if blow.edit:
            phases.edit(self._phase(blow.case, folder, 0, Faults()).remote)
        if not ended.killed:
            self.tally.reached.update(ended.said["path"])
        path = self._count(blow, folder, process=1, delivered=delivered)
        most = again or self._seams.fresh(path, ON_RECOVERY)
        for hit, deed in self._seams.choose(path, ON_RECOVERY, most=most):
            self._strike_recovery(blow, folder, hit=hit, deed=deed, delivered=delivered)

    def _beside_a_rival(self, blow: Blow, folder: Path) -> Ended:
        """The first process stands still in the middle, and lives: nobody may take its work."""
        gate = Gate()
        faults = Faults(Strike(deed=Deed.EDIT, hit=blow.hit), edit=gate.wait)
        slow = self._phase(blow.case, folder, 0, faults)
        end = start_child(lambda: phases.run(partial(phases.act, slow)))
        rival = self._phase(blow.case, folder, 1, Faults())
        if gate.reached():
            in_child(lambda: phases.run(partial(phases.recover, rival)))
            gate.open()
        ended = end()
        gate.close()
        return ended

    def _strike_recovery(
        self, blow: Blow, folder: Path, *, hit: int, deed: Deed, delivered: int
    ) -> None:
        """Kill the recovery too, or let a person edit in the middle of it."""
        copy = self._copy(folder)
        edited = partial(phases.edit, self._phase(blow.case, copy, 1, Faults()).remote)
        faults = Faults(Strike(deed=deed, hit=hit), edit=edited)
        phase = self._phase(blow.case, copy, 1, faults)
        ended = in_child(lambda: phases.run(partial(phases.recover, phase)))
        self.tally.killed += ended.killed
        name = f"{blow.name}; recovery: {deed} at {hit}"
        self._count(blow, copy, process=2, delivered=delivered, name=name)
        shutil.rmtree(copy)

    def _count(
        self, blow: Blow, folder: Path, *, process: int, delivered: int, name: str = ""
    ) -> list[str]:
        """Recover to the end, on a copy, and count. The points that the recovery came by."""
        copy = self._copy(folder)
        phase = self._phase(blow.case, copy, process, Faults())
        ended = in_child(
            lambda: phases.run(partial(phases.settle_and_count, phase, delivered=delivered))
        )
        self._add(blow, ended.said, name=name or blow.name)
        shutil.rmtree(copy)
        return list(ended.said["path"])

    def _live_on(self, blow: Blow) -> None:
        folder = self._fresh()
        strikes = () if blow.meanwhile else (Strike(deed=blow.deed, hit=blow.hit),)
        phase = self._phase(blow.case, folder, 0, Faults(*strikes))
        hit = self._chance.randint(1, 12)
        deed = self._chance.choice(LIVING) if blow.meanwhile else blow.deed
        later = Faults(Strike(deed=deed, hit=hit))
        struck = blow.hit if blow.meanwhile else 0
        living = partial(phases.live_on, phase, later=later, meanwhile=struck)
        ended = in_child(lambda: phases.run(living))
        self._add(blow, ended.said, name=f"{blow.name}; again at {hit} of the recovery")
        shutil.rmtree(folder)

    def _add(self, blow: Blow, said: dict[str, Any], *, name: str) -> None:
        versioned = blow.case.scenario.versioned
        self.tally.add(name, kind=blow.kind, versioned=versioned, said=said)

    def _faults(self, blow: Blow, folder: Path) -> Faults:
        if not blow.hit:
            return Faults()
        edited = partial(phases.edit, self._phase(blow.case, folder, 0, Faults()).remote)
        return Faults(Strike(deed=blow.deed, hit=blow.hit), edit=edited)

    def _phase(self, case: Case, folder: Path, process: int, faults: Faults) -> Phase:
        return Phase(case=case, folder=folder, process=process, faults=faults)

    def _fresh(self) -> Path:
        return self._copy(self._template)

    def _copy(self, folder: Path) -> Path:
        return Path(shutil.copytree(folder, self._folder / str(next(self._numbers))))
