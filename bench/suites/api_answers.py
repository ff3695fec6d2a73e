"""Documented answers of web APIs: errors that are noticed, good answers that are not one."""

from __future__ import annotations

import argparse
from collections import defaultdict
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.report import progress, share
from mulligan.learning.classify import classify_text
from mulligan.learning.soft_errors import find_silent_error

Result = dict[str, Any]
Case = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    parser.add_argument("--list", action="store_true", help="also the ids of misses and alarms")


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, "third/api_answers")
    errors = [case for case in cases if case["label"] == "error"]
    good = [case for case in cases if case["label"] == "ok"]
    with progress(2) as step:
        step("errors")
        said = {case["id"]: find_silent_error(case["body"]) for case in errors}
        step("answers")
        alarms = [case["id"] for case in good if find_silent_error(case["body"]) is not None]
    classes = [(case, classify_text(said[case["id"]] or "").value) for case in errors]
    classes = [(case, found) for case, found in classes if said[case["id"]]]
    result = {
        "n": len(errors) + len(good),
        "errors": len(errors),
        "recall": share([said[case["id"]] is not None for case in errors]),
        "macro_recall": _average(errors, said),
        "ok": len(good),
        "false_alarms": len(alarms),
        "classes": {
            "n": len(classes),
            "strict": share([found == case["class"] for case, found in classes]),
            "acceptable": share(
                [found in (case["class"], *case["also"]) for case, found in classes]
            ),
        },
    }
    missed = [name for name, told in said.items() if told is None]
    return result | ({"missed": missed, "alarms": alarms} if options.list else {})


def _average(errors: list[Case], said: dict[str, str | None]) -> float:
    """The mean of the providers' recalls."""
    by: dict[str, list[bool]] = defaultdict(list)
    for case in errors:
        by[case["provider"]].append(said[case["id"]] is not None)
    shares = [sum(each) / len(each) for each in by.values()]
    return round(sum(shares) / len(shares), 4) if shares else 0.0
