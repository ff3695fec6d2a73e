"""Calls made though no function fits: how many are flagged, and how many good calls with them."""

from __future__ import annotations

import argparse
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.report import progress
from mulligan.learning.parsing import match_tool
from mulligan.learning.precheck import check_relevance
from mulligan.learning.schema import read_schema

Result = dict[str, Any]


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    limit, options.limit = options.limit, None
    odd = {prompt["id"]: prompt for prompt in read_cases(options, "bfcl/irrelevant_prompts")}
    prompts = {prompt["id"]: prompt for prompt in read_cases(options, "bfcl/prompts")}
    options.limit = limit
    calls = read_cases(options, "bfcl/irrelevant_call_failures")
    passes = read_cases(options, "bfcl/passes_sample")
    with progress(2) as step:
        step("calls that do not fit")
        flagged = sum(_flagged(case, odd[case["test"]]) for case in calls)
        step("passes")
        alarms = sum(_flagged(case, prompts[case["test"]]) for case in passes)
    return {
        "n": len(calls) + len(passes),
        "calls": len(calls),
        "passes": len(passes),
        "flagged_share": round(flagged / len(calls), 4) if calls else 0.0,
        "false_alarm_share": round(alarms / len(passes), 4) if passes else 0.0,
    }


def _flagged(case: dict[str, Any], prompt: dict[str, Any]) -> bool:
    """Whether any call of the case is; one of a function that does not exist is, too."""
    offered = prompt["functions"]
    schemas = {each["name"]: read_schema(each["parameters"], tool=each["name"]) for each in offered}
    described = {each["name"]: each["description"] for each in offered}
    for made in case["calls"]:
        for name, arguments in made.items():
            tool = match_tool(name, tuple(schemas))
            if tool is None or not isinstance(arguments, dict):
                return True
            found = check_relevance(
                schemas[tool],
                tool=tool,
                description=described[tool],
                arguments=arguments,
                said=(prompt["question"],),
            )
            if found is not None:
                return True
    return False
