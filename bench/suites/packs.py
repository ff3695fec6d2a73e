"""Tools of `packs/sql`, killed at every statement and commit, and again in their recovery."""

from __future__ import annotations

import argparse
import platform
import random
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import sqlalchemy
from rich.console import Group, RenderableType
from rich.text import Text

from bench.crash.workers import scratch
from bench.crash.worlds import open_worlds
from bench.packs.rows import CASES, Case, Place, Tally, create_world, run_case
from bench.report import table
from mulligan.testing.postgres import to_sqlalchemy_url

Result = dict[str, Any]

PROMISES = ("lost", "duplicates", "overwritten", "left", "for_a_person")
MEANINGS = {
    "runs": "calls of a tool",
    "kills": "processes killed with -9, in the call or in its recovery",
    "lost": "effects without a record, or records without an effect",
    "duplicates": "effects beyond one for a call",
    "overwritten": "edits of a person that are gone",
    "left": "wrong effects that stand untold",
    "for_a_person": "cases for a person where nobody else was at the rows",
    "conflicts": "the same where a person has edited them: theirs to decide",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, default=100, metavar="N", help="at least 100")
    parser.add_argument("--database", default="sqlite", help="sqlite, postgres, or a URL")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")


def run(options: argparse.Namespace) -> Result:
    with scratch() as folder, ExitStack() as stack:
        url = _find_database(options.database, folder, stack)
        tally = run_kills(url, folder, kills=options.kills, seed=options.seed)
    versions = {"python": platform.python_version(), "sqlalchemy": sqlalchemy.__version__}
    return {"n": tally.runs, "database": options.database, **asdict(tally), "versions": versions}


def run_kills(
    url: str, folder: Path, *, kills: int, seed: int, cases: Sequence[Case] = CASES
) -> Tally:
    """Every kind of call in turn, each killed at the next of its points, until it is enough."""
    chance, tally, hits = random.Random(seed), Tally(), dict.fromkeys(cases, 1)
    while tally.kills < kills:
        for case in cases:
            place = _make_place(url, folder, case)
            killed = run_case(place, (hits[case], chance.randint(0, 40)), tally)
            shutil.rmtree(place.folder)
            # One that came to its end has no such point: all of them were struck.
            hits[case] = hits[case] + 1 if killed else 1
            if tally.kills >= kills:
                break
    return tally


def _make_place(url: str, folder: Path, case: Case) -> Place:
    own = folder / "run"
    own.mkdir()
    create_world(url)
    return Place(folder=own, url=url, case=case)


def _find_database(named: str, folder: Path, stack: ExitStack) -> str:
    if named == "sqlite":
        return f"sqlite:///{folder}/rows.db"
    if named != "postgres":
        return named
    worlds = open_worlds("postgres", stack)
    server = worlds.server
    assert server is not None
    return to_sqlalchemy_url(stack.enter_context(server.create_database()))


def failed(result: Result) -> str:
    """Why a result is no proof: a promise that broke."""
    return "; ".join(f"{result[name]} {name}" for name in PROMISES if result[name])


def show(result: Result) -> RenderableType:
    rows = [(said, f"{result[name]:,}") for name, said in MEANINGS.items()]
    return Group(
        table(f"packs/sql on {result['database']}", ["", "count"], rows),
        *(Text(example, style="red") for example in result["examples"][:20]),
    )
