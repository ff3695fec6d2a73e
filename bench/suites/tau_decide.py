"""What to do about a failed call: the share of decisions that the rest of the turn bore out."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.failures.tau import (
    RIGHT_DECISION,
    Case,
    add_history_argument,
    elsewhere,
    failed_call,
    read_history,
    read_schemas,
)
from bench.report import progress
from mulligan.learning.decide import decide
from mulligan.learning.fingerprint import compute_fingerprint, mask_error
from mulligan.learning.suggest import suggest_corrections
from mulligan.types.failure import Decision

Result = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_history_argument(parser)


def run(options: argparse.Namespace) -> Result:
    schemas = read_schemas(options.data)
    cases = _labelled(read_cases(options, "tau/repair_pairs"))
    history = _labelled(read_history(options, "tau/repair_pairs"))
    confusion: Counter[tuple[str, str]] = Counter()
    warm = 0
    with progress(len(cases)) as step:
        for case in cases:
            step(case["tool"])
            failed = failed_call(case, schemas)
            found = suggest_corrections(failed)
            right = RIGHT_DECISION[case["repair_class"]]
            confusion[right, decide(failed, found).decision] += 1
            past = _past(case, elsewhere(case, history) if options.history is None else history)
            warm += decide(failed, found, past=past).decision is right
    cold = sum(count for (wanted, given), count in confusion.items() if wanted == given)
    most_common = Counter(RIGHT_DECISION[case["repair_class"]] for case in cases).most_common(1)
    return {
        "n": len(cases),
        "cold": round(cold / len(cases), 4) if cases else 0.0,
        "warm": round(warm / len(cases), 4) if cases else 0.0,
        "majority": round(most_common[0][1] / len(cases), 4) if cases else 0.0,
        "confusion": {
            f"{wanted} as {given}": n for (wanted, given), n in sorted(confusion.items())
        },
    }


def _labelled(cases: list[Case]) -> list[Case]:
    """Cases of which the right decision is known, with their patterns."""
    return [
        {**case, "pattern": _pattern(case)}
        for case in cases
        if case["repair_class"] in RIGHT_DECISION
    ]


def _pattern(case: Case) -> str:
    return compute_fingerprint(case["tool"], mask_error(case["error"], case["failed_args"]))


def _past(case: Case, history: list[Case]) -> Counter[Decision]:
    """How failures of the same pattern were settled in the history."""
    same = (each for each in history if each["pattern"] == case["pattern"])
    return Counter(RIGHT_DECISION[each["repair_class"]] for each in same)
