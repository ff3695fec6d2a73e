"""What tools that run code gave back: failed programs that are noticed, good ones that are not."""

from __future__ import annotations

import argparse
from typing import Any

from bench.data import add_data_arguments, read_cases
from mulligan.learning.soft_errors import find_silent_error

Result = dict[str, Any]


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, "third/exec_outputs")
    found = [(case["label"], find_silent_error(case["text"]) is not None) for case in cases]
    failed = [noticed for label, noticed in found if label == "inner"]
    good = [noticed for label, noticed in found if label == "ok"]
    return {
        "n": len(cases),
        "failed": len(failed),
        "noticed": sum(failed),
        "good": len(good),
        "false_alarms": sum(good),
    }
