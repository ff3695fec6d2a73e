"""The standard checks on desks that no rule was made on: airline and retail calls of τ-bench.

A call that worked should be let through, and one that the desk refused is better stopped before.
What a call that worked did may still be wrong for the person, so an alarm there is no proof of a
mistake: the share says how often the checks speak up on somebody else's tools.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.dojo import Before
from bench.failures.tau import Case, read_schemas
from bench.report import compute_share, count_rules, progress
from mulligan.checks.parameters import ToolShape
from mulligan.checks.standard import StandardChecks
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Severity
from mulligan.types.turn import Turn

Result = dict[str, Any]

NOW = datetime(2024, 5, 15, 15, tzinfo=UTC)
"""What the airline's policy says of the time; retail requests name no days."""
GOOD = "tau/ok_calls"
FAILING = ("tau/failed_unrepaired", "tau/repair_pairs")


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    schemas = read_schemas(options.data)
    good = read_cases(options, GOOD)
    failing = [case for name in FAILING for case in read_cases(options, name)]
    checks = {desk: build_checks(tools) for desk, tools in schemas.items()}
    with progress(2) as step:
        step("calls that worked")
        alarms = [(case, reject(case, "args", checks)) for case in good]
        step("calls that failed")
        caught = [(case, reject(case, "failed_args", checks)) for case in failing]
    domains = sorted({case["domain"] for case in (*good, *failing)})
    return {
        "n": len(good) + len(failing),
        **_count(alarms, caught),
        "by_domain": {
            domain: _count(_of(alarms, domain), _of(caught, domain)) for domain in domains
        },
        "by_rule": count_rules(
            caught=[rules for _, rules in caught], alarms=[rules for _, rules in alarms]
        ),
    }


Looked = tuple[Case, frozenset[str]]
"""A case, and the rules that reject its call."""


def build_checks(tools: Mapping[str, Any]) -> StandardChecks:
    shapes = {name: ToolShape(tool=name, schema=schema) for name, schema in tools.items()}
    return StandardChecks(lambda call: shapes.get(call.tool))


def reject(
    case: Case, arguments: str, checks: Mapping[tuple[str, str], StandardChecks]
) -> frozenset[str]:
    look = checks.get((case["bench"], case["domain"]))
    if look is None:
        return frozenset()
    turn = Turn(id=case["id"], message="\n".join(case["user_messages"]), now=NOW, timezone="UTC")
    made = [
        _execute(f"{number}", each["tool"], each["args"], each)
        for number, each in enumerate(case["prior_calls"])
    ]
    last = _execute("last", case["tool"], case[arguments], None)
    found = look(Before(turn=turn, executions=(*made, last)))
    return frozenset(
        each.rule for each in found if each.call == "last" and each.severity is Severity.ERROR
    )


def _execute(name: str, tool: str, arguments: object, done: Case | None) -> Execution:
    held = arguments if isinstance(arguments, dict) else {}
    call = Call(id=name, tool=tool, arguments=held)
    if done is None:
        return Execution(call=call, outcome=Outcome.UNKNOWN, at=NOW, duration=timedelta())
    outcome = Outcome.SUCCESS if done["ok"] else Outcome.FAILURE
    return Execution(
        call=call, outcome=outcome, at=NOW, duration=timedelta(), result=done["result"]
    )


def _count(alarms: Sequence[Looked], caught: Sequence[Looked]) -> Result:
    good, failing = _rejections(alarms), _rejections(caught)
    return {
        "good": len(alarms),
        "good_rejected": good,
        "false_alarm_share": compute_share(good, len(alarms)),
        "failing": len(caught),
        "failing_rejected": failing,
        "recall": compute_share(failing, len(caught)),
    }


def _of(looked: Iterable[Looked], domain: str) -> list[Looked]:
    return [each for each in looked if each[0]["domain"] == domain]


def _rejections(looked: Iterable[Looked]) -> int:
    return sum(bool(rules) for _, rules in looked)
