"""Processes that end after a few failures: who is told a fix, and what a full store costs a start.

`told` has, for each process in order, how many of its failures came with a fix that an earlier one
had found. `empty` and `full` have the milliseconds that a process with one failure takes to open
its store, for its turn and for its end, in a store without and with `--episodes` that no lesson was
drawn from yet; `drawn` the same once they were.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from rich.console import Group, RenderableType
from rich.text import Text

from bench.imports import build_environment
from bench.report import progress, table
from mulligan.learning.consolidation import consolidate
from mulligan.stores.opening import open_store
from mulligan.types.interfaces import run_as_leader
from mulligan.types.lesson import EpisodeQuery

Result = dict[str, Any]

KINDS = 100
"""Of failures, in a full store."""
LEARNED_BY = 2
"""The process, counted from one, whose every failure comes with a fix."""
PHASES = ("open_ms", "turns_ms", "end_ms")
STORES = ("empty", "full", "drawn")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--processes", type=int, default=6, metavar="N", help="6")
    parser.add_argument("--failures", type=int, default=10, metavar="N", help="of each; 10")
    parser.add_argument("--episodes", type=int, default=10_000, metavar="N", help="10,000")
    parser.add_argument("--starts", type=int, default=5, metavar="N", help="of each store; 5")


def run(options: argparse.Namespace) -> Result:
    steps = options.processes + len(STORES) * options.starts
    with tempfile.TemporaryDirectory() as folder, progress(steps) as step:
        lives = []
        for number in range(options.processes):
            step("learning")
            lives.append(_live(f"sqlite:///{folder}/shop.db", number, options.failures))
        starts = {
            kind: _measure_starts(Path(folder), kind, options, step=lambda: step("starting"))
            for kind in STORES
        }
    return {
        "n": options.processes * options.failures,
        "told": [sum(each["told"]) for each in lives],
        "failures": options.failures,
        "episodes": options.episodes,
        **starts,
        "versions": {"python": platform.python_version()},
    }


def failed(result: Result) -> str:
    """What is not as it must be: a process that an earlier one's fix was not told."""
    late = [
        str(number)
        for number, told in enumerate(result["told"], start=1)
        if number >= LEARNED_BY and told < result["failures"]
    ]
    return f"process {', '.join(late)} was not told each time" if late else ""


def show(result: Result) -> RenderableType:
    told = ", ".join(f"{each} of {result['failures']}" for each in result["told"])
    rows = [(phase, *(f"{result[kind][phase]:.0f}" for kind in STORES)) for phase in PHASES]
    title = f"milliseconds of a process with one failure; full: {result['episodes']:,} episodes"
    return Group(Text(f"told, process by process: {told}"), table(title, ("", *STORES), rows))


def _live(url: str, number: int, failures: int) -> Result:
    """One process, from its start to its end."""
    given = [url, str(number * failures), str(failures)]
    made = subprocess.run(
        [sys.executable, "-m", "bench.short_life", *given],
        env=build_environment(),
        check=True,
        capture_output=True,
        text=True,
    )
    found: Result = json.loads(made.stdout)
    return found


def _measure_starts(folder: Path, kind: str, options: argparse.Namespace, *, step: Any) -> Result:
    lives = []
    for number in range(options.starts):
        step()
        # Its own store each time: the first process of a day may go through all that is kept.
        url = f"sqlite:///{folder}/{kind}{number}.db"
        if kind != "empty":
            _fill(url, f"sqlite:///{folder}/shop.db", options.episodes, drawn=kind == "drawn")
        lives.append(_live(url, 0, 1))
    return {phase: round(_middle([each[phase] for each in lives]), 1) for phase in PHASES}


def _middle(figures: Sequence[float]) -> float:
    return statistics.median(figures)


def _fill(url: str, like: str, episodes: int, *, drawn: bool) -> None:
    """Put so many failures into a store, of tools that the process does not have."""
    source = open_store(like)
    [one] = source.failures.list_episodes(EpisodeQuery(limit=1))
    source.close()
    store = open_store(url)
    made = [
        replace(
            one,
            id=f"{number:032x}",
            turn=f"{number:032x}",
            tool=f"tool_{number % KINDS}",
            fingerprint=f"{one.fingerprint[:2]}{number % KINDS:016x}",
            at=one.at - timedelta(days=1, seconds=episodes - number),
        )
        for number in range(episodes)
    ]
    for start in range(0, episodes, 1_000):
        store.failures.record(made[start : start + 1_000])
    if drawn:
        with run_as_leader(store, "consolidate", every=timedelta()):
            consolidate(store, now=one.at)
    store.close()
