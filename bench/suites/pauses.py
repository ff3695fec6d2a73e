"""Workers on four hosts, paused for shorter and longer than their lease, with clocks that jump."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from functools import partial
from typing import Any

import psycopg

from bench.crash import pausing
from bench.crash.pausing import COUNTED, Place
from bench.crash.processes import start_child
from bench.crash.workers import scratch
from bench.crash.worlds import find_url, open_worlds

Result = dict[str, Any]

PROMISES = (*COUNTED, "stale_writes_accepted", "hung")
MEANINGS = {
    "pauses": "pauses of a worker",
    "shorter": "of them shorter than the lease",
    "longer": "of them longer than the lease",
    "turns": "turns that were begun",
    "actions": "actions on record",
    "unaccounted": "effects or actions that do not match",
    "duplicates": "effects beyond one for a call",
    "undone_twice": "undos of what was undone",
    "untrue": "effects that stand, and were called undone",
    "stale_writes_accepted": "entries of a writer that another had taken over from",
    "hung": "workers that did not come to an end",
}
A_PAUSE = 1.0
"""Seconds that one pause may take, on the average, before the run is cut short."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pauses", type=int, default=200, metavar="N", help="200")
    parser.add_argument("--workers", type=int, default=4, metavar="N", help="4")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")


def run(options: argparse.Namespace) -> Result:
    with scratch() as folder, ExitStack() as stack:
        worlds = open_worlds("postgres", stack)
        worlds.make(folder / "place")
        place = Place(url=find_url(folder / "place"), folder=folder / "place")
        paused = partial(
            pausing.run,
            place,
            workers=options.workers,
            pauses=options.pauses,
            seed=options.seed,
            most_seconds=30 + A_PAUSE * options.pauses,
        )
        found = start_child(paused, timeout=int(120 + 2 * A_PAUSE * options.pauses))().said
    versions = {"psycopg": psycopg.__version__}
    return {"n": found["pauses"], "workers": options.workers, **found, "versions": versions}
