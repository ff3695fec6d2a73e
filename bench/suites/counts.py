"""What the most frequent paths do, as counts of lines and statements, beside what was accepted."""

from __future__ import annotations

import argparse
from typing import Any

from bench.counts.baseline import ACCEPT, accept, count_anew, describe_growth, read_baseline
from bench.report import progress

Result = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--accept", action="store_true", help="take what is counted now as the new baseline"
    )


def run(options: argparse.Namespace) -> Result:
    with progress(1) as step:
        step("counting")
        counts = count_anew()
    if options.accept:
        accept(counts)
    baseline = read_baseline()
    return {
        "n": len(counts),
        "counts": counts,
        "baseline": baseline,
        "worst_ratio": round(max(_compare(counts, baseline), default=1.0), 3),
        "above": describe_growth(counts, baseline),
    }


def _compare(counts: dict[str, int], baseline: dict[str, int]) -> list[float]:
    return [counts[name] / before for name, before in baseline.items() if name in counts]


def failed(result: Result) -> str:
    """What has grown by more than a fifth."""
    if not result["above"]:
        return ""
    return f"{'; '.join(result['above'])}. If that is meant: {ACCEPT}"
