"""Contenders in worker processes, asked in turn: what disturbs one block disturbs them all."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from bench.missing import MissingError
from bench.peers import ROOT

Answer = dict[str, Any]
Ask = Callable[[int], Answer]
"""Makes a contender run one block; the number seeds its payloads, the same for all."""


class Worker:
    """One process that measures one thing, in the environment that thing lives in."""

    def __init__(
        self, module: str, *arguments: str, python: Path, also: Mapping[str, str] | None = None
    ) -> None:
        self._module = module
        self._complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the worker
        self._process = subprocess.Popen(
            [str(python), "-m", f"bench.workers.{module}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
            cwd=ROOT,
            env={**_environment(), **(also or {})},
        )
        try:
            self.versions: dict[str, str] = self._answer()["versions"]
        except MissingError:
            self.close()
            raise

    def ask(self, operation: str, **parameters: object) -> Answer:
        """Run one operation and wait for what it measured."""
        assert self._process.stdin is not None
        # A worker that is gone shows in its answer, together with its last words.
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"op": operation, **parameters}) + "\n")
            self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Let the worker finish, and wait for it."""
        self._process.communicate()
        self._complaints.close()

    def _answer(self) -> Answer:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._complaints.seek(0)
            said = self._complaints.read().strip().splitlines() or ["without a word"]
            raise MissingError(f"The worker {self._module!r} ended early: {said[-1]}")
        answer: Answer = json.loads(line)
        return answer


def start_workers(
    stack: ExitStack,
    wanted: Mapping[str, tuple[Path | None, str, *tuple[str, ...]]],
    *,
    also: Mapping[str, str] | None = None,
) -> dict[str, Worker]:
    """Those whose interpreter is there, for as long as the stack lasts; each idles in its turn."""
    workers = {}
    for name, (python, module, *arguments) in wanted.items():
        if python is not None:
            workers[name] = Worker(module, *arguments, python=python, also=also)
            stack.callback(workers[name].close)
    return workers


def read_versions(workers: Mapping[str, Worker]) -> dict[str, str]:
    """What all of them measure."""
    return {name: each for worker in workers.values() for name, each in worker.versions.items()}


def interleave(
    contenders: Mapping[str, Ask],
    *,
    rounds: int,
    chance: random.Random,
    step: Callable[[], None],
    warm_ups: int = 1,
) -> dict[str, list[Answer]]:
    """Let every contender run a block in each round, in random order; warm-ups are thrown away."""
    answers: dict[str, list[Answer]] = {name: [] for name in contenders}
    for number in range(-warm_ups, rounds):
        for name in chance.sample(sorted(contenders), k=len(contenders)):
            answer = contenders[name](number)
            if number >= 0:
                answers[name].append(answer)
        if number >= 0:
            step()
    return answers


def pick(answers: Sequence[Answer], key: str) -> list[float]:
    """One figure of every block, in the order of the rounds."""
    return [float(answer[key]) for answer in answers]


def middle(values: Sequence[float]) -> float:
    """The median, to four digits."""
    return digits(statistics.median(values))


def quartiles(values: Sequence[float]) -> dict[str, float]:
    """The spread of the blocks around their median."""
    few = len(values) < 2
    low, mid, high = (
        [values[0]] * 3 if few else statistics.quantiles(values, n=4, method="inclusive")
    )
    return {"q1": digits(low), "median": digits(mid), "q3": digits(high)}


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, dict[str, float]]:
    """Median ÷ median, and the spread of the ratios within each round."""
    whole = digits(statistics.median(ours) / statistics.median(theirs))
    return whole, quartiles([mine / other for mine, other in zip(ours, theirs, strict=True)])


def digits(value: float, *, most: int = 4) -> float:
    """A figure without the digits nobody measured."""
    return float(f"{value:.{most}g}")


def _environment() -> dict[str, str]:
    """The same for all, without settings that would change what is measured."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OTEL_", "MULLIGAN_"))}
    return {**kept, "PYTHONHASHSEED": "0"}


def compare_all(
    *wanted: tuple[str, list[float], list[float] | None],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Each ratio and its spread; `None` where the peer is not there."""
    keys: dict[str, Any] = {}
    spread: dict[str, Any] = {}
    for key, ours, theirs in wanted:
        keys[key] = None
        if theirs:
            keys[key], spread[key] = ratio(ours, theirs)
    return keys, spread
