"""Requests over tools of many kinds, each with a right and a wrong run, written by people who had
not seen a rule: what is caught, and what is flagged though it is right.

In `traps` the right runs are full of words that stand in the rows of other things. Rules were made
after each part but `apart` was written, and seen: the figures before that stand in
`docs/campaigns.md`. `unlike` and `plainer` are a hundred each.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from bench.report import progress
from bench.said import read_lines
from mulligan.types.finding import Finding
from mulligan_replay.review import Reviewer
from mulligan_replay.tools import TracedTools
from mulligan_replay.trace import TracedCall, TracedTurn

Case = Mapping[str, Any]

PARTS = ("plain", "traps", "aside", "dated", "derived", "apart", "unlike", "plainer")


class Run(NamedTuple):
    """What was found in one run of a request."""

    case: Case
    rejected: bool
    findings: Sequence[Finding]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true", help="also each run that was judged wrongly")


def run(options: argparse.Namespace) -> dict[str, Any]:
    cases = read_lines("tool_requests")
    with progress(2) as step:
        step("right runs")
        right = asyncio.run(review(cases, "right"))
        step("wrong runs")
        wrong = asyncio.run(review(cases, "wrong"))
    runs = {"wrong": wrong, "right": right}
    result: dict[str, Any] = {
        "n": len(cases),
        **{which: _count(found) for which, found in runs.items()},
        "by_part": {
            part: {
                which: _count([each for each in found if each.case["part"] == part])
                for which, found in runs.items()
            }
            for part in PARTS
        },
    }
    if options.list:
        result["missed"] = [_tell(each) for each in wrong if not each.rejected]
        result["flagged"] = [_tell(each) for each in right if each.findings]
        result["caught"] = [_tell(each) for each in wrong if each.rejected]
    return result


async def review(cases: Sequence[Case], which: str) -> list[Run]:
    """One run of each request, as replay reviews it."""
    reviewer = Reviewer(TracedTools())
    found = []
    for case in cases:
        reviewed = await reviewer.review(_build_turn(case, which))
        found.append(Run(case, reviewed.rejected, reviewed.findings))
    return found


def _build_turn(case: Case, which: str) -> TracedTurn:
    reply = case.get("wrong_reply", case["reply"]) if which == "wrong" else case["reply"]
    return TracedTurn(
        id=f"{which}-{case['id']}",
        message=case["said"],
        calls=tuple(_list_calls([*case["same"], *case[which]])),
        reply=reply,
        at=datetime.fromisoformat(case["at"]),
        timezone=case["timezone"],
    )


def _list_calls(made: Sequence[Mapping[str, Any]]) -> Iterator[TracedCall]:
    for number, each in enumerate(made):
        yield TracedCall(
            id=f"{number}", tool=each["tool"], arguments=each["arguments"], result=each["result"]
        )


def _count(runs: Sequence[Run]) -> dict[str, int]:
    flagged = [each for each in runs if each.findings]
    rejected = sum(each.rejected for each in runs)
    return {"n": len(runs), "rejected": rejected, "warned": len(flagged) - rejected}


def _tell(each: Run) -> dict[str, Any]:
    rules = Counter(finding.rule for finding in each.findings)
    return {
        "id": each.case["id"],
        "kind": each.case["kind"],
        "said": each.case["said"],
        "rules": dict(rules),
        "issues": [finding.issue for finding in each.findings],
    }
