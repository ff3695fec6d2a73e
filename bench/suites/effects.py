"""Calls of four packs beside a second writer, judged by all that is there.

`python -m bench sql` is the same for the SQL pack.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from bench.crash.workers import scratch
from bench.packs.effect_mutants import LIKELY, MUTANTS
from bench.packs.effects import Draw, run_effects
from bench.packs.histories import Totals
from bench.report import progress
from mulligan_testing.simulations import SIMULATIONS

Result = dict[str, Any]

PACKS = ("files", "http", "calendar", *SIMULATIONS)
PROMISES = {
    "lost": "things that are not as they were, of calls that are called undone",
    "deleted": "things that are gone and that were not ours",
    "overwritten": "what somebody else wrote, and is gone",
    "untrue": "sentences that what is there does not bear out",
    "errors": "calls that ended in no way that is provided for",
    "needless": "calls that were refused or left to a person though nothing befell them",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pack", default="all", choices=(*PACKS, "all"), help="whose tools; all")
    parser.add_argument("--histories", type=int, default=100, metavar="N", help="500 and more")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--mutants", action="store_true", help="plant mistakes, which are found")
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="mistakes with these words in their names"
    )


def run(options: argparse.Namespace) -> Result:
    totals, caught = Totals(), dict[str, int]()
    for pack in PACKS if options.pack == "all" else (options.pack,):
        with scratch() as folder, open_place(pack, folder) as draw:
            with progress(options.histories) as step:
                found = run_effects(draw, count=options.histories, seed=options.seed, step=step)
            totals = _join(totals, found)
            if options.mutants:
                caught |= find_mutants(pack, draw, options)
    result: Result = {
        "n": totals.histories,
        "pack": options.pack,
        **{name: getattr(totals, name) for name in PROMISES},
        "outcomes": dict(totals.outcomes),
        "deeds": dict(totals.deeds),
        "person_share": round(totals.outcomes["person"] / max(1, totals.histories), 4),
        "by_cause": dict(totals.person.most_common()),
        "examples": totals.examples[:20],
    }
    if options.mutants:
        result |= {"mutants": len(caught), "caught": sum(n > 0 for n in caught.values())}
        result["found_after"] = caught
    return result


def _join(one: Totals, other: Totals) -> Totals:
    """What was seen of both."""
    names = [each.name for each in fields(Totals)]
    return Totals(**{name: getattr(one, name) + getattr(other, name) for name in names})


@contextmanager
def open_place(pack: str, folder: Path) -> Iterator[Draw]:
    """What histories of a pack are drawn with, for as long as the context lasts."""
    # Each needs an extra of its own.
    match pack:
        case "files":
            from bench.packs.file_histories import FilePlace

            yield FilePlace(folder).draw
        case "http":
            from bench.packs.http_histories import HttpPlace

            with closing(HttpPlace(folder)) as place:
                yield place.draw
        case name if name in SIMULATIONS:
            from bench.packs.service_histories import ServicePlace

            yield ServicePlace(pack, folder).draw
        case _:
            from bench.packs.calendar_histories import CalendarPlace
            from mulligan_testing.line import line_to
            from mulligan_testing.radicale import radicale_server

            with radicale_server() as radicale, line_to(radicale.url) as line:
                yield CalendarPlace(folder, radicale, line).draw


def find_mutants(pack: str, draw: Draw, options: argparse.Namespace) -> dict[str, int]:
    """For each mistake in a pack, after how many histories it was found; 0: it was not."""
    found = {}
    for name, planted in MUTANTS.get(pack, {}).items():
        if options.only in name:
            with planted():
                totals = run_effects(
                    draw,
                    count=options.histories,
                    seed=options.seed,
                    until=lambda seen: bool(seen.broken),
                    first=LIKELY.get(name, ()),
                )
            found[f"{pack}: {name}"] = totals.histories if totals.broken else 0
    return found


def failed(result: Result) -> str:
    """Why a result is no proof: a promise that broke, or a mistake that nobody noticed."""
    broken = [f"{result[name]} {name}" for name in PROMISES if result[name]]
    missed = [name for name, after in result.get("found_after", {}).items() if not after]
    return "; ".join([*broken, *(f"not noticed: {name}" for name in missed)])
