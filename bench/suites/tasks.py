"""Whether a task's instructions get better over runs, against static and against accept-all.

The loop, the archive and the selection are the real ones; only the world is simulated. Each
version has a true success, which a run draws its score from and which nobody else knows.
"""

from __future__ import annotations

import argparse
import asyncio
import platform
import random
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from bench.report import Step, progress, table
from bench.rounds import digits
from mulligan.core.finding import Standing
from mulligan.core.notes import Ground, Notes, NotesState, Refinement, TaskRun
from mulligan.core.task import Experience, Gate, Ran, Reflect, Task
from mulligan.learning.tasks.select import (
    ENOUGH,
    PROMOTED_AT,
    Belief,
    Standings,
    estimate_better,
)
from mulligan.loops.learning import Learning
from mulligan.loops.tasks import run_task
from mulligan.stores.memory.archive import MemoryArchive

Result = dict[str, Any]
Effect = Callable[[random.Random], float]
"""Draws what a version does to the success of the one it builds on."""

START = 0.60
RUNS = 300
WINDOW = 50
"""Runs over which a mean is held against the static one."""
BEFORE = 30
"""Runs of the static text before a version is planted as champion."""
WITHIN = 40
"""Runs in which a harmful champion has to be rolled back."""
_SAYS = re.compile(r"version (\d+)")
_NOW = datetime(2026, 11, 16, tzinfo=UTC)


def helpful(chance: random.Random) -> float:
    return abs(chance.gauss(0.06, 0.03))


def neutral(chance: random.Random) -> float:
    return chance.gauss(0.0, 0.01)


def harmful(chance: random.Random) -> float:
    return -abs(chance.gauss(0.07, 0.04))


@dataclass(frozen=True, slots=True)
class Reflector:
    """How often proposals help, do nothing, or hurt."""

    helps: float
    does_nothing: float

    def __call__(self, chance: random.Random) -> float:
        kind = chance.random()
        if kind < self.helps:
            return helpful(chance)
        return neutral(chance) if kind < self.helps + self.does_nothing else harmful(chance)


REFLECTORS = {
    "even": Reflector(0.30, 0.40),
    "weak": Reflector(0.15, 0.45),
    "strong": Reflector(0.50, 0.35),
}
PLANTED: dict[str, Effect] = {
    "harmful": harmful,
    "harmful by 0.05": lambda _: -0.05,
    "harmful by 0.10": lambda _: -0.10,
    "harmful by 0.20": lambda _: -0.20,
    "helpful": helpful,
}


class World:
    """A task whose versions have a true success that only the world knows."""

    def __init__(self, reflector: Effect, *, gate: Gate, seed: int) -> None:
        self._reflector = reflector
        self._chance = random.Random(seed)
        self._success = {0: START}
        settings = Reflect(gate=gate, strategy=self._propose, score=lambda output: output is True)
        self._task = Task(id="simulated", description="Do it.", reflect=settings)
        self._ground = Ground(task="simulated", definition=self._task.definition)
        self._archive = MemoryArchive()
        self._using = Learning(
            archive=self._archive,
            clock=lambda: _NOW,
            announce=lambda _event: None,
            scrub=str,
            seed=seed,
            aside=_at_once,
            monotonic=lambda: 0.0,
        )

    async def run(self) -> float:
        """One run. Returns the true success of the version it ran with."""
        success = 0.0

        async def work(prompt: str) -> Ran:
            nonlocal success
            success = self._success[_number_in(prompt)]
            return Ran(output=self._chance.random() < success)

        await run_task(self._task, work, using=self._using)
        return success

    def plant(self, effect: Effect) -> int:
        """Make a version champion on evidence that just suffices, however it came by that."""
        number = len(self._archive.list_versions("simulated"))
        self._success[number] = _bounded(START + effect(self._chance))
        refinement = Refinement(description=f"Do it, version {number}")
        self._archive.append(
            Notes(task="simulated", version=number, parent=0, refinement=refinement, at=_NOW)
        )
        for good in lucky_scores(Standings(cards={c.version: c for c in self._cards()})):
            run = TaskRun(version=number, at=_NOW, score=good, standing=Standing.ACCEPTED)
            self._archive.count(self._ground, run=run)
        was, state = NotesState.TRIAL, NotesState.CHAMPION
        self._archive.move(self._ground, version=number, state=state, was=was)
        return number

    def champion(self) -> int:
        """The version that is proven best, as the archive has it."""
        return Standings(cards={card.version: card for card in self._cards()}).champion

    def _cards(self):
        return self._archive.list_scorecards(self._ground)

    def _propose(self, experience: Experience) -> Refinement:
        prior = experience.prior
        parent = _number_in(prior.refinement.description) if prior else 0
        number = max(self._success) + 1
        self._success[number] = _bounded(self._success[parent] + self._reflector(self._chance))
        return Refinement(description=f"Do it, version {number}")


def lucky_scores(standings: Standings) -> list[float]:
    """The fewest successes in ten runs that would promote a version over version 0."""
    static = standings.estimate_belief(0)
    for good in range(ENOUGH + 1):
        belief = standings.weigh_evidence(1, told=Belief(good, ENOUGH - good))
        if estimate_better(belief, static) >= PROMOTED_AT:
            return [1.0] * good + [0.0] * (ENOUGH - good)
    return [1.0] * ENOUGH


async def story(reflector: Effect, *, gate: Gate, seed: int, runs: int) -> list[float]:
    """The true success of every run of one seed."""
    world = World(reflector, gate=gate, seed=seed)
    return [await world.run() for _ in range(runs)]


async def runs_to_roll_back(effect: Effect, *, seed: int) -> int | None:
    """After how many runs a planted champion had lost its place; `None`: it had not, in time."""
    world = World(REFLECTORS["even"], gate=Gate.EVIDENCE, seed=seed)
    for _ in range(BEFORE):
        await world.run()
    planted = world.plant(effect)
    for number in range(1, WITHIN + 1):
        await world.run()
        if world.champion() != planted:
            return number
    return None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=int, default=200, metavar="N", help="simulated tasks")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help="runs of each")


def run(options: argparse.Namespace) -> Result:
    seeds = range(options.seeds)
    with progress(len(seeds) * (2 * len(REFLECTORS) + len(PLANTED))) as step:
        stories = {
            (name, gate): _stories(name, gate, seeds=seeds, runs=options.runs, step=step)
            for name in REFLECTORS
            for gate in Gate
        }
        planted = {name: _planted(name, seeds=seeds, step=step) for name in PLANTED}
    gated = {name: stories[name, Gate.EVIDENCE] for name in REFLECTORS}
    accepted = {name: stories[name, Gate.ACCEPT] for name in REFLECTORS}
    shares = {name: _share(after is not None for after in planted[name]) for name in PLANTED}
    figures = {
        "static": dict.fromkeys(REFLECTORS, START),
        "accept_all": {name: _mean(accepted[name]) for name in REFLECTORS},
        "gated": {name: _mean(gated[name]) for name in REFLECTORS},
        "worst_below_static": max(shortfall(each) for each in gated.values()),
        "rolled_back_share": shares["harmful"],
    }
    return {
        "n": len(seeds),
        "runs": options.runs,
        **figures,
        "at_the_end": {
            "accept_all": {name: _mean(accepted[name], last=WINDOW) for name in REFLECTORS},
            "gated": {name: _mean(gated[name], last=WINDOW) for name in REFLECTORS},
        },
        "given_up_when_strong": digits(
            figures["accept_all"]["strong"] - figures["gated"]["strong"]
        ),
        "worst_seed": {name: digits(min(map(statistics.fmean, gated[name]))) for name in gated},
        "rolled_back": shares,
        "versions": {"python": platform.python_version(), "mulligan": version("mulligan")},
    }


def shortfall(stories: Sequence[Sequence[float]]) -> float:
    """How far below the static success the mean over all seeds ever was, over any 50 runs."""
    means = [statistics.fmean(each) for each in zip(*stories, strict=True)]
    width = min(WINDOW, len(means))
    windows = (statistics.fmean(means[i : i + width]) for i in range(len(means) - width + 1))
    return digits(max(0.0, START - min(windows)))


def show(result: Result) -> RenderableType:
    rows = [
        (
            name,
            result["static"][name],
            result["accept_all"][name],
            result["gated"][name],
            result["at_the_end"]["gated"][name],
        )
        for name in REFLECTORS
    ]
    columns = ("reflector", "static", "accept-all", "gated", f"gated, last {WINDOW} runs")
    title = f"mean success over {result['runs']} runs, {result['n']} seeds"
    planted = [(name, share) for name, share in result["rolled_back"].items()]
    return Group(
        table(title, columns, rows),
        Text(f"worst {WINDOW} runs below static: {result['worst_below_static']}"),
        Text(f"given up when the reflector is strong: {result['given_up_when_strong']}"),
        table(f"champions rolled back within {WITHIN} runs", ("planted version", "share"), planted),
    )


def _stories(
    name: str, gate: Gate, *, seeds: Sequence[int], runs: int, step: Step
) -> list[list[float]]:
    told = []
    for seed in seeds:
        step(f"{name}, {gate}")
        told.append(asyncio.run(story(REFLECTORS[name], gate=gate, seed=seed, runs=runs)))
    return told


def _planted(name: str, *, seeds: Sequence[int], step: Step) -> list[int | None]:
    found = []
    for seed in seeds:
        step(f"planted: {name}")
        found.append(asyncio.run(runs_to_roll_back(PLANTED[name], seed=seed)))
    return found


async def _at_once(function: Callable[[], Any]) -> Any:
    """An archive in memory never waits, so no thread is needed."""
    return function()


def _mean(stories: Sequence[Sequence[float]], *, last: int = 0) -> float:
    return digits(statistics.fmean(statistics.fmean(each[-last:]) for each in stories))


def _share(outcomes: Iterator[bool]) -> float:
    return digits(statistics.fmean(outcomes))


def _number_in(text: str) -> int:
    """The version that a prompt or a refinement names; the static text names none."""
    found = _SAYS.search(text)
    return int(found[1]) if found else 0


def _bounded(success: float) -> float:
    return min(1.0, max(0.0, success))
