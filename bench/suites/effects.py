"""Calls of the other packs beside a second writer, judged by all that is there.

`python -m bench sql` is the same for the SQL pack.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench.crash.workers import scratch
from bench.packs import campaign
from bench.packs.campaign import MEANINGS, PROMISES, Draw, Totals, failed
from bench.packs.effect_mutants import list_hunts
from mulligan_testing.simulations import SIMULATIONS

__all__ = ["MEANINGS", "PROMISES", "failed"]

PACKS = ("files", "http", "calendar", *SIMULATIONS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pack", default="all", choices=(*PACKS, "all"), help="whose tools; all")
    campaign.add_arguments(parser, histories=100)


def run(options: argparse.Namespace) -> dict[str, Any]:
    totals, found = Totals(), dict[str, int]()
    for pack in PACKS if options.pack == "all" else (options.pack,):
        with scratch() as folder, open_place(pack, folder) as draw:
            seen, caught = campaign.play(draw, list_hunts(pack, draw), options)
        totals += seen
        found |= {f"{pack}: {name}": after for name, after in caught.items()}
    return {
        **campaign.sum_up(totals, found, persons=totals.outcomes["person"]),
        "pack": options.pack,
    }


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
