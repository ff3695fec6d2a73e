"""A gateway whose server is killed, stopped and garbled: no write twice, no caller left waiting."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from bench import versions
from bench.gateway.chaos import play
from bench.report import table

Result = dict[str, Any]
PROVED = ("duplicates", "hung", "zombies")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=1_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)


def run(options: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory(prefix="mulligan-chaos-") as folder:
        found = asyncio.run(play(options.rounds, Path(folder), seed=options.seed))
    return {"n": options.rounds, **found, "versions": versions.ours()}


def failed(result: Result) -> str:
    wrong = {name: result[name] for name in PROVED if result.get(name)}
    return f"The gateway did not stand it: {wrong}." if wrong else ""


def show(result: Result) -> RenderableType:
    names = [name for name, value in result.items() if isinstance(value, int)]
    return table("A server that comes to harm", names, [[result[name] for name in names]])
