"""What to do about a failed call: the share of decisions that the rest of the turn bore out."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from rich.console import Group, RenderableType

from bench.data import add_data_arguments, read_cases
from bench.report import progress, table
from bench.tau import RIGHT_DECISION, add_history_argument, failed_call, read_schemas
from bench.versions import ours
from mulligan.learning.decide import decide
from mulligan.learning.suggest import suggestions

Result = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    add_history_argument(parser)


def run(options: argparse.Namespace) -> Result:
    schemas = read_schemas(options.data)
    cases = [
        case
        for case in read_cases(options, "tau/repair_pairs")
        if case["repair_class"] in RIGHT_DECISION
    ]
    confusion: Counter[tuple[str, str]] = Counter()
    with progress(len(cases)) as step:
        for case in cases:
            step(case["tool"])
            failed = failed_call(case, schemas)
            advice = decide(failed, suggestions(failed))
            confusion[RIGHT_DECISION[case["repair_class"]], advice.decision] += 1
    right = sum(count for (wanted, given), count in confusion.items() if wanted == given)
    most_common = Counter(RIGHT_DECISION[case["repair_class"]] for case in cases).most_common(1)
    return {
        "half": options.half,
        "n": len(cases),
        "cold": round(right / len(cases), 4) if cases else 0.0,
        "warm": None,
        "majority": round(most_common[0][1] / len(cases), 4) if cases else 0.0,
        "confusion": {
            f"{wanted} as {given}": n for (wanted, given), n in sorted(confusion.items())
        },
        "versions": ours(),
    }


def show(result: Result) -> RenderableType:
    rows = [(name, result[name]) for name in ("cold", "warm", "majority", "n")]
    return Group(
        table(f"tau-decide ({result['half']})", ("figure", "value"), rows),
        table("right and given", ("decision", "n"), list(result["confusion"].items())),
    )
