"""Results of MCP tools that are errors in disguise: how many are noticed, and how rightly."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import RenderableType

from bench.data import add_data_arguments, read_cases
from bench.report import progress, table
from bench.versions import ours
from mulligan.learning.silent import silent_error

Result = dict[str, Any]
FILES = ("livemcpbench/failed_unrepaired", "livemcpbench/repair_pairs")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)


def run(options: argparse.Namespace) -> Result:
    cases = [case for name in FILES for case in read_cases(options, name)]
    good = _distinct_results(cases)
    with progress(len(cases) + len(good)) as step:
        caught = 0
        for case in cases:
            step("errors")
            caught += silent_error(case["error"]) is not None
        alarms = []
        for result in good:
            step("results")
            if said := silent_error(result):
                alarms.append(said[:100])
    return {
        "half": options.half,
        "n": len(cases) + len(good),
        "errors": len(cases),
        "results": len(good),
        "recall": round(caught / len(cases), 4) if cases else 0.0,
        "precision": round(caught / (caught + len(alarms)), 4) if caught else 0.0,
        "false_alarms": len(alarms),
        "versions": ours(),
    }


def show(result: Result) -> RenderableType:
    names = ("recall", "precision", "errors", "results", "false_alarms")
    rows = [(name, result[name]) for name in names]
    return table(f"silent-errors ({result['half']})", ("figure", "value"), rows)


def _distinct_results(cases: list[dict[str, Any]]) -> list[str]:
    """Earlier results that were none: cases of one run share their history, so each counts once."""
    made = {
        (case["task_id"], case["model"], call["tool"], str(call["args"]), call["result"]): None
        for case in cases
        for call in case["prior_calls"]
        if call["ok"]
    }
    return [key[-1] for key in made]
