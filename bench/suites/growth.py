"""Hostile text: how the time of each pattern and parser grows, and how long a loop waits for it."""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections.abc import Iterator
from typing import Any

from bench.growth.measure import BOUND, LARGEST
from bench.growth.parsers import HARD, find_parsers
from bench.growth.patterns import find_patterns
from bench.growth.surfaces import SURFACES, measure_stall
from bench.growth.trial import Grown, Trial, try_parsers, try_patterns
from bench.report import Step, progress

Result = dict[str, Any]
MOST_STALL_MS = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--most", type=int, default=60, metavar="N", help="attacks of each: 60")
    parser.add_argument("--stalls", type=int, default=60, metavar="N", help="of each surface: 60")


def run(options: argparse.Namespace) -> Result:
    trial = Trial(most=options.most)
    with progress(len([*find_patterns()]) + len([*find_parsers()]) + len(SURFACES)) as step:
        patterns = list(_show_each(try_patterns(trial), step))
        parsers = list(_show_each(try_parsers(trial), step))
        stalls = asyncio.run(_measure_stalls(options.stalls, step))
    tried = [*patterns, *parsers]
    return {
        "n": sum(each.attacks for each in tried),
        "patterns": len(patterns),
        "parsers": len(parsers),
        "largest": LARGEST,
        "worst_growth": round(max(each.growth.ratio for each in tried) / 2, 2),
        "above": [each.describe() for each in tried if each.too_fast],
        "steepest": [each.describe() for each in _rank(tried)[:10]],
        "worst_stall_ms": max(worst for worst, _ in stalls.values()),
        "stalls": {name: worst for name, (worst, _) in stalls.items()},
        "stalled_by": {name: text[:40] for name, (_, text) in stalls.items()},
    }


def _show_each(tried: Iterator[Grown], step: Step) -> Iterator[Grown]:
    for each in tried:
        step(each.place.split(".")[-1])
        yield each


def _rank(tried: list[Grown]) -> list[Grown]:
    return sorted(tried, key=lambda each: each.growth.ratio, reverse=True)


async def _measure_stalls(most: int, step: Step) -> dict[str, tuple[float, str]]:
    """By surface: the worst stall in milliseconds of processor time, and by which text."""
    logging.disable(logging.CRITICAL)
    every = max(1, len(HARD) // most)
    found: dict[str, tuple[float, str]] = {}
    for name, surface in SURFACES.items():
        await measure_stall(surface, "short", runs=1)  # what is loaded at the first use
        for attack in HARD[::every]:
            text = attack.build(LARGEST)
            stall = round(1000 * await measure_stall(surface, text), 1)
            found[name] = max(found.get(name, (0.0, "")), (stall, text))
        step(name)
    return found


def failed(result: Result) -> str:
    """What is not as it must be."""
    wrong = []
    if result["above"]:
        wrong.append(f"{len(result['above'])} above {BOUND / 2:.1f} times linear")
    if result["worst_stall_ms"] > MOST_STALL_MS:
        wrong.append(f"a stall of {result['worst_stall_ms']} ms")
    return "; ".join(wrong)
