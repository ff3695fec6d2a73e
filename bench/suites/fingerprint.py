"""Failures put into groups: against a reference by plain masks, and one fix to a group."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

from bench.data import add_data_arguments, read_cases
from bench.failures.tau import RIGHT_DECISION
from bench.report import progress, share
from mulligan.learning.fingerprint import compute_fingerprint, mask_error

Result = dict[str, Any]
FILES = (
    "tau/repair_pairs",
    "tau/failed_unrepaired",
    "bfcl_multiturn/repair_pairs",
    "bfcl_multiturn/failed_unrepaired",
)
PAIRS = "outside/error_pairs"
"""Two errors of one tool, and whether a person calls them one problem: 1, 0, or "?"."""


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> Result:
    cases = [{**case, "file": name} for name in FILES for case in read_cases(options, name)]
    with progress(1) as step:
        step("masking")
        masked = [mask_error(case["error"], case["failed_args"]) for case in cases]
    mine = [
        compute_fingerprint(case["tool"], text) for case, text in zip(cases, masked, strict=True)
    ]
    theirs = [case["error_group"] for case in cases]
    merged = _merged(cases, mine)
    return {
        "n": len(cases),
        "accuracy": round(pairwise_f1(mine, theirs), 4),
        "groups": len(set(mine)),
        "reference_groups": len(set(theirs)),
        "over_merged": sum(_needs_two_fixes(cases, held) for held in merged),
        "over_split": sum(len(held) > 1 for held in _partners(theirs, mine).values()),
        "pairs": _measure_pairs(read_cases(options, PAIRS)),
    }


def _measure_pairs(pairs: Sequence[dict[str, Any]]) -> Result:
    """Whether two errors are one pattern where a person says so, and only there."""
    judged = [pair for pair in pairs if str(pair["same_problem"]) in ("0", "1")]
    same = [str(pair["same_problem"]) == "1" for pair in judged]
    ours_ = [_name(pair["a"]) == _name(pair["b"]) for pair in judged]
    both = list(zip(ours_, same, strict=True))
    return {
        "n": len(judged),
        "right": share([one == other for one, other in both]),
        "merged": sum(one and not other for one, other in both),
        "split": sum(other and not one for one, other in both),
    }


def _name(side: dict[str, Any]) -> str:
    arguments = side["args"] if isinstance(side["args"], dict) else {}
    return compute_fingerprint(side["tool"], mask_error(side["error"], arguments))


def pairwise_f1(mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> float:
    """Of the pairs that either puts together, how far they agree."""
    both = sum(map(_pairs, Counter(zip(mine, theirs, strict=True)).values()))
    ours_, reference = (sum(map(_pairs, Counter(each).values())) for each in (mine, theirs))
    return 2 * both / (ours_ + reference) if ours_ + reference else 1.0


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def _partners(one: Sequence[str], other: Sequence[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for left, right in zip(one, other, strict=True):
        found[left].add(right)
    return found


def _merged(cases: Sequence[dict[str, Any]], mine: Sequence[str]) -> list[list[int]]:
    """Groups of ours that hold several of the reference."""
    held: dict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(mine):
        held[name].append(at)
    return [each for each in held.values() if len({cases[at]["error_group"] for at in each}) > 1]


def _needs_two_fixes(cases: Sequence[dict[str, Any]], held: Sequence[int]) -> bool:
    """Whether the reference groups that were merged are usually repaired in different ways."""
    repairs: dict[str, Counter[str]] = defaultdict(Counter)
    for at in held:
        if repair := cases[at].get("repair_class"):
            repairs[cases[at]["error_group"]][RIGHT_DECISION.get(repair, repair)] += 1
    return len({each.most_common(1)[0][0] for each in repairs.values()}) > 1
