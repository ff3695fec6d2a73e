"""Summaries against their sources without a model: what people marked as unwanted is flagged."""

from __future__ import annotations

import argparse
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.rounds import digits
from bench.suites.grounding import balanced_accuracy
from mulligan.checks.grounding import grounded
from mulligan.types.reply import Reply

Result = dict[str, Any]


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, "third/faith")
    check = grounded()
    flagged = [any(check(Reply(text=case["summary"], context=(case["source"],)))) for case in cases]
    wanted = [not case["unwanted"] for case in cases]
    return {
        "n": len(cases),
        "flagged_unwanted": _share(flagged, [not each for each in wanted]),
        "flagged_rest": _share(flagged, wanted),
        "balanced_accuracy": balanced_accuracy([not each for each in flagged], wanted),
    }


def _share(flagged: list[bool], chosen: list[bool]) -> float | None:
    """Of the chosen ones, how many are flagged."""
    of_them = [flag for flag, is_one in zip(flagged, chosen, strict=True) if is_one]
    return digits(sum(of_them) / len(of_them)) if of_them else None
