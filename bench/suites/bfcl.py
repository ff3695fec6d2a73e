"""Calls that models got wrong, read from what they wrote: how many come out right."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from typing import Any

from bench.bfcl_match import matches
from bench.data import add_data_arguments, read_cases
from bench.report import progress
from mulligan import Mulligan

Result = dict[str, Any]
SINGLE = ("simple", "multiple_function")


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    limit, options.limit = options.limit, None
    prompts = {prompt["id"]: prompt for prompt in read_cases(options, "bfcl/prompts")}
    options.limit = limit
    failures = read_cases(options, "bfcl/failures")
    passes = read_cases(options, "bfcl/passes_sample")
    with progress(2) as step, Mulligan("memory:", recover=False) as m:
        step("failures")
        repaired = [_right(m, case, prompts) for case in failures]
        step("passes")
        broken = [case for case in passes if not _right(m, case, prompts)]
    single = [
        good for case, good in zip(failures, repaired, strict=True) if case["category"] in SINGLE
    ]
    others = [
        good
        for case, good in zip(failures, repaired, strict=True)
        if case["category"] not in SINGLE
    ]
    return {
        "n": len(failures) + len(passes),
        "failures": len(single),
        "fixed": _share(single),
        "failures_parallel": len(others),
        "fixed_parallel": _share(others),
        "passes": len(passes),
        "broken": len(broken),
        "by_class": _by_class(failures, repaired),
    }


def _right(m: Mulligan, case: dict[str, Any], prompts: dict[str, dict[str, Any]]) -> bool:
    prompt = prompts[case["test"]]
    read = m.read_calls(case["raw"], prompt["functions"])
    calls = [(each.tool, each.arguments) for each in read]
    return matches(calls, prompt["possible_answer"], prompt["functions"])


def _share(good: list[bool]) -> float:
    return round(sum(good) / len(good), 4) if good else 0.0


def _by_class(failures: list[dict[str, Any]], repaired: list[bool]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case, good in zip(failures, repaired, strict=True):
        if case["category"] in SINGLE:
            counts[case["failure_class"]].update(n=1, fixed=int(good))
    return {name: dict(each) for name, each in sorted(counts.items(), key=lambda kv: -kv[1]["n"])}
