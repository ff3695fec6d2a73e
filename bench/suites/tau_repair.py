"""Failed calls whose right arguments are known: how many proposals are exact or do harm."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.failures.learner import taught_by
from bench.failures.tau import (
    Case,
    Schemas,
    add_history_argument,
    episode_of,
    failed_call,
    fold_of,
    read_history,
    read_schemas,
)
from bench.report import progress
from mulligan.learning.suggest import SOURCES, suggest_corrections
from mulligan.types.interfaces import Suggest

Result = dict[str, Any]
OUTCOMES = ("exact", "harmful", "wrong_but_harmless", "silent")
CLASSES = ("values_in_prior_context", "computed_or_guessed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_history_argument(parser)


def run(options: argparse.Namespace) -> Result:
    schemas = read_schemas(options.data)
    history = read_history(options, "tau/repair_pairs")
    cases = [
        case
        for case in read_cases(options, "tau/repair_pairs")
        if case.get("gold_strict") and case["repair_class"] in CLASSES
    ]
    memory = taught_by(
        [
            (fold_of(case), episode_of(case, failed_call(case, schemas), number))
            for number, case in enumerate(history)
        ]
    )
    cold: Counter[str] = Counter()
    warm: Counter[str] = Counter()
    with progress(len(cases)) as step:
        for case in cases:
            step(case["tool"])
            cold[_judged(case, schemas, sources=SOURCES)] += 1
            taught = memory(None if options.history else fold_of(case))
            warm[_judged(case, schemas, sources=(*SOURCES, taught))] += 1
    return {
        "n": len(cases),
        **_counted(warm),
        "exact_share": round(warm["exact"] / len(cases), 4) if cases else 0.0,
        "cold": _counted(cold),
        "history": len(history),
    }


def _counted(outcomes: Mapping[str, int]) -> Result:
    counts = {name: outcomes.get(name, 0) for name in OUTCOMES}
    return {**counts, "score": counts["exact"] - counts["harmful"]}


def _judged(case: Case, schemas: Schemas, *, sources: Sequence[Suggest]) -> str:
    found = suggest_corrections(failed_call(case, schemas), sources=sources)
    if not found:
        return "silent"
    if same_arguments(found[0].patch.apply(case["failed_args"]), case["fixed_args"]):
        return "exact"
    return "harmful" if case["write_tool"] else "wrong_but_harmless"


def same_arguments(one: object, other: object) -> bool:
    """Equal, with amounts to the cent and lists of ids as sets."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_arguments(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        if all(isinstance(each, str) for each in (*one, *other)):
            return sorted(one) == sorted(other)
        return len(one) == len(other) and all(map(same_arguments, one, other))
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    if numbers and not isinstance(one, bool) and not isinstance(other, bool):
        return abs(float(str(one)) - float(str(other))) <= 0.01
    return type(one) is type(other) and one == other
