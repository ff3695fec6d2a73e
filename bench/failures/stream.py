"""All failures of the public sets as one stream in the order in which they happened."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.data import read_cases

Case = dict[str, Any]
BFCL = "bfcl_multiturn"
TAU = "tau"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One failure, and whether somebody repaired it."""

    of: str
    case: Case
    repaired: bool


def failures_in_order(options: argparse.Namespace) -> list[Happening]:
    """Run after run, and within a run as its steps came; runs in the order of the files."""
    everything = [each for of in (BFCL, TAU) for each in _in_order(options, of)]
    return everything[: options.limit]


def _in_order(options: argparse.Namespace, of: str) -> Iterator[Happening]:
    whole = argparse.Namespace(data=options.data, half=options.half, limit=None)
    found = [
        Happening(of=of, case=case, repaired=repaired)
        for name, repaired in (("repair_pairs", True), ("failed_unrepaired", False))
        for case in read_cases(whole, f"{of}/{name}")
    ]
    runs = {run: at for at, run in enumerate(dict.fromkeys(_run(each.case) for each in found))}
    tasks = {task: at for at, task in enumerate(dict.fromkeys(_task(each.case) for each in found))}
    yield from sorted(
        found,
        key=lambda each: (
            runs[_run(each.case)],
            tasks[_task(each.case)],
            len(each.case["prior_calls"]),
        ),
    )


def _run(case: Case) -> str:
    return f"{case['model']}|{case.get('run') or case.get('source')}"


def _task(case: Case) -> str:
    return f"{_run(case)}|{case.get('test') or case.get('task_id')}|{case.get('trial')}"
