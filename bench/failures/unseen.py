"""Forecasts about tools whose outcomes nobody has counted: one tool after the other left out.

What other tools' suggestions came to is known, and lessons of other tasks; of the tool itself only
those lessons. So it is for an application on the day on which it gets another tool.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial

from bench.data import read_cases
from bench.failures import outside, tau
from bench.failures.environments import Case, Environments
from bench.failures.learner import count_outcome, weighing
from bench.failures.outside import Referee
from bench.failures.proposing import Stage
from bench.failures.stream import BFCL, TAU, failures_in_order
from bench.report import Step
from bench.suites.memory import fold_of as scenario_fold
from bench.suites.tau_repair import same_arguments
from mulligan.learning.mining import load_seed_lessons, mine
from mulligan.learning.recall import Outcomes, build_chance, from_memory
from mulligan.learning.suggest import SOURCES, suggest_corrections
from mulligan.types.lesson import Episode, FailedCall, Lesson, Suggestion

OUTSIDE = "outside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """One failure of any source, and which fifth of its tasks it belongs to."""

    of: str
    case: Case
    failed: FailedCall
    fold: int
    repaired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What was said about a failure, and the result."""

    met: Met
    made: Suggestion
    came_true: bool


class Field:
    """Every failure there is data for, the lessons of each fifth, and who says what helps."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._environments = Environments(options)
        self._referee = Referee(options)
        self._known: dict[tuple[str, str], bool | None] = {}

    def close(self) -> None:
        with closing(self._environments), closing(self._referee):
            pass

    @cached_property
    def failures(self) -> list[Met]:
        return list(self._meet())

    def _meet(self) -> Iterator[Met]:
        schemas = tau.read_schemas(self._options.data)
        for each in failures_in_order(self._options):
            played = each.of == BFCL
            yield Met(
                of=each.of,
                case=each.case,
                failed=self._environments.failed_call(each.case)
                if played
                else tau.failed_call(each.case, schemas),
                fold=scenario_fold(each.case) if played else tau.fold_of(each.case),
                repaired=each.repaired,
            )
        world = outside.read_world(self._options.data)
        for case in read_cases(self._options, outside.FILE):
            yield Met(
                of=OUTSIDE,
                case=case,
                failed=outside.failed_call(case, world),
                fold=outside.fold_of(case),
                repaired="fixed_args" in case,
            )

    @cached_property
    def lessons(self) -> Mapping[int, list[Lesson]]:
        """What each fifth is told: the lessons of the other four, and the curated ones."""
        episodes: dict[int, list[Episode]] = defaultdict(list)
        for number, met in enumerate(self.failures):
            if met.repaired:
                episodes[met.fold].append(self._episode(met, number))
        return {
            fold: [*_mine(episodes, but=fold), *load_seed_lessons()] for fold in range(tau.FOLDS)
        }

    def _episode(self, met: Met, number: int) -> Episode:
        if met.of == BFCL:
            return self._environments.episode(met.case, number)
        by = tau.episode_of if met.of == TAU else outside.episode_of
        return by(met.case, met.failed, number)

    def forecast(self, met: Met, outcomes: Outcomes) -> Judged | None:
        """The likeliest suggestion, and its truth; `None`: there is none, or nobody can say."""
        chance = build_chance(outcomes, {})
        others = (weighing(each, outcomes) for each in SOURCES)
        sources = (*others, from_memory(self.lessons[met.fold], chance=chance))
        if met.of == BFCL:
            stage = Stage(self._environments, met.case, sources=sources)
            made = stage.proposal()
            judge: Callable[[Suggestion], bool | None] = stage.carry_out
        else:
            made = next(iter(suggest_corrections(met.failed, sources=sources)), None)
            judge = partial(self._compare, met)
        if made is None:
            return None
        key = (met.case["id"], str(made.patch))
        if key not in self._known:
            self._known[key] = judge(made)
        truth = self._known[key]
        return None if truth is None else Judged(met=met, made=made, came_true=truth)

    def _compare(self, met: Met, made: Suggestion) -> bool | None:
        if met.of == OUTSIDE:
            return self._referee.judge(met.case, made)
        after = made.patch.apply(met.failed.call.arguments)
        exact = met.repaired and same_arguments(after, met.case["fixed_args"])
        return exact and not made.patch.first


def forecast_unseen(field: Field, *, step: Step) -> list[Judged]:
    """Every failure with what is said of it by the outcomes of all other tools."""
    first = []
    for met in field.failures:
        step(met.case["tool"])
        first.append(field.forecast(met, Outcomes()))
    counted = [each for each in first if each is not None]
    found = []
    tools: dict[str, Outcomes] = {}
    for met in field.failures:
        step(met.case["tool"])
        tool = met.case["tool"]
        if tool not in tools:
            tools[tool] = _count([each for each in counted if each.met.case["tool"] != tool])
        found.append(field.forecast(met, tools[tool]))
    return [each for each in found if each is not None]


def _count(judged: Sequence[Judged]) -> Outcomes:
    outcomes = Outcomes()
    for each in judged:
        count_outcome(outcomes, each.met.failed, each.made, helped=each.came_true)
    return outcomes


def _mine(episodes: Mapping[int, Sequence[Episode]], *, but: int) -> list[Lesson]:
    held = [each for fold, some in episodes.items() if fold != but for each in some]
    return mine(held, at=held[-1].at) if held else []
