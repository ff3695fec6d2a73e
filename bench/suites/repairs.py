"""What lessons say about failures of sources they were not made on: right, wrong, or silent."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from bench.data import add_data_arguments, read_cases
from bench.failures.environments import add_environment_arguments
from bench.failures.outside import (
    FILE,
    Case,
    Referee,
    World,
    episode_of,
    failed_call,
    fold_of,
    read_world,
)
from bench.failures.scope import required_drops, scope_changes
from bench.report import progress
from mulligan.learning.classify import classify_text
from mulligan.learning.decide import may_apply
from mulligan.learning.mining import load_seed_lessons, mine
from mulligan.learning.recall import Outcomes, build_chance, find_other_request, from_memory
from mulligan.learning.suggest import SOURCES, suggest_corrections
from mulligan.runtime.lookup import LEAST_TOLD
from mulligan.types.call import Failure
from mulligan.types.effect import Mode
from mulligan.types.lesson import Episode, Lesson

Result = dict[str, Any]
KINDS = OWN, CROSS, OTHER = "own", "cross", "other"
SCOPE = (
    "a value whose letters, digits and numbers are not those it had, that is a part of it or that "
    "the person did not say, and that neither bound, list, default nor missing argument explains; "
    "or an argument of the tool left out"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A correction that an agent would be told, and what is known of it."""

    tool: str
    of: str
    """Whose it is: a lesson of this tool, one of others, or no lesson's."""
    right: bool | None
    scope: bool
    dropped: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """All that an agent would be told about one failure."""

    tool: str
    proposed: tuple[Proposed, ...] = ()
    automatic: bool | None = None
    """Whether what mode `auto` would have made is right; `None`: it would have made nothing."""
    asked: bool = False
    """Told to ask, as what has helped before would ask for something else."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_environment_arguments(parser)


def run(options: argparse.Namespace) -> Result:
    world = read_world(options.data)
    cases = read_cases(options, FILE)
    found: list[Told] = []
    with closing(Referee(options)) as referee, progress(len(cases)) as step:
        lessons = _taught(cases, world)
        for case in cases:
            step(case["tool"])
            found.append(_told(case, world, lessons=lessons[fold_of(case)], by=referee))
        versions = referee.versions
    return {
        "n": len(cases),
        **summarize(found),
        "scope": SCOPE,
        "wrong_by_tool": _wrong(found),
        "versions": versions,
    }


def _taught(cases: Sequence[Case], world: World) -> Mapping[int, list[Lesson]]:
    """What each fifth of the tasks is told: the lessons of the other four, and the curated ones."""
    episodes: dict[int, list[Episode]] = defaultdict(list)
    for number, case in enumerate(cases):
        episode = episode_of(case, failed_call(case, world), number)
        for fold in {fold_of(each) for each in cases} - {fold_of(case)}:
            episodes[fold].append(episode)
    return {
        fold: [*mine(held, at=held[-1].at), *load_seed_lessons()] for fold, held in episodes.items()
    }


def _told(case: Case, world: World, *, lessons: Sequence[Lesson], by: Referee) -> Told:
    """What an agent would be told: by lessons, by the other sources, and what is for the person.

    Lessons and the other sources are asked apart, so that what both say counts for both.
    """
    failed = failed_call(case, world)
    failed = replace(failed, failure=Failure(error_class=classify_text(failed.error)))
    tools = {each.id: each.tool for each in lessons}
    memory = from_memory(lessons, chance=build_chance(Outcomes(), {}))
    learned = suggest_corrections(failed, sources=(memory,))
    others = suggest_corrections(failed, sources=SOURCES)
    likely = [each for each in learned if each.probability >= LEAST_TOLD]
    both = suggest_corrections(failed, sources=(*SOURCES, memory))
    best = next(iter(both), None)
    automatic = best is not None and may_apply(best, failed, mode=Mode.AUTO)
    other = find_other_request(failed, lessons)
    return Told(
        tool=case["tool"],
        proposed=tuple(
            Proposed(
                tool=case["tool"],
                of=OTHER if each.lesson is None else OWN if tools.get(each.lesson) else CROSS,
                right=by.judge(case, each),
                scope=bool(scope_changes(failed, each.patch.apply(failed.call.arguments))),
                dropped=bool(required_drops(failed, each.patch.apply(failed.call.arguments))),
            )
            for each in (*likely, *others)
        ),
        automatic=by.judge(case, best) if automatic and best is not None else None,
        asked=not both and other is not None,
    )


def summarize(found: Sequence[Told]) -> Result:
    """Counts over failures."""
    every = [each for told in found for each in told.proposed]
    lessons = [each for each in every if each.of != OTHER]
    automatic = [told.automatic for told in found if told.automatic is not None]
    silent = [told for told in found if all(each.of == OTHER for each in told.proposed)]
    n = len(found) or 1
    return {
        **{of: _count([each.right for each in every if each.of == of]) for of in KINDS},
        "auto": _count(automatic),
        "scope_changed": sum(each.scope for each in lessons),
        "scope_changed_others": sum(each.scope for each in every if each.of == OTHER),
        "required_dropped": sum(each.dropped for each in every),
        "silent_share": round(len(silent) / n, 4),
        "told_nothing_share": round(sum(not told.proposed for told in found) / n, 4),
        "asked_share": round(sum(told.asked for told in found) / n, 4),
        "unjudged": sum(each.right is None for each in every),
    }


def _count(truths: Sequence[bool | None]) -> Result:
    judged = [each for each in truths if each is not None]
    right = sum(judged)
    return {
        "n": len(judged),
        "right": round(right / len(judged), 4) if judged else None,
        "wrong": len(judged) - right,
        "made": len(truths),
    }


def _wrong(found: Sequence[Told]) -> dict[str, int]:
    wrong = (each for told in found for each in told.proposed if each.right is False)
    return dict(Counter(f"{each.of} {each.tool}" for each in wrong).most_common(10))
