"""Cases from a folder of data, for the suites that measure on it: `--data`, `--half`, `--limit`."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
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


def add_data_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """The options that every suite on data has."""
    parser.add_argument(
        "--data", type=Path, required=required, metavar="DIR", help="folder of data"
    )
    parser.add_argument("--half", choices=("public", "heldout"), default="public")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N cases")
    parser.add_argument("--tools", metavar="A,B", help="only cases of these tools")
    parser.add_argument("--without-tools", metavar="A,B", help="no case of any of these tools")
    parser.add_argument(
        "--part", choices=tuple(PARTS), default="all", help="kept: a third, by a hash of groups"
    )


def read_cases(options: argparse.Namespace, name: str) -> list[dict[str, Any]]:
    """The cases of one file in the chosen half and part, such as `tau/repair_pairs`."""
    by = GROUPED_BY.get(name) or GROUPED_BY.get(name.partition("/")[0], "id")
    wanted = PARTS[getattr(options, "part", "all")]
    chosen = filter(_build_filter(options), _open(options, name))
    kept = (case for case in chosen if is_kept_out(str(case[by])) in wanted)
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
    path = _locate(options, name)
    if not path.is_file():
        raise MissingError(f"{path} is not there: pass the folder that holds it as --data DIR.")
    return _lines(path)


def _build_filter(options: argparse.Namespace) -> Callable[[dict[str, Any]], bool]:
    """Whether a case is of the tools that were asked for."""
    only, without = (
        frozenset(filter(None, (getattr(options, name, None) or "").split(",")))
        for name in ("tools", "without_tools")
    )

    def is_wanted(case: dict[str, Any]) -> bool:
        tools = _list_tools(case)
        return (not only or bool(only & tools)) and not without & tools

    return is_wanted


def _list_tools(case: dict[str, Any]) -> frozenset[str]:
    """The tools that a case is about: a pair of errors has two."""
    halves = (case.get(side) for side in ("a", "b"))
    held = (case, *(half for half in halves if isinstance(half, dict)))
    return frozenset(each["tool"] for each in held if "tool" in each)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
