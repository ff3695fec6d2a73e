"""Scenarios of BFCL played again: a failing call, what was done about it, and what we propose."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bench.failures.past import past_episode
from bench.peers import ROOT, peer_python
from bench.rounds import Worker
from mulligan.learning.mining import find_remedies
from mulligan.types.call import Call, Failure
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Earlier, Episode, FailedCall, Remedy

Case = dict[str, Any]
Schemas = Mapping[str, Mapping[str, object]]
PINS = ROOT / "bench" / "peers-alone.txt"


def add_environment_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the environments are, and whether they may be installed."""
    parser.add_argument(
        "--environments",
        type=Path,
        default=ROOT / ".venv-environments",
        metavar="DIR",
        help="their virtual environment (made when it is not there)",
    )
    parser.add_argument("--no-install", action="store_true", help="never install them")


class Environments:
    """A worker that plays calls in fresh environments, and what is known of their tools."""

    def __init__(self, options: argparse.Namespace) -> None:
        install = not options.no_install
        python = peer_python(options.environments, install=install, pins=PINS, alone=True)
        self._worker = Worker("bfcl_environments", python=python)
        self._schemas: dict[str, Schemas] = {}

    @property
    def versions(self) -> dict[str, str]:
        return self._worker.versions

    def close(self) -> None:
        self._worker.close()

    def schemas(self, test: str) -> Schemas:
        """The schemas of a scenario's tools."""
        if test not in self._schemas:
            self._schemas[test] = self._worker.ask("tools", test=test)["tools"]
        return self._schemas[test]

    def play(self, test: str, calls: list[Earlier]) -> list[Earlier]:
        """The calls with what they gave, made one after the other in a fresh environment."""
        written = [[each.tool, dict(each.arguments)] for each in calls]
        answers = self._worker.ask("play", test=test, calls=written)["answers"]
        return [
            replace(each, result=answer, failed=is_error(answer))
            for each, answer in zip(calls, answers, strict=True)
        ]

    def failed_call(self, case: Case) -> FailedCall:
        """A case as the layer would see it at the failure."""
        schemas = self.schemas(case["test"])
        earlier = tuple(
            Earlier(
                tool=each["tool"],
                arguments=each["args"],
                result=each["result"],
                failed=not each["ok"],
            )
            for each in case["prior_calls"]
        )
        return FailedCall(
            call=Call(id=case["id"], tool=case["tool"], arguments=case["failed_args"]),
            failure=Failure(error_class=ErrorClass.UNKNOWN),
            error=case["error"],
            schema=schemas.get(case["tool"], {}),
            tools=tuple(schemas),
            said=tuple(case["user_messages"]),
            earlier=earlier,
        )

    def episode(self, case: Case, number: int) -> Episode:
        """A case as the failure store would keep it."""
        failed = self.failed_call(case)
        return past_episode(
            case,
            failed,
            number=number,
            turn=case["test"],
            remedies=self._remedies(case, failed) if "fixed_args" in case else (),
        )

    def _remedies(self, case: Case, failed: FailedCall) -> tuple[Remedy, ...]:
        """How it was repaired, with what the calls between really brought."""
        before = [Earlier(tool=each.tool, arguments=each.arguments) for each in failed.earlier]
        between = [
            Earlier(tool=each["tool"], arguments=each["args"])
            for each in case["calls_between_list"]
        ]
        broken = Earlier(tool=case["tool"], arguments=case["failed_args"])
        played = self.play(case["test"], [*before, broken, *between])
        return find_remedies(
            failed,
            case["fixed_args"],
            between=played[len(before) + 1 :],
        )


def is_error(answer: str) -> bool:
    """Whether an environment says no: it does so in a field `error`, or by raising."""
    if answer.startswith("Error during execution"):
        return True
    try:
        found = json.loads(answer)
    except ValueError:
        return False
    return isinstance(found, dict) and "error" in found
