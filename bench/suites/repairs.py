"""What lessons say about failures of sources they were not made on: right, wrong, or silent."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Group, RenderableType

from bench.data import add_data_arguments, read_cases
from bench.environments import add_environment_arguments
from bench.outside import FILE, Case, Referee, World, episode_of, failed_call, fold_of, read_world
from bench.report import progress, table
from bench.scope import required_drops, scope_changes
from bench.versions import ours
from mulligan.core.call import Failure
from mulligan.core.effect import Mode
from mulligan.core.lesson import Episode, Lesson
from mulligan.core.suggestion import Origin, Suggestion
from mulligan.learning.errors.wording import classify_text
from mulligan.learning.lessons.mine import mine
from mulligan.learning.lessons.probability import Outcomes, build_chance
from mulligan.learning.lessons.recall import from_memory
from mulligan.learning.lessons.seed import load_seed_lessons
from mulligan.learning.repair.applying import may_apply
from mulligan.learning.repair.suggest import SOURCES, suggest_corrections
from mulligan.turns.memory.lookup import LEAST_TOLD

Result = dict[str, Any]
OWN, CROSS, OTHER = "own", "cross", "other"
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
    automatic: bool
    scope: bool
    dropped: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_environment_arguments(parser)
    parser.add_argument(
        "--tools", metavar="NAME,…", help="report these tools apart from the others"
    )


def run(options: argparse.Namespace) -> Result:
    world = read_world(options.data)
    cases = read_cases(options, FILE)
    found: list[list[Proposed]] = []
    with closing(Referee(options)) as referee, progress(len(cases)) as step:
        lessons = _taught(cases, world)
        for case in cases:
            step(case["tool"])
            found.append(list(_proposed(case, world, lessons=lessons[fold_of(case)], by=referee)))
        versions = referee.versions
    apart = frozenset((options.tools or "").split(",")) - {""}
    return {
        "half": options.half,
        "n": len(cases),
        **summarize(found),
        "scope": SCOPE,
        "apart": {
            name: summarize([f for c, f in zip(cases, found, strict=True) if c["tool"] == name])
            for name in sorted(apart)
        },
        "others": summarize(
            [f for c, f in zip(cases, found, strict=True) if c["tool"] not in apart]
        )
        if apart
        else None,
        "wrong_by_tool": _wrong(found),
        "versions": {**versions, **ours()},
    }


def show(result: Result) -> RenderableType:
    rows = [(of, *(result[of].get(name) for name in ("n", "right"))) for of in (OWN, CROSS, OTHER)]
    rows.append(("auto", result["auto"]["n"], result["auto"]["right"]))
    names = ("scope_changed", "required_dropped", "silent_share", "unjudged")
    return Group(
        table(f"repairs ({result['half']}, n={result['n']})", ("of", "n", "right"), rows),
        table("and", ("figure", "value"), [(name, result[name]) for name in names]),
        f"scope: {result['scope']}",
    )


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


def _proposed(
    case: Case, world: World, *, lessons: Sequence[Lesson], by: Referee
) -> Iterator[Proposed]:
    failed = failed_call(case, world)
    failed = replace(failed, failure=Failure(error_class=classify_text(failed.error)))
    tools = {each.id: each.tool for each in lessons}
    memory = from_memory(lessons, chance=build_chance(Outcomes(), {}))
    found = suggest_corrections(failed, sources=(*SOURCES, memory))
    told = [e for e in found if e.source is not Origin.MEMORY or e.probability >= LEAST_TOLD]
    for at, each in enumerate(told):
        after = each.patch.apply(failed.call.arguments)
        yield Proposed(
            tool=case["tool"],
            of=_whose(each, tools),
            right=by.judge(case, each),
            automatic=at == 0 and may_apply(each, failed, mode=Mode.AUTO),
            scope=bool(scope_changes(failed, after)),
            dropped=bool(required_drops(failed, after)),
        )


def _whose(made: Suggestion, tools: Mapping[str, str]) -> str:
    if made.lesson is None:
        return OTHER
    return OWN if tools.get(made.lesson) else CROSS


def summarize(found: Sequence[Sequence[Proposed]]) -> Result:
    """Counts over failures, each given with all that an agent would be told about it."""
    every = [each for told in found for each in told]
    lessons = [each for each in every if each.of != OTHER]
    automatic = [each for each in every if each.automatic]
    silent = sum(not any(each.of != OTHER for each in told) for told in found)
    return {
        **{of: _counted([each for each in every if each.of == of]) for of in (OWN, CROSS, OTHER)},
        "auto": _counted(automatic),
        "scope_changed": sum(each.scope for each in lessons),
        "scope_changed_others": sum(each.scope for each in every if each.of == OTHER),
        "required_dropped": sum(each.dropped for each in every),
        "silent_share": round(silent / len(found), 4) if found else None,
        "told_nothing_share": round(sum(not each for each in found) / len(found), 4)
        if found
        else None,
        "unjudged": sum(each.right is None for each in every),
    }


def _counted(held: Sequence[Proposed]) -> Result:
    judged = [each.right for each in held if each.right is not None]
    right = sum(judged)
    return {
        "n": len(judged),
        "right": round(right / len(judged), 4) if judged else None,
        "wrong": len(judged) - right,
        "made": len(held),
    }


def _wrong(found: Sequence[Sequence[Proposed]]) -> dict[str, int]:
    wrong = (each for told in found for each in told if each.right is False)
    return dict(Counter(f"{each.of} {each.tool}" for each in wrong).most_common(10))
