"""Cases from a folder of data, for the suites that measure on it: `--data`, `--half`, `--limit`."""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.missing import MissingError


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that every suite on data has."""
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of data")
    parser.add_argument("--half", choices=("public", "heldout"), default="public")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N cases")


def read_cases(options: argparse.Namespace, name: str) -> list[dict[str, Any]]:
    """The cases of one file in the chosen half, such as `tau/repair_pairs`."""
    path: Path = options.data / f"{name}.{options.half}.jsonl.gz"
    if not path.is_file():
        raise MissingError(f"{path} is not there: pass the folder that holds it as --data DIR.")
    return list(itertools.islice(_lines(path), options.limit))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
