"""Whether a task's instructions get better over runs, against static and against accept-all.

The loop, the archive and the selection are the real ones; only the world is simulated. Each
version has a true success, which a run draws its score from and which nobody else knows.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import platform
import random
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from importlib.metadata import version
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from bench.report import Step, progress, table
from bench.rounds import digits
from mulligan.core.finding import Standing
from mulligan.core.notes import Ground, Notes, NotesState, Refinement, Scorecard, TaskRun, add_run
from mulligan.core.task import Experience, Gate, Ran, Reflect, Task
from mulligan.learning.tasks.select import ENOUGH, PROMOTED_AT, Standings
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
WITHIN = 60
"""Runs in which a harmful champion has to be rolled back."""
INPUT, NOISE = 0.2, 0.1
"""How much graded scores vary with the input, and from run to run on one input."""
_SAYS = re.compile(r"version (\d+)")
_NOW = datetime(2026, 11, 16, tzinfo=UTC)


class Scored(StrEnum):
    """How a run says how good it was."""

    YES_OR_NO = "yes or no"
    GRADED = "graded"
    PAIRED = "graded, in pairs"
    NOT = "not at all"


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


def hostile(chance: random.Random) -> float:
    return -abs(chance.gauss(0.20, 0.04))


REFLECTORS: dict[str, Effect] = {
    "even": Reflector(0.30, 0.40),
    "weak": Reflector(0.15, 0.45),
    "strong": Reflector(0.50, 0.35),
}
ADVERSE: dict[str, Effect] = {"always harmful": harmful, "hostile": hostile}
"""Reflectors of which nothing good ever comes."""
PLANTED: dict[str, Effect] = {
    "harmful": harmful,
    "harmful by 0.05": lambda _: -0.05,
    "harmful by 0.10": lambda _: -0.10,
    "harmful by 0.20": lambda _: -0.20,
    "helpful": helpful,
}


class World:
    """A task whose versions have a true success that only the world knows."""

    def __init__(
        self, reflector: Effect, *, gate: Gate, seed: int, scored: Scored = Scored.YES_OR_NO
    ) -> None:
        self._reflector = reflector
        self._scored = scored
        self._chance = random.Random(seed)
        self._success = {0: START}
        settings = Reflect(
            gate=gate,
            strategy=self._propose,
            score=None if scored is Scored.NOT else float,
            paired=scored is Scored.PAIRED,
        )
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
        successes: list[float] = []
        luck = self._chance.gauss(0.0, INPUT)

        async def work(prompt: str) -> object:
            success = self._success[_number_in(prompt)]
            successes.append(success)
            return self._draw(success, luck)

        await run_task(self._task, work, using=self._using)
        return statistics.fmean(successes)

    def plant(self, effect: Effect) -> int:
        """Make a version champion on evidence that just suffices, however it came by that."""
        number = len(self._archive.list_versions("simulated"))
        self._success[number] = _bounded(START + effect(self._chance))
        refinement = Refinement(description=f"Do it, version {number}")
        self._archive.append(
            Notes(task="simulated", version=number, parent=0, refinement=refinement, at=_NOW)
        )
        for good in lucky_scores(self._standings()):
            run = TaskRun(version=number, at=_NOW, score=good, standing=Standing.ACCEPTED)
            self._archive.count(self._ground, run=run)
        was, state = NotesState.TRIAL, NotesState.CHAMPION
        self._archive.move(self._ground, version=number, state=state, was=was)
        return number

    def champion(self) -> int:
        """The version that is proven best, as the archive has it."""
        return self._standings().champion

    def _standings(self) -> Standings:
        cards = self._archive.list_scorecards(self._ground)
        return Standings(cards={card.version: card for card in cards})

    def _draw(self, success: float, luck: float) -> object:
        if self._scored is Scored.NOT:
            return "done"
        if self._scored is Scored.YES_OR_NO:
            return Ran(output=self._chance.random() < success)
        return Ran(output=_bounded(success + luck + self._chance.gauss(0.0, NOISE)))

    def _propose(self, experience: Experience) -> Refinement:
        prior = experience.prior
        parent = _number_in(prior.refinement.description) if prior else 0
        number = max(self._success) + 1
        self._success[number] = _bounded(self._success[parent] + self._reflector(self._chance))
        return Refinement(description=f"Do it, version {number}")


def lucky_scores(standings: Standings) -> list[float]:
    """The fewest successes in ten runs that would promote a version over version 0."""
    static = standings.find_card(0)
    for good in range(ENOUGH + 1):
        scores = [1.0] * good + [0.0] * (ENOUGH - good)
        card = Scorecard(version=1)
        for score in scores:
            run = TaskRun(version=1, at=_NOW, score=score, standing=Standing.ACCEPTED)
            card = add_run(card, run)
        beliefs = Standings(cards={0: static, 1: card}).beliefs
        if beliefs.compare(1, 0) >= PROMOTED_AT:
            return scores
    return [1.0] * ENOUGH


def follow_oracle(reflector: Effect, *, seed: int, runs: int) -> float:
    """The mean success of one that is told at once what a proposal does, and gets one each run."""
    chance, success, total = random.Random(seed), START, 0.0
    for _ in range(runs):
        total += success
        success = max(success, _bounded(success + reflector(chance)))
    return total / runs


async def story(
    reflector: Effect, *, gate: Gate, seed: int, runs: int, scored: Scored = Scored.YES_OR_NO
) -> list[float]:
    """The true success of every run of one seed."""
    world = World(reflector, gate=gate, seed=seed, scored=scored)
    return [await world.run() for _ in range(runs)]


async def runs_to_roll_back(effect: Effect, *, seed: int, scored: Scored) -> int | None:
    """After how many runs a planted champion had lost its place; `None`: it had not, in time."""
    world = World(REFLECTORS["even"], gate=Gate.EVIDENCE, seed=seed, scored=scored)
    for _ in range(BEFORE):
        await world.run()
    planted = world.plant(effect)
    for number in range(1, WITHIN + 1):
        await world.run()
        if world.champion() != planted:
            return number
    return None


def limit_for_yes_or_no(*, caught: float, draws: int = 4_000) -> float:
    """The share of helpful champions that any test must lose to catch that share of harmful ones.

    Even one that gives the champion every run and knows the static success beforehand.
    """
    chance = random.Random(1)

    def means(effect: Effect) -> list[float]:
        true = [_bounded(START + effect(chance)) for _ in range(draws)]
        return sorted(
            statistics.fmean(chance.random() < success for _ in range(WITHIN)) for success in true
        )

    threshold = means(harmful)[int(caught * draws)]
    return digits(statistics.fmean(mean <= threshold for mean in means(helpful)))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=int, default=100, metavar="N", help="simulated tasks")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help="runs of each")


def run(options: argparse.Namespace) -> Result:
    logging.getLogger("mulligan").setLevel(logging.ERROR)  # Runs without a score are meant here.
    seeds = range(options.seeds)
    kinds = [Scored.YES_OR_NO, Scored.GRADED, Scored.PAIRED]
    everyone = {**REFLECTORS, **ADVERSE}
    rounds = 2 * len(REFLECTORS) + len(ADVERSE) + len(REFLECTORS) + 1 + len(kinds) * len(PLANTED)
    with progress(len(seeds) * rounds) as step:

        def tell(effect: Effect, says: str, gate: Gate, scored: Scored) -> list[list[float]]:
            return _stories(
                effect, gate, scored, seeds=seeds, runs=options.runs, step=partial(step, says)
            )

        accepted = {n: tell(r, n, Gate.ACCEPT, Scored.YES_OR_NO) for n, r in REFLECTORS.items()}
        gated = {n: tell(r, n, Gate.EVIDENCE, Scored.YES_OR_NO) for n, r in everyone.items()}
        graded = {n: tell(r, n, Gate.EVIDENCE, Scored.GRADED) for n, r in REFLECTORS.items()}
        unscored = tell(harmful, "without a score", Gate.EVIDENCE, Scored.NOT)
        planted = {
            str(kind): {name: _planted(name, kind, seeds=seeds, step=step) for name in PLANTED}
            for kind in kinds
        }
    oracle = {
        name: digits(
            statistics.fmean(follow_oracle(r, seed=s, runs=options.runs) for s in range(400))
        )
        for name, r in REFLECTORS.items()
    }
    stories = {**gated, "without a score": unscored}
    means = {name: _mean(each) for name, each in stories.items()}
    lost = {
        "static": {name: digits(oracle[name] - START) for name in REFLECTORS},
        "accept_all": {name: digits(oracle[name] - _mean(accepted[name])) for name in REFLECTORS},
        "gated": {name: digits(oracle[name] - means[name]) for name in REFLECTORS},
    }
    return {
        "n": len(seeds),
        "runs": options.runs,
        "static": START,
        "oracle": oracle,
        "accept_all": {name: _mean(accepted[name]) for name in REFLECTORS},
        "gated": means,
        "gated_graded": {name: _mean(each) for name, each in graded.items()},
        "regret": lost,
        "at_the_end": {name: _mean(each, last=WINDOW) for name, each in stories.items()},
        "below_static": {name: digits(max(0.0, START - mean)) for name, mean in means.items()},
        "worst_window_below_static": {name: shortfall(each) for name, each in stories.items()},
        "worst_seed": {
            name: digits(min(map(statistics.fmean, each))) for name, each in stories.items()
        },
        "rolled_back": planted,
        "yes_or_no_limit": limit_for_yes_or_no(caught=0.95),
        "versions": {"python": platform.python_version(), "mulligan": version("mulligan")},
    }


def shortfall(stories: Sequence[Sequence[float]]) -> float:
    """How far below the static success the mean over all seeds ever was, over any 50 runs."""
    means = [statistics.fmean(each) for each in zip(*stories, strict=True)]
    width = min(WINDOW, len(means))
    windows = (statistics.fmean(means[i : i + width]) for i in range(len(means) - width + 1))
    return digits(max(0.0, START - min(windows)))


def show(result: Result) -> RenderableType:
    return Group(
        _show_means(result),
        _show_floor(result),
        _show_planted(result),
        Text(
            f"with yes or no alone, any test that catches 95 % of harmful champions in {WITHIN} "
            f"runs loses {result['yes_or_no_limit']:.0%} of helpful ones"
        ),
    )


def _show_means(result: Result) -> RenderableType:
    rows = [
        (
            name,
            result["static"],
            result["accept_all"][name],
            result["gated"][name],
            result["gated_graded"][name],
            result["at_the_end"][name],
            result["oracle"][name],
            " / ".join(f"{result['regret'][who][name]:.2f}" for who in result["regret"]),
        )
        for name in REFLECTORS
    ]
    columns = (
        "reflector",
        "static",
        "accept-all",
        "gated",
        "graded scores",
        f"last {WINDOW} runs",
        "oracle",
        "regret: static / all / gated",
    )
    title = f"mean success over {result['runs']} runs, {result['n']} seeds"
    return table(title, columns, rows)


def _show_floor(result: Result) -> RenderableType:
    rows = [
        (name, result["below_static"][name], result["worst_window_below_static"][name])
        for name in result["gated"]
    ]
    return table("below static", ("reflector", "over all runs", f"worst {WINDOW} runs"), rows)


def _show_planted(result: Result) -> RenderableType:
    kinds = list(result["rolled_back"])
    rows = [(name, *(result["rolled_back"][kind][name] for kind in kinds)) for name in PLANTED]
    title = f"champions rolled back within {WITHIN} runs, by how runs are scored"
    return table(title, ("planted version", *kinds), rows)


def _stories(
    effect: Effect,
    gate: Gate,
    scored: Scored,
    *,
    seeds: Sequence[int],
    runs: int,
    step: Callable[[], None],
) -> list[list[float]]:
    told = []
    for seed in seeds:
        step()
        told.append(asyncio.run(story(effect, gate=gate, seed=seed, runs=runs, scored=scored)))
    return told


def _planted(name: str, kind: Scored, *, seeds: Sequence[int], step: Step) -> float:
    found = []
    for seed in seeds:
        step(f"planted, {kind}: {name}")
        found.append(asyncio.run(runs_to_roll_back(PLANTED[name], seed=seed, scored=kind)))
    return _share(after is not None for after in found)


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
