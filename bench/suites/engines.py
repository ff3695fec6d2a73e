"""The demo's story on DBOS and Temporal, with the worker killed in the middle."""

from __future__ import annotations

import argparse
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.crash.workers import scratch
from bench.engines.killing import Live, kill_and_count
from bench.report import progress

Result = dict[str, Any]

ENGINES = ("dbos", "temporal")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stories", type=int, default=100, metavar="N", help="an engine; 100")
    parser.add_argument("--engine", choices=(*ENGINES, "both"), default="both")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")


def run(options: argparse.Namespace) -> Result:
    engines = ENGINES if options.engine == "both" else (options.engine,)
    found = {}
    with scratch() as folder, progress(len(engines) * options.stories) as step:
        for engine in engines:
            with _open_engine(engine) as live:
                found[engine] = _tell_all(engine, live, folder, options, step)
    return {
        "n": sum(each["stories"] for each in found.values()),
        "engines": found,
        "versions": {name: version(name) for name in ("dbos", "temporalio")},
    }


def _tell_all(
    engine: str, live: Live, folder: Path, options: argparse.Namespace, step: Any
) -> Result:
    chance, killed, struck = random.Random(options.seed), 0, 0
    whole = kill_and_count(folder / engine / "whole", live, name="whole", hits=())
    broken, points = list(whole["broken"]), max(1, whole["points"])
    for number in range(options.stories):
        step(f"{engine} {number}")
        place = folder / engine / str(number)
        hits = [chance.randint(1, points) for _ in range(chance.choice((1, 1, 2)))]
        told = kill_and_count(place, live, name=f"story{number}", hits=hits)
        killed += told["killed"]
        struck += told["killed"] > 0
        broken += told["broken"]
        shutil.rmtree(place, ignore_errors=True)
    return {
        "stories": options.stories, "stories_with_a_kill": struck, "killed": killed,
        "broken": len(broken), "examples": broken[:10],
    }  # fmt: skip


@contextmanager
def _open_engine(engine: str) -> Iterator[Live]:
    if engine == "dbos":
        from bench.engines import on_dbos

        yield on_dbos.live
        return
    from bench.engines import on_temporal

    with on_temporal.run_server() as target:
        yield partial(on_temporal.live, target=target)


def failed(result: Result) -> str:
    """What was lost or doubled, by engine."""
    found = result["engines"].items()
    return "; ".join(f"{each['broken']} broken on {name}" for name, each in found if each["broken"])
