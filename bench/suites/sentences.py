"""Whole sentences with the time they mean: right dates that are flagged, and shifted ones."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.attempts import attempted
from bench.data import add_data_arguments, read_cases
from bench.report import progress
from bench.rounds import digits
from bench.workers.phrases import country_of
from mulligan.checks.dates import dates_as_said

SHIFTS = (-3, -2, -1, 1, 2, 3)
"""Days by which start and end are moved together: what a model that miscounts comes to."""
FILE = "outside/sentences"


add_arguments = add_data_arguments


def run(options: argparse.Namespace) -> dict[str, Any]:
    cases = read_cases(options, FILE)
    found: list[list[bool]] = []
    with progress(len(cases)) as step:
        for case in cases:
            step(case["sentence"])
            found.append([_flags(case, days) for days in (0, *SHIFTS)])
    return {
        "n": len(cases),
        "shifts": list(SHIFTS),
        **_count(found),
        "flagged_ids": [case["id"] for case, each in zip(cases, found, strict=True) if each[0]],
    }


def _count(found: Sequence[Sequence[bool]]) -> dict[str, Any]:
    right = [each[0] for each in found]
    shifted = [flag for each in found for flag in each[1:]]
    return {
        "right": len(right),
        "right_flagged_share": digits(sum(right) / len(right)) if right else None,
        "shifted": len(shifted),
        "shifted_flagged_share": digits(sum(shifted) / len(shifted)) if shifted else None,
    }


def _flags(case: Mapping[str, Any], days: int) -> bool:
    """Whether an event that was made from the sentence is objected to, so many days off."""
    given = {name: case[name] for name in ("start", "end") if case[name]}
    moved = {name: _shift(value, days, whole=case["all_day"]) for name, value in given.items()}
    now = datetime.fromisoformat(case["ref"]).replace(tzinfo=UTC)
    known = {"locale": case["locale"], "country": country_of(case["locale"])}
    attempt = attempted(case["sentence"], now=now, calls=[("create_event", moved)], known=known)
    return any(True for _ in dates_as_said()(attempt))


def _shift(value: str, days: int, *, whole: bool) -> str:
    moved = datetime.fromisoformat(value) + timedelta(days=days)
    return str(moved.date()) if whole else moved.isoformat()
