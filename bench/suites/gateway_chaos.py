"""A gateway whose server is killed, stopped and garbled, and one that a crowd of one principal
asks: no write twice, no caller left waiting, nobody else refused."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from typing import Any

from bench.gateway.chaos import play
from bench.gateway.crowd import play as play_crowd

Result = dict[str, Any]
PROMISES = ("duplicates", "hung", "zombies", "other_failed")
CALLS = 400
"""Of the one who comes beside the crowd; as many before, alone."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=1_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clients", type=int, default=300, metavar="N", help="of the crowd")


def run(options: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory(prefix="mulligan-chaos-") as folder:
        found: Result = asyncio.run(play(options.rounds, Path(folder), seed=options.seed))
        found |= asyncio.run(play_crowd(options.clients, CALLS, Path(folder)))
    return {"n": options.rounds, **found}
