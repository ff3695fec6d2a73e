"""Failures repaired by what earlier ones taught: proposals executed in the real environments."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.failures.environments import Case, Environments, add_environment_arguments
from bench.failures.learner import taught_by
from bench.failures.proposing import Trial, try_out
from bench.failures.tau import add_history_argument, read_history
from bench.report import Step, progress
from mulligan.learning.suggest import SOURCES
from mulligan.types.lesson import Episode

Result = dict[str, Any]
FILE = "bfcl_multiturn/repair_pairs"
FOLDS = 5
RUNS = ("cold", "warm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_history_argument(parser)
    add_environment_arguments(parser)


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, FILE)
    history = read_history(options, FILE)
    steps = 2 * len(cases) + len(history)
    with closing(Environments(options)) as environments:
        with progress(steps) as announce:
            memory = taught_by(list(_episodes(environments, history, step=announce)))
            trials: dict[str, list[Trial]] = {name: [] for name in RUNS}
            for case in cases:
                announce(case["tool"])
                trials["cold"].append(try_out(environments, case, sources=SOURCES))
                announce(case["tool"])
                sources = (*SOURCES, memory(None if options.history else fold_of(case)))
                trials["warm"].append(try_out(environments, case, sources=sources))
        versions = environments.versions
    return {
        "n": len(cases),
        **{name: _shares(cases, held) for name, held in trials.items()},
        "groups": len({case["error_group"] for case in cases}),
        "history": len(history),
        "versions": versions,
    }


def _episodes(
    environments: Environments, history: Sequence[Case], *, step: Step
) -> Iterator[tuple[int, Episode]]:
    for number, case in enumerate(history):
        step("learning")
        yield fold_of(case), environments.episode(case, number)


def fold_of(case: Case) -> int:
    """By the number of the scenario: its variants share their environment and their errors."""
    return int(case["test"].rsplit("_", 1)[1]) % FOLDS


def _shares(cases: Sequence[Case], trials: Sequence[Trial]) -> dict[str, float]:
    """Success over all failures, and the mean over the groups of errors."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for case, trial in zip(cases, trials, strict=True):
        groups[case["error_group"]].append(trial.succeeded)
    n = len(cases) or 1
    macro = sum(sum(each) / len(each) for each in groups.values()) / (len(groups) or 1)
    return {
        "micro": round(sum(trial.succeeded for trial in trials) / n, 4),
        "macro": round(macro, 4),
        "first_try": round(sum(trial.succeeded and trial.tries == 1 for trial in trials) / n, 4),
        "silent": round(sum(not trial.tries for trial in trials) / n, 4),
    }
