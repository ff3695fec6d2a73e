"""A fifth of the people teach wrong on purpose, in tenants of every shape: who else is harmed."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import asdict
from typing import Any

from bench.poisoning import World, count_shapes
from mulligan import Mulligan
from mulligan.settings import Memory

Result = dict[str, Any]

MOST_HARMED = 2
PROMISES = ("cross_tenant", "words")
HARM = ("harmed", "turned")
MEANINGS = {
    "turns": "turns",
    "hostile_turns": "of them by people who lie",
    "failures": "failures of honest people that were advised on",
    "helped": "calls of theirs that were made right",
    "cross_tenant": "calls and words that came from another tenant",
    "harmed": "calls made wrong because of what another person taught",
    "words": "times an agent read another person's words",
    "turned": "times honest people were advised as only liars had shown",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--turns", type=int, default=500, metavar="N", help="500")
    parser.add_argument("--tenants", type=int, default=8, metavar="N", help="8")
    parser.add_argument("--people", type=int, default=8, metavar="N", help="of each tenant: 8")
    parser.add_argument("--hostile", type=float, default=0.2, metavar="SHARE", help="0.2")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")


def run(options: argparse.Namespace) -> Result:
    with Mulligan("memory:", memory=Memory(control=0.0)) as m:
        world = World(
            m,
            tenants=options.tenants,
            people=options.people,
            hostile=options.hostile,
            seed=options.seed,
        )
        counts = asyncio.run(world.run(options.turns))
    return {
        "n": counts.turns,
        "tenants": len(world.habits),
        "people": count_shapes(world.people),
        **asdict(counts),
    }


def failed(result: Result) -> str:
    """Why a result is no proof: somebody was harmed, or nobody was helped."""
    broken = []
    if sum(result[name] for name in HARM) > MOST_HARMED:
        found = ", ".join(f"{result[name]} {name}" for name in HARM)
        broken.append(f"{found}, and {MOST_HARMED} are the most")
    if not result["helped"]:
        broken.append("nobody was helped, so that nothing is shown")
    return "; ".join(broken)
