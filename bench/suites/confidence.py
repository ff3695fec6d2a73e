"""Of runs whose outcome is known: how many are right among those that are shown as sure."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.dojo import EFFECTS as DESK_EFFECTS
from bench.dojo import NO_CLOCK, choose_facts, list_steps, open_desks
from bench.failures.tau import read_schemas
from bench.office import EFFECTS, facts_for, open_office
from bench.report import progress, share
from bench.suites import dialogs, solo_retail
from bench.suites.workbench import is_refusal, read_observation
from mulligan.checks.parameters import ToolShape
from mulligan.checks.standard import StandardChecks
from mulligan.checks.tool_outputs import as_record
from mulligan.loops.actions import Attempted, Reviewers, review_attempt
from mulligan.types.effect import Effect
from mulligan.types.interfaces import Gather
from mulligan.types.turn import Turn

Result = dict[str, Any]
Case = Mapping[str, Any]
Run = tuple[Turn, Sequence[Case], bool, Reviewers, Collection[str]]
"""A turn, its calls, whether they were right, who reviews, and which tools change something."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    parser.add_argument("--list", action="store_true", help="also the wrong runs shown as sure")


def run(options: argparse.Namespace) -> Result:
    sets = {
        "workbench": _read_office(options),
        "agentdojo": _read_desks(options),
        "solo_retail": _read_shop(options),
        "dialogs": _read_dialogs(options),
    }
    looked = asyncio.run(_look_at_all(sets))
    everything = [each for some in looked.values() for each in some]
    result: Result = {
        "n": len(everything),
        "all": _count(everything),
        "by_set": {name: _count(some) for name, some in looked.items()},
    }
    sure = [name for name, shown, right in everything if shown == "high" and not right]
    return result | ({"sure_but_wrong": sure} if options.list else {})


Looked = tuple[str, str, bool]
"""Which run, how it was shown, and whether it was right."""


async def _look_at_all(sets: Mapping[str, Iterator[Run]]) -> dict[str, list[Looked]]:
    looked: dict[str, list[Looked]] = defaultdict(list)
    with progress(len(sets)) as step:
        for name, runs in sets.items():
            step(name)
            for turn, calls, right, by, writes in runs:
                shown = await _show(turn, calls, by=by, writes=writes)
                if shown is not None:
                    looked[name].append((turn.id, shown, right))
    return looked


async def _show(
    turn: Turn, calls: Sequence[Case], *, by: Reviewers, writes: Collection[str]
) -> str | None:
    """How a turn would be shown; `None`: it changed nothing."""
    made = [dialogs.build_execution(call, f"c{number:03}") for number, call in enumerate(calls)]
    acted = frozenset(
        each.call.id
        for each, call in zip(made, calls, strict=True)
        if each.call.tool in writes and not call.get("error")
    )
    if not acted:
        return None
    attempted = Attempted(
        turn=turn, executions=tuple(made), earlier=turn.history.executions, acted=acted
    )
    verdict = await review_attempt(attempted, by=by, attempt=1, judged=False)
    if verdict.standing.value == "accepted" and verdict.confidence is not None:
        return str(verdict.confidence.value)
    return str(verdict.standing.value)


def _read_office(options: argparse.Namespace) -> Iterator[Run]:
    facts = facts_for(open_office(options.data / "workbench"))
    by = Reviewers(checks=[StandardChecks(lambda _: None)], gathers=facts)
    for case in read_cases(options, "workbench/runs"):
        if len(case["calls"]) != len(case["observations"]):
            continue
        now = datetime.fromisoformat(case["now"]).replace(tzinfo=UTC)
        turn = Turn(id=case["id"], message=case["query"], now=now, timezone="UTC")
        calls = []
        for made, observed in zip(case["calls"], case["observations"], strict=True):
            result = read_observation(observed)
            refused = made["tool"] in EFFECTS and is_refusal(result)
            given = as_record(made["args"])
            calls.append({"tool": made["tool"], "args": given, "result": result})
            calls[-1] |= {"error": result} if refused else {}
        yield turn, calls, case["correct"], by, EFFECTS


def _read_desks(options: argparse.Namespace) -> Iterator[Run]:
    desks = open_desks(options.data)
    reviewers = {}
    for name, desk in desks.items():
        shapes = _build_shapes(desk.schemas, DESK_EFFECTS)
        facts: Sequence[Gather] = choose_facts(desk)
        reviewers[name] = Reviewers(
            checks=[StandardChecks(lambda call, known=shapes: known.get(call.tool))], gathers=facts
        )
    labels = {"correct": True, "wrong-write": False, "utility-ok-but-extra-writes": False}
    for case in read_cases(options, "outside/agentdojo_runs"):
        if case["suite"] in NO_CLOCK or case["label"] not in labels:
            continue
        steps = list(list_steps(case))
        if steps:
            by = reviewers[case["suite"]]
            yield steps[-1][1].turn, case["steps"], labels[case["label"]], by, DESK_EFFECTS


def _build_shapes(
    schemas: Mapping[str, Mapping[str, object]], writes: Collection[str]
) -> dict[str, ToolShape]:
    return {
        tool: ToolShape(
            tool=tool,
            schema=schema,
            effect=Effect.REVERSIBLE if tool in writes else Effect.READ,
        )
        for tool, schema in schemas.items()
    }


def _read_shop(options: argparse.Namespace) -> Iterator[Run]:
    by = dialogs.build_reviewers(
        read_schemas(options.data)[solo_retail.DESK], writes=solo_retail.WRITES
    )
    for case in read_cases(options, "third/solo_retail"):
        turn = Turn(id=case["id"], message=case["message"], now=solo_retail.NOW, timezone="UTC")
        yield turn, case["calls"], case["correct"], by, solo_retail.WRITES


def _read_dialogs(options: argparse.Namespace) -> Iterator[Run]:
    """The right turns, and the same with one mistake planted."""
    about = dialogs.read_tools(options)
    reviewers = {
        name: dialogs.build_reviewers(about["schemas"][name], writes=about["writes"][name])
        for name in about["schemas"]
    }
    for case in read_cases(options, "third/dialogs"):
        writes, by = about["writes"][case["set"]], reviewers[case["set"]]
        turn = dialogs.build_turn(case)
        yield turn, case["calls"], True, by, writes
        for _, calls in dialogs.plant(case, writes):
            yield turn, calls, False, by, writes


def _count(looked: Sequence[Looked]) -> Result:
    """By how runs were shown, how many there are and how many of them are right."""
    shown = Counter(how for _, how, _ in looked)
    right = Counter(how for _, how, good in looked if good)
    return {
        how: {
            "n": n,
            "right": right[how],
            "right_share": share([True] * right[how] + [False] * (n - right[how])),
        }
        for how, n in sorted(shown.items())
    }
