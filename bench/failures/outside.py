"""Failing calls of agents and servers that no rule of ours was made on, in our words."""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.data import read_json
from bench.failures.environments import PINS
from bench.failures.past import past_episode
from bench.peers import peer_python
from bench.rounds import Worker
from mulligan.learning.mining import find_remedies
from mulligan.types.call import Call, Failure
from mulligan.types.effect import Effect
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Earlier, Episode, FailedCall, Remedy, Suggestion

Case = dict[str, Any]
Schemas = Mapping[str, Mapping[str, object]]
World = Mapping[str, Schemas]
"""The tools of each of AgentDojo's suites, with their schemas."""

FILE = "outside/repair_pairs"
FOLDS = 5


def read_world(data: Path) -> World:
    """The schemas that are known; servers whose schemas are not in the data have none."""
    held = read_json(data / "outside" / "agentdojo_world.json")
    return {
        suite: {name: tool["schema"] for name, tool in each["tools"].items()}
        for suite, each in held.items()
    }


def fold_of(case: Case) -> int:
    """Which fifth of the tasks a case belongs to."""
    task = f"{case['source']}|{case['suite']}|{case['task']}"
    return zlib.crc32(task.encode()) % FOLDS


def failed_call(case: Case, world: World) -> FailedCall:
    """A case as the layer would see it at the failure."""
    schemas = world.get(case["suite"] or "", {})
    return FailedCall(
        call=Call(id=case["id"], tool=case["tool"], arguments=case["failed_args"]),
        failure=Failure(error_class=ErrorClass.UNKNOWN),
        error=case["error"],
        schema=schemas.get(case["tool"], {}),
        effect=Effect.UNDECLARED if case["write"] else Effect.READ,
        tools=tuple(schemas),
        said=tuple(case["said"]),
        earlier=tuple(_earlier(each) for each in case["prior_calls"]),
    )


def episode_of(case: Case, failed: FailedCall, number: int) -> Episode:
    """A case as the failure store would keep it. What calls in between gave is not in the data."""
    remedies: tuple[Remedy, ...] = ()
    if "fixed_args" in case:
        between = [_earlier(each) for each in case["calls_between"]]
        remedies = find_remedies(failed, case["fixed_args"], between=between)
    return past_episode(case, failed, number=number, turn=case["session"], remedies=remedies)


def _earlier(made: Case) -> Earlier:
    return Earlier(
        tool=made["tool"], arguments=made["args"], result=made.get("result"), failed=not made["ok"]
    )


class Referee:
    """Says whether a proposal is right: it is carried out where that can be, else compared."""

    def __init__(self, options: argparse.Namespace) -> None:
        install = not options.no_install
        python = peer_python(options.environments, install=install, pins=PINS, alone=True)
        self._worker = Worker("agentdojo_environments", python=python)

    @property
    def versions(self) -> dict[str, str]:
        return self._worker.versions

    def close(self) -> None:
        self._worker.close()

    def judge(self, case: Case, made: Suggestion) -> bool | None:
        """Whether it helps; `None` where neither an environment nor the data can say.

        A failure that the environment does not show again, as what was planted in it is not there,
        is compared. So is what leaves something for the agent to say.
        """
        after = made.patch.apply(case["failed_args"])
        first = made.patch.first
        if case["source"] == "agentdojo" and all(each.arguments is not None for each in first):
            tool = made.patch.tool or case["tool"]
            before = [[each.tool, dict(each.arguments or {})] for each in first]
            calls = [[each["tool"], each["args"]] for each in case["prior_calls"]]
            if self._fails(case, [*calls, [case["tool"], case["failed_args"]]]):
                return not self._fails(case, [*calls, *before, [tool, after]])
        return self._compare(case, made, after)

    def _fails(self, case: Case, calls: list[list[Any]]) -> bool:
        answers = self._worker.ask("play", suite=case["suite"], calls=calls)["answers"]
        _, error = answers[-1]
        return error is not None

    def _compare(self, case: Case, made: Suggestion, after: Mapping[str, object]) -> bool | None:
        if "fixed_args" not in case:
            return None
        called = {each["tool"] for each in case["calls_between"]}
        return after == case["fixed_args"] and {each.tool for each in made.patch.first} <= called
