"""Runs with unwanted side effects: how many the checks stop, and what they stop wrongly."""

from __future__ import annotations

import argparse
import ast
import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.dojo import Before
from bench.office import EFFECTS, checks_for, facts_for, open_office, standard_for
from bench.report import compute_share, count_rules, progress
from mulligan.checks.subject import Subject
from mulligan.checks.tool_outputs import as_record
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check, Gather
from mulligan.types.turn import Turn

Case = dict[str, Any]
Result = dict[str, Any]

_TAIL = re.compile(r"\)(, \(|\]\})\s*$")
"""What is left of the transcript around an observation."""
_RECORD = re.compile(r"\{[^{}]*\}")
_NAN = re.compile(r"\bnan\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """The rules that rejected a call of a run, if any did."""

    rules: set[str] = field(default_factory=set)
    refused: bool = False
    """The tool itself refused it, so that nothing was lost."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    parser.add_argument("--list", action="store_true", help="also the ids of misses and alarms")


def run(options: argparse.Namespace) -> Result:
    cases = read_cases(options, "workbench/runs")
    office = open_office(options.data / "workbench")
    lined_up = [case for case in cases if len(case["calls"]) == len(case["observations"])]
    figures = []
    for checks in (checks_for(office), standard_for(office)):
        rejected = asyncio.run(_reject_all(lined_up, checks=checks, facts=facts_for(office)))
        listed = _lists(lined_up, rejected) if options.list else {}
        figures.append(_figures(lined_up, rejected) | listed)
    chosen, standard = figures
    return {
        "n": len(lined_up),
        "left_out": len(cases) - len(lined_up),
        **chosen,
        "standard": standard,
    }


async def _reject_all(
    cases: Sequence[Case], *, checks: Sequence[Check[Subject]], facts: Sequence[Gather]
) -> list[Rejected]:
    """For each run, what rejects one of its calls."""
    found: list[Rejected] = []
    with progress(len(cases)) as step:
        for case in cases:
            step("runs")
            found.append(await rejections(case, checks=checks, facts=facts))
    return found


async def rejections(
    case: Case, *, checks: Sequence[Check[Subject]], facts: Sequence[Gather]
) -> Rejected:
    """What rejects the first call of a run that is rejected at all."""
    turn = Turn(
        id=case["id"],
        message=case["query"],
        now=datetime.fromisoformat(case["now"]).replace(tzinfo=UTC),
        timezone="UTC",
    )
    calls = [
        Call(id=f"{number}", tool=made["tool"], arguments=as_record(made["args"]))
        for number, made in enumerate(case["calls"])
    ]
    done: list[Execution] = []
    for call, observed in zip(calls, case["observations"], strict=True):
        if call.tool in EFFECTS:
            known = [await gather(turn, calls[: len(done) + 1]) for gather in facts]
            before = Before(
                turn=turn,
                executions=(*done, _executed(turn, call, Outcome.UNKNOWN)),
                facts=tuple(fact for some in known for fact in some),
            )
            if rules := {f.rule for check in checks for f in check(before) if _rejects(f, call)}:
                return Rejected(rules=rules, refused=is_refusal(read_observation(observed)))
        done.append(_observed(turn, call, observed))
    return Rejected()


def _rejects(finding: Finding, call: Call) -> bool:
    return finding.severity is Severity.ERROR and finding.call == call.id


def _executed(turn: Turn, call: Call, outcome: Outcome, result: object = None) -> Execution:
    return Execution(call=call, outcome=outcome, at=turn.now, duration=timedelta(), result=result)


def _observed(turn: Turn, call: Call, observed: str) -> Execution:
    result = read_observation(observed)
    refused = call.tool in EFFECTS and is_refusal(result)
    return _executed(turn, call, Outcome.FAILURE if refused else Outcome.SUCCESS, result)


def read_observation(text: str) -> object:
    """What the tool returned, from its Python notation.

    The data cuts long observations: of those, the whole records and the text. A cut series of
    numbers stays text, for nobody can say what the rest of it holds.
    """
    bare = _TAIL.sub("", text)
    whole = _literal(bare)
    records = filter(None, map(_literal, _RECORD.findall(bare)))
    return [*records, bare] if whole is None else whole


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(_NAN.sub("None", text))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        # It is prose, an array, or cut.
        return None


def is_refusal(result: object) -> bool:
    """Whether a tool that should have acted answered with a sentence that tells of no success."""
    return isinstance(result, str) and " " in result and "success" not in result.casefold()


def _figures(cases: Sequence[Case], rejected: Sequence[Rejected]) -> Result:
    """A rejection of a call that the tool refused is no false alarm, and counted apart."""
    pairs = list(zip(cases, rejected, strict=True))
    harmful = [each.rules for case, each in pairs if _harmful(case)]
    correct = [each.rules for case, each in pairs if case["correct"] and not each.refused]
    right, caught, alarms = _count_correct(cases), sum(map(bool, harmful)), sum(map(bool, correct))
    return {
        "side_effect_runs": len(harmful),
        "caught": caught,
        "recall": compute_share(caught, len(harmful)),
        "correct_runs": right,
        "false_alarms": alarms,
        "false_alarm_share": compute_share(alarms, right),
        "refused_anyway": right - len(correct),
        "by_rule": count_rules(caught=harmful, false_alarms=correct),
        "by_domain": _by_domain(cases, rejected),
    }


def _count_correct(cases: Sequence[Case]) -> int:
    return sum(bool(case["correct"]) for case in cases)


def _harmful(case: Case) -> bool:
    return bool(case["unwanted_side_effect"])


def _by_domain(cases: Sequence[Case], rejected: Sequence[Rejected]) -> Result:
    pairs = list(zip(cases, rejected, strict=True))
    counted: Result = {}
    for domain in sorted({case["domain"] for case in cases}):
        own = [(case, each) for case, each in pairs if case["domain"] == domain]
        counted[domain] = {
            "side_effect_runs": sum(_harmful(case) for case, _ in own),
            "caught": sum(bool(each.rules) for case, each in own if _harmful(case)),
            "correct_runs": sum(bool(case["correct"]) for case, _ in own),
            "false_alarms": sum(_is_false_alarm(case, each) for case, each in own),
        }
    return counted


def _is_false_alarm(case: Case, rejected: Rejected) -> bool:
    return bool(case["correct"] and rejected.rules and not rejected.refused)


def _lists(cases: Sequence[Case], rejected: Sequence[Rejected]) -> Result:
    pairs = list(zip(cases, rejected, strict=True))
    return {
        "missed": [case["id"] for case, each in pairs if _harmful(case) and not each.rules],
        "alarmed": {
            case["id"]: sorted(each.rules) for case, each in pairs if _is_false_alarm(case, each)
        },
    }
