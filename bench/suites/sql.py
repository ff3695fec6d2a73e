"""Random schemas and calls of the SQL pack beside a second writer, judged by the whole database."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import sqlalchemy

from bench.crash.workers import scratch
from bench.crash.worlds import open_worlds
from bench.packs.database_server import serve_mariadb
from bench.packs.histories import Place, run_histories
from bench.packs.sql_mutants import LIKELY, MUTANTS
from bench.report import progress
from mulligan_testing.postgres import to_sqlalchemy_url

Result = dict[str, Any]

KNOWN = ("sqlite", "postgres", "mariadb")
PROMISES = {
    "lost": "rows that are not as they were, of calls that are called undone",
    "deleted": "rows that an undo took away and that were not ours",
    "overwritten": "what somebody else wrote, and is gone",
    "untrue": "sentences that the database does not bear out",
    "errors": "calls that ended in no way that is provided for",
    "needless": "calls refused or left to a person though all they do is declared",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--histories", type=int, default=200, metavar="N", help="2000 and more")
    parser.add_argument("--on", default="sqlite", help=f"{', '.join(KNOWN)}, or a database's URL")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--mutants", action="store_true", help="plant mistakes, which are found")


def run(options: argparse.Namespace) -> Result:
    with scratch() as folder, ExitStack() as stack:
        place = open_place(options.on, folder, stack)
        with progress(options.histories) as step:
            totals = run_histories(place, count=options.histories, seed=options.seed, step=step)
        caught = find_mutants(place, options) if options.mutants else {}
    person = sum(totals.person.values())
    result: Result = {
        "n": totals.histories,
        "on": options.on,
        **{name: getattr(totals, name) for name in PROMISES},
        "outcomes": dict(totals.outcomes),
        "person_share": round(person / max(1, totals.histories), 4),
        "by_cause": dict(totals.person),
        "refused": dict(totals.refused),
        "examples": totals.examples[:20],
        "versions": {"sqlalchemy": sqlalchemy.__version__},
    }
    if options.mutants:
        result |= {"mutants": len(caught), "caught": sum(n > 0 for n in caught.values())}
        result["found_after"] = caught
    return result


def find_mutants(place: Place, options: argparse.Namespace) -> dict[str, int]:
    """For each mistake, after how many histories it was found; 0: it was not."""
    found = {}
    for name, planted in MUTANTS.items():
        with planted():
            totals = run_histories(
                place,
                count=options.histories,
                seed=options.seed,
                until=lambda seen: bool(seen.broken),
                likely=LIKELY.get(name, ()),
            )
        found[name] = totals.histories if totals.broken else 0
    return found


def open_place(named: str, folder: Path, stack: ExitStack) -> Place:
    """A database for as long as the stack lasts."""
    match named:
        case "sqlite":
            return Place(f"sqlite:///{folder}/rows.db")
        case "postgres":
            server = open_worlds("postgres", stack).server
            assert server is not None
            return Place(to_sqlalchemy_url(stack.enter_context(server.create_database())))
        case "mariadb":
            return Place(stack.enter_context(serve_mariadb()))
        case url:
            return Place(url)


def failed(result: Result) -> str:
    """Why a result is no proof: a promise that broke, or a mistake that nobody noticed."""
    broken = [f"{result[name]} {name}" for name in PROMISES if result[name]]
    missed = [name for name, after in result.get("found_after", {}).items() if not after]
    return "; ".join([*broken, *(f"not noticed: {name}" for name in missed)])
