"""Cases from a folder of data, for the suites that measure on it: `--data`, `--half`, `--limit`."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.missing import MissingError

PARTS: Mapping[str, tuple[bool, ...]] = {"all": (True, False), "open": (False,), "kept": (True,)}
"""Parts of a file, by whether its groups of cases are kept out."""
GROUPED_BY: Mapping[str, str] = {
    "bfcl/failures": "test",
    "bfcl/irrelevant_call_failures": "test",
    "bfcl/passes_sample": "test",
    "bfcl_multiturn": "test",
    "errors": "tool",
    "grounding": "question",
    "ifeval": "key",
    "livemcpbench": "task_id",
    "outside/agentdojo_runs": "task",
    "outside/repair_pairs": "task",
    "outside/results": "session",
    "tau": "task_id",
    "third/ace_calls": "tool",
    "third/api_answers": "provider",
    "third/dates3": "text",
    "third/dialogs": "conv",
    "third/exec_outputs": "run",
    "third/faith": "source_id",
    "third/solo_retail": "task",
    "workbench/relative_dates": "query",
    "workbench/runs": "template",
}
"""By file or folder, the field in which cases that resemble each other agree, so that they are in
the same part; else each is alone."""


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that every suite on data has."""
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of data")
    parser.add_argument("--half", choices=("public", "heldout"), default="public")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N cases")
    parser.add_argument(
        "--part", choices=tuple(PARTS), default="all", help="kept: a third, by a hash of groups"
    )


def read_cases(options: argparse.Namespace, name: str) -> list[dict[str, Any]]:
    """The cases of one file in the chosen half and part, such as `tau/repair_pairs`."""
    by = GROUPED_BY.get(name) or GROUPED_BY.get(name.partition("/")[0], "id")
    wanted = PARTS[getattr(options, "part", "all")]
    kept = (case for case in _open(options, name) if is_kept_out(str(case[by])) in wanted)
    return list(itertools.islice(kept, options.limit))


def is_kept_out(group: str) -> bool:
    """Whether a group of cases is of the third that is kept apart: nobody chose it."""
    return hashlib.sha256(group.encode()).digest()[0] % 3 == 0


def has_cases(options: argparse.Namespace, name: str) -> bool:
    """Whether the chosen half has such a file."""
    return _locate(options, name).is_file()


def _locate(options: argparse.Namespace, name: str) -> Path:
    return Path(options.data / f"{name}.{options.half}.jsonl.gz")


def _open(options: argparse.Namespace, name: str) -> Iterator[dict[str, Any]]:
    return _lines(require_file(_locate(options, name)))


def require_file(path: Path) -> Path:
    """The path, if there is such a file in the data."""
    if not path.is_file():
        raise MissingError(f"{path} is not there: pass the folder that holds it as --data DIR.")
    return path


def read_json(path: Path) -> dict[str, Any]:
    """What stands beside the cases in a file of its own, such as the schemas of their tools."""
    found: dict[str, Any] = json.loads(require_file(path).read_text(encoding="utf-8"))
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
