"""Tasks whose versions have a true success that only their world knows, and who proposes them."""

from __future__ import annotations

import random
import re
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from examples.own_task_versions import ShelfOfVersions
from mulligan.learning.task_selection import ENOUGH, PROMOTED_AT, Standings
from mulligan.learning.task_versions import Scores
from mulligan.loops.learning import Learning
from mulligan.loops.tasks import run_task
from mulligan.types.display import Question
from mulligan.types.finding import Standing
from mulligan.types.limits import Budget
from mulligan.types.notes import Ground, Notes, NotesState, Refinement, Scorecard, TaskRun
from mulligan.types.task import Experience, Gate, Ran, Reflect, Task

Effect = Callable[[random.Random], float]
"""Draws what a version does to the success of the one it builds on."""

START = 0.60
INPUT, NOISE = 0.2, 0.1
"""How much graded scores vary with the input, and from run to run on one input."""
JUDGE_NOISE = 0.1
"""How much a judge's scores vary beyond that; they are whole numbers from 0 to 10."""
_MADE = re.compile(r"made with (\S+)")
_SAYS = re.compile(r"version (\d+)")
_NOW = datetime(2026, 11, 16, tzinfo=UTC)


class Scored(StrEnum):
    """How a run says how good it was."""

    YES_OR_NO = "yes or no"
    GRADED = "graded"
    PAIRED = "graded, in pairs"
    YES_OR_NO_PAIRED = "yes or no, in pairs"
    JUDGED = "by a judge"
    JUDGED_PAIRED = "by a judge, in pairs"
    NOT = "not at all"


IN_PAIRS = (Scored.PAIRED, Scored.YES_OR_NO_PAIRED, Scored.JUDGED_PAIRED)
BY_JUDGE = (Scored.JUDGED, Scored.JUDGED_PAIRED)


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


async def _read_score(output: object) -> float:
    """A yes, a no or a grade is its own score; async, so that no thread is started for it."""
    return float(output) if isinstance(output, int | float) else 0.0


class SimulatedJudge:
    """Scores outputs that say how good they are, as a model would: in whole numbers, with noise."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def ask(self, question: Question[Any]) -> Any:
        text = "\n".join(question.untrusted.values())
        found = [self._score(float(each)) for each in _MADE.findall(text)]
        return Scores(first=found[0], second=found[1] if found[1:] else None)

    def _score(self, made: float) -> float:
        return round(10 * bounded(made + self._chance.gauss(0.0, JUDGE_NOISE)))


class _Versions(ShelfOfVersions):
    """The certified task versions of the example, in a dict: far quicker than tables."""

    def __init__(self) -> None:
        super().__init__(Path())
        self._kept: dict[str, Any] = {}

    @contextmanager
    def _shelf(self) -> Iterator[Any]:
        yield self._kept


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
            score=None if scored is Scored.NOT or scored in BY_JUDGE else _read_score,
            paired=scored in IN_PAIRS,
            judge=SimulatedJudge(self._chance) if scored in BY_JUDGE else None,
            judged=Budget(time=None),
        )
        self._task = Task(
            id="simulated", description="Do it.", expected_output="It.", reflect=settings
        )
        self._ground = Ground(task="simulated", definition=self._task.definition)
        self._task_versions = _Versions()
        self._using = Learning(
            task_versions=self._task_versions,
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
        # What a version and the static text share on one input.
        hard = self._scored is Scored.YES_OR_NO_PAIRED
        luck = self._chance.random() if hard else self._chance.gauss(0.0, INPUT)

        async def work(prompt: str) -> object:
            success = self._success[_number_in(prompt)]
            successes.append(success)
            return self._draw(success, luck)

        await run_task(self._task, work, using=self._using)
        return statistics.fmean(successes)

    def plant(self, effect: Effect) -> int:
        """Make a version champion on evidence that just suffices, however it came by that."""
        number = len(self._task_versions.list_versions("simulated"))
        self._success[number] = bounded(START + effect(self._chance))
        refinement = Refinement(description=f"Do it, version {number}")
        self._task_versions.append(
            Notes(task="simulated", version=number, parent=0, refinement=refinement, at=_NOW)
        )
        for good in lucky_scores(self._standings()):
            run = TaskRun(version=number, at=_NOW, score=good, standing=Standing.ACCEPTED)
            self._task_versions.count(self._ground, run=run)
        was, state = NotesState.TRIAL, NotesState.CHAMPION
        self._task_versions.move(self._ground, version=number, state=state, was=was)
        return number

    def champion(self) -> int:
        """The version that is proven best, as the task versions has it."""
        return self._standings().champion

    def _standings(self) -> Standings:
        cards = self._task_versions.list_scorecards(self._ground)
        return Standings(cards={card.version: card for card in cards})

    def _draw(self, success: float, luck: float) -> object:
        if self._scored is Scored.NOT:
            return "done"
        if self._scored is Scored.YES_OR_NO:
            return Ran(output=self._chance.random() < success)
        if self._scored is Scored.YES_OR_NO_PAIRED:
            return Ran(output=passes(success, hard=luck, chance=self._chance))
        if self._scored in BY_JUDGE:
            return f"made with {success + luck + self._chance.gauss(0.0, NOISE):.3f}"
        return Ran(output=bounded(success + luck + self._chance.gauss(0.0, NOISE)))

    async def _propose(self, experience: Experience) -> Refinement:
        prior = experience.prior
        parent = _number_in(prior.refinement.description) if prior else 0
        number = max(self._success) + 1
        self._success[number] = bounded(self._success[parent] + self._reflector(self._chance))
        return Refinement(description=f"Do it, version {number}")


def passes(success: float, *, hard: float, chance: random.Random) -> bool:
    """A yes or a no on an input that is so hard, from 0 to 1."""
    return hard + chance.gauss(0.0, NOISE) < success


def draw_pair(one: float, other: float, *, chance: random.Random) -> int:
    """One more yes than the other on the same input, one less, or a tie."""
    hard = chance.random()
    return passes(one, hard=hard, chance=chance) - passes(other, hard=hard, chance=chance)


def lucky_scores(standings: Standings) -> list[float]:
    """The fewest successes in ten runs that would promote a version over version 0."""
    static = standings.find_card(0)
    for good in range(ENOUGH + 1):
        card = Scorecard(version=1, runs=ENOUGH, scored=ENOUGH, score=good, squares=good)
        beliefs = Standings(cards={0: static, 1: card}).beliefs
        if beliefs.compare(1, 0) >= PROMOTED_AT:
            return [1.0] * good + [0.0] * (ENOUGH - good)
    return [1.0] * ENOUGH


async def _at_once(function: Callable[[], Any]) -> Any:
    """A `TaskVersions` in memory never waits, so no thread is needed."""
    return function()


def _number_in(text: str) -> int:
    """The version that a prompt or a refinement names; the static text names none."""
    found = _SAYS.search(text)
    return int(found[1]) if found else 0


def bounded(success: float) -> float:
    return min(1.0, max(0.0, success))
