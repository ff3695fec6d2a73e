"""Tools of the packs, killed at everything they do, and again in their recovery."""

from __future__ import annotations

import argparse
import random
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import sqlalchemy

from bench.crash.workers import scratch
from bench.packs.event_server import serve_elsewhere
from bench.packs.folders import FolderWorld
from bench.packs.life import Case, Life, Tally, World, create_journal
from bench.packs.lines import count_lines
from bench.packs.mail_server import serve_dovecot
from bench.packs.mails import MailWorld
from bench.packs.resources import ResourceWorld
from bench.packs.rows import RowWorld
from bench.report import progress
from bench.servers import DATABASES, find_database

Result = dict[str, Any]

EMPTY = "empty"
KNOWN = (*DATABASES, "files", "http", "http-bare", "mail")
MEANINGS = {
    "runs": "calls of a tool",
    "kills": "processes killed with -9, in the call or in its recovery",
    "lost": "effects without a record, or records without an effect",
    "duplicates": "effects beyond one for a call",
    "overwritten": "edits of a person that are gone",
    "left": "wrong effects that stand untold",
    "for_a_person": "cases for a person where nobody else was there",
    "conflicts": "the same where a person has edited: theirs to decide",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, default=100, metavar="N", help="at least 100")
    parser.add_argument("--on", default="sqlite", help=f"{', '.join(KNOWN)}, or a database's URL")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")


def run(options: argparse.Namespace) -> Result:
    with scratch() as folder, ExitStack() as stack:
        world = open_world(options.on, folder, stack)
        tally = run_kills(world, folder, kills=options.kills, seed=options.seed)
    return {
        "n": tally.runs,
        "on": options.on,
        **asdict(tally),
        "promises": world.promises,
        "lines": count_lines(),
        "versions": {"sqlalchemy": sqlalchemy.__version__},
    }


def run_kills(
    world: World,
    folder: Path,
    *,
    kills: int,
    seed: int,
    cases: Sequence[Case] | None = None,
) -> Tally:
    """Every kind of call in turn, each killed at another of its points, until it is enough."""
    chance, tally = random.Random(seed), Tally()
    create_journal(folder / EMPTY)
    points: dict[Case, list[int]] = {case: [] for case in cases or world.list_cases()}
    with progress(kills) as step:
        while tally.kills < kills:
            for case, left in points.items():
                before, at = tally.kills, left.pop() if left else 0
                length = _run_case(world, folder, case, (at, chance.randint(1, 24)), tally)
                if not left:
                    # Nobody was killed, or all were: every point once more, in another order.
                    left += chance.sample(range(1, length + 1), length)
                for _ in range(tally.kills - before):
                    step(case.kind)
                if tally.kills >= kills:
                    break
    return tally


def _run_case(world: World, folder: Path, case: Case, hits: tuple[int, int], tally: Tally) -> int:
    own = shutil.copytree(folder / EMPTY, folder / "run")
    world.fill()
    length = Life(folder=own, world=world, case=case).run(hits, tally)
    shutil.rmtree(own)
    return length


def open_world(named: str, folder: Path, stack: ExitStack) -> World:
    """What is struck at, for as long as the stack lasts."""
    match named:
        case "files":
            return FolderWorld(folder)
        case "http" | "http-bare":
            etags = named == "http"
            return ResourceWorld(stack.enter_context(serve_elsewhere(etags=etags)), etags=etags)
        case "mail":
            return MailWorld(stack.enter_context(serve_dovecot()))
        case database:
            return RowWorld(find_database(database, folder, stack))


def failed(result: Result) -> str:
    """Why a result is no proof: a promise that broke."""
    return "; ".join(f"{result[name]} {name}" for name in result["promises"] if result[name])
