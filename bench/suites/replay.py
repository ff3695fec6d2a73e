"""Runs live and replayed by `mulligan replay`: the same findings, and what a file costs."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from bench.replayed import measure_agreement, replay_file, write_calls

Result = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--calls", type=int, default=20_000, metavar="N", help="of one file; 20,000"
    )


def run(options: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, report = folder / "calls.jsonl", folder / "calls.html"
        calls = write_calls(path, options.calls)
        first, again = (replay_file(path, report) for _ in range(2))
        return {
            "n": calls,
            "calls": calls,
            "seconds": first.seconds,
            "peak_mb": first.peak_mb,
            "agreement": measure_agreement(folder),
            "same_twice": first.said == again.said,
        }


def failed(result: Result) -> str:
    """A report is made of its file alone."""
    return "" if result["same_twice"] else "the same file gave two reports"
