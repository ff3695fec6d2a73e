"""Results that are errors in disguise: how many are noticed, and how rightly."""

from __future__ import annotations

import argparse
from collections import defaultdict
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.report import progress, share
from mulligan.learning.soft_errors import find_silent_error

Result = dict[str, Any]
Case = dict[str, Any]
FILES = ("livemcpbench/failed_unrepaired", "livemcpbench/repair_pairs")
OUTSIDE = "outside/results"
"""From sources that no rule was made on; each result has a label."""
GOOD = ("ok", "empty")


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    cases = [case for name in FILES for case in read_cases(options, name)]
    errors, results = _distinct(cases)
    with progress(2) as step:
        step("errors")
        caught = sum(find_silent_error(error) is not None for error in errors)
        step("results")
        alarms = [said[:100] for result in results if (said := find_silent_error(result))]
    return {
        "n": len(errors) + len(results),
        "errors": len(errors),
        "results": len(results),
        "recall": round(caught / len(errors), 4) if errors else 0.0,
        "precision": round(caught / (caught + len(alarms)), 4) if caught else 0.0,
        "false_alarms": len(alarms),
        "alarms": alarms,
        "outside": _measure_outside(read_cases(options, OUTSIDE)),
    }


def _measure_outside(cases: list[Case]) -> Result:
    """How many of each label are taken for an error."""
    found: dict[str, list[bool]] = defaultdict(list)
    alarms = []
    for case in cases:
        said = find_silent_error(case["result"])
        found[case["label"]].append(said is not None)
        if said is not None and case["label"] in GOOD:
            alarms.append(said[:100])
    return {
        "n": len(cases),
        "recall": share(found["error"]),
        "errors": len(found["error"]),
        "inner_recall": share(found["inner"]),
        "inner": len(found["inner"]),
        "ok": sum(len(found[label]) for label in GOOD),
        "false_alarms": len(alarms),
        "filtered": len(found["filtered"]),
        "filtered_flagged": sum(found["filtered"]),
        "alarms": alarms,
    }


def _distinct(cases: list[Case]) -> tuple[list[str], list[str]]:
    """Errors and results, each once a run: a tool that says the same again says nothing new."""
    errors: dict[tuple[str, ...], str] = {}
    results: dict[tuple[str, ...], str] = {}
    for case in cases:
        run = (case["task_id"], case["model"])
        errors[*run, case["tool"], case["error"]] = case["error"]
        for call in case["prior_calls"]:
            if call["ok"]:
                results[*run, call["tool"], call["result"]] = call["result"]
    return list(errors.values()), list(results.values())
