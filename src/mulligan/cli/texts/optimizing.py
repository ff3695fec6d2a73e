"""`mulligan tasks optimize`: a search for better notes over recorded runs."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from mulligan.app.settings import Settings
from mulligan.cli.terminal import render
from mulligan.cli.terminal.waiting import make_progress
from mulligan.core.waiting.own_loop import run_on_own_loop

if TYPE_CHECKING:
    from mulligan.loops.optimizing import Optimized

ROUNDS = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What a search takes."""
    parser.add_argument(
        "--judge", required=True, metavar="MODEL", help="who reflects, such as anthropic:…"
    )
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, metavar="N", help=f"proposals (default {ROUNDS})"
    )
    parser.add_argument("--model", help="the model it runs on; else the one it last ran on")


def run_optimize(options: argparse.Namespace, settings: Settings) -> int:
    """Search, say what is on trial now, and fail when nothing is."""
    found = run_on_own_loop(_search(options, settings))
    if options.json:
        render.print_json(asdict(found))
    else:
        _print(found)
    return 0 if found.proposed else 1


async def _search(options: argparse.Namespace, settings: Settings) -> Optimized:
    # The other commands about tasks only read, and need no application.
    from mulligan.app.mulligan import Mulligan

    with make_progress() as progress:
        bar = progress.add_task("rounds", total=options.rounds)
        async with Mulligan(settings=settings, judge=options.judge) as m:
            return await m.optimize_task(
                options.task,
                rounds=options.rounds,
                model=options.model,
                tell=lambda number, _said: progress.update(bar, completed=number),
            )


def _print(found: Optimized) -> None:
    console = render.make_console()
    rows = [(each.version, each.n, f"{each.at['overall']:.2f}", each.wins) for each in found.front]
    console.print(render.build_text(f"Searched over {found.runs} scored runs. Worth building on:"))
    columns = ("version", "runs", "score", "best at")
    console.print(render.build_table(rows, columns=columns))
    for version in found.proposed:
        console.print(render.build_text(f"Version {version} is on trial: runs decide."))
    for reason in found.rejected:
        console.print(render.build_text(f"Left out: {reason}"))
