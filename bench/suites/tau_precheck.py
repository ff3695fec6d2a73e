"""Calls that failed, looked at before they were made: how many are noticed, and false alarms."""

from __future__ import annotations

import argparse
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.failures.tau import Schemas, failed_call, read_schemas
from bench.report import count_rules, progress
from mulligan.learning.precheck import precheck

Result = dict[str, Any]


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    schemas = read_schemas(options.data)
    names = ("tau/failed_unrepaired", "tau/repair_pairs")
    failing = [case for name in names for case in read_cases(options, name)]
    good = read_cases(options, "tau/ok_calls")
    with progress(2) as step:
        step("failing calls")
        caught = [_rules(case, schemas, "failed_args") for case in failing]
        step("good calls")
        alarms = [_rules(case, schemas, "args") for case in good]
    return {
        "n": len(failing) + len(good),
        "failing": len(failing),
        "good": len(good),
        "recall": round(sum(map(bool, caught)) / len(failing), 4) if failing else 0.0,
        "false_alarm_share": round(sum(map(bool, alarms)) / len(good), 4) if good else 0.0,
        "by_rule": count_rules(caught=caught, alarms=alarms),
    }


def _rules(case: dict[str, Any], schemas: Schemas, arguments: str) -> set[str]:
    return {each.rule for each in precheck(failed_call(case, schemas, arguments=arguments))}
