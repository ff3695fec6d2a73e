"""Random agents, and whether all that is said at the end of a turn is true of the remote."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from bench.report import progress
from bench.truth.campaign import play_histories

Result = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--histories", type=int, default=20_000, metavar="N", help="20,000")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")


def run(options: argparse.Namespace) -> Result:
    with progress(options.histories) as step:
        tally = asyncio.run(play_histories(options.histories, seed=options.seed, shown=step))
    return {
        "n": tally.histories,
        "untrue": tally.untrue,
        "untrue_by_kind": dict(tally.kinds.most_common()),
        "standings": dict(tally.standings.most_common()),
        "attempts": {str(count): n for count, n in sorted(tally.attempts.items())},
        "examples": tally.examples,
    }


def failed(result: Result) -> str:
    """What is said and not so."""
    return f"{result['untrue']} histories with something untrue" if result["untrue"] else ""
