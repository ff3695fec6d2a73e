"""Failed calls whose right arguments are known: how many proposals are exact or do harm."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import RenderableType

from bench.data import add_data_arguments, read_cases
from bench.report import progress, table
from bench.tau import add_history_argument, failed_call, read_schemas
from bench.versions import ours
from mulligan.learning.suggest import suggestions

Result = dict[str, Any]
CLASSES = ("values_in_prior_context", "computed_or_guessed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_history_argument(parser)


def run(options: argparse.Namespace) -> Result:
    schemas = read_schemas(options.data)
    cases = [
        case
        for case in read_cases(options, "tau/repair_pairs")
        if case.get("gold_strict") and case["repair_class"] in CLASSES
    ]
    counts = {"exact": 0, "harmful": 0, "wrong_but_harmless": 0, "silent": 0}
    with progress(len(cases)) as step:
        for case in cases:
            step(case["tool"])
            counts[_judged(case, schemas)] += 1
    return {
        "half": options.half,
        "n": len(cases),
        **counts,
        "score": counts["exact"] - counts["harmful"],
        "exact_share": round(counts["exact"] / len(cases), 4) if cases else 0.0,
        "warm": None,
        "versions": ours(),
    }


def show(result: Result) -> RenderableType:
    names = ("exact", "harmful", "wrong_but_harmless", "silent", "score", "exact_share", "n")
    rows = [(name, result[name]) for name in names]
    return table(f"tau-repair ({result['half']})", ("figure", "value"), rows)


def _judged(case: dict[str, Any], schemas: dict[tuple[str, str], Any]) -> str:
    found = suggestions(failed_call(case, schemas))
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
