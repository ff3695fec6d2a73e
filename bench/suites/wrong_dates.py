"""Real runs that acted on a date: wrong ones the check catches, right ones it flags."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any

from bench.attempts import attempted
from bench.data import add_data_arguments, read_cases
from bench.office import EFFECTS
from bench.report import progress
from bench.said import count_caught, read_requests
from mulligan.checks.dates import dates_as_said

CHANGING = frozenset(name.rpartition(".")[2] for name in EFFECTS)
"""The data names tools without the folder they are in."""
MEANINGS = {
    "acted_on_wrong_date": "runs that changed something on a wrong date",
    "caught": "of those, flagged",
    "searched_wrong_date": "runs that only looked at a wrong date",
    "searched_caught": "of those, flagged",
    "right_runs": "runs with right dates only",
    "false_alarms": "of those, flagged",
}


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> dict[str, Any]:
    cases = read_cases(options, "workbench/relative_dates")
    counts = dict.fromkeys(MEANINGS, 0)
    with progress(len(cases)) as step:
        for case in cases:
            step(case["phrase"])
            kind, flagged = KINDS[_kind(case)], _flagged(case)
            counts[kind[0]] += 1
            counts[kind[1]] += flagged
    return {
        "n": len(cases),
        **counts,
        "two_phrases": _measure_requests(),
    }


def _measure_requests() -> dict[str, dict[str, int]]:
    """Requests of ours with two phrases each: those looked at, and those kept apart."""
    requests = read_requests()
    return {
        part: count_caught([each for each in requests if each["part"] == part])
        for part in ("open", "apart")
    }


KINDS = {
    "acted": ("acted_on_wrong_date", "caught"),
    "searched": ("searched_wrong_date", "searched_caught"),
    "right": ("right_runs", "false_alarms"),
}


def _kind(case: dict[str, Any]) -> str:
    if case["acted_on_wrong_date"]:
        return "acted"
    return "searched" if case["first_date_wrong"] else "right"


def _flagged(case: dict[str, Any]) -> bool:
    """Whether the check objects to any call of a run."""
    now = datetime.fromisoformat(case["now"].split()[0]).replace(tzinfo=UTC)
    calls = [(tool, {"date": used}) for tool, used in case["used"]]
    attempt = attempted(case["query"], now=now, calls=calls, effects=CHANGING)
    return any(True for _ in dates_as_said()(attempt))
