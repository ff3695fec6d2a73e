"""Errors put into the one list of classes, against labels of a person."""

from __future__ import annotations

import argparse
from collections import defaultdict
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.report import progress, share
from mulligan.learning.classify import classify_text

Result = dict[str, Any]
FILE = "outside/error_classes"


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, FILE)
    with progress(1) as step:
        step("classing")
        found = [classify_text(case["text"]).value for case in cases]
    strict = [one == case["label"] for one, case in zip(found, cases, strict=True)]
    accepted = [
        one in (case["label"], *case["also"]) for one, case in zip(found, cases, strict=True)
    ]
    by_class: dict[str, list[int]] = defaultdict(list)
    for at, case in enumerate(cases):
        by_class[case["label"]].append(at)
    return {
        "n": len(cases),
        "strict": share(strict),
        "acceptable": share(accepted),
        "by_class": {
            label: {
                "n": len(held),
                "strict": share([strict[at] for at in held]),
                "acceptable": share([accepted[at] for at in held]),
            }
            for label, held in sorted(by_class.items())
        },
    }
