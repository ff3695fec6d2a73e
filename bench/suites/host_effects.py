"""The tools of docs/tools.md as four frameworks call them: faults, rejections, kills and holds."""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench.hosts.campaign import list_cells, run_cell
from bench.hosts.frameworks import FRAMEWORKS
from bench.missing import MissingError
from bench.report import progress

Result = dict[str, Any]

PACKAGES = {
    "pydantic-ai": "pydantic-ai-slim",
    "langchain": "langchain",
    "openai-agents": "openai-agents",
    "fastmcp": "fastmcp",
}
FIGURES = ("runs", "effects", "duplicates", "untrue", "unaccounted", "open")
PROMISES = ("duplicates", "untrue", "unaccounted")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--framework", choices=list(FRAMEWORKS), help="only this one")


def run(options: argparse.Namespace) -> Result:
    names = [options.framework] if options.framework else list(FRAMEWORKS)
    versions = _find_versions(names)
    cells = [cell for name in names for cell in list_cells(name)]
    rows: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: dict.fromkeys(FIGURES, 0))
    examples: list[str] = []
    with progress(len(cells)) as step:
        for cell in cells:
            step(str(cell))
            with tempfile.TemporaryDirectory() as folder:
                counted = asyncio.run(run_cell(cell, Path(folder)))
            row = rows[cell.framework, cell.story]
            row["runs"] += 1
            row["untrue"] += len(counted.untrue)
            for name in ("effects", "duplicates", "unaccounted", "open"):
                row[name] += getattr(counted, name)
            examples += [f"{cell}: {each}" for each in counted.untrue]
    told = [{"framework": f, "story": story, **row} for (f, story), row in rows.items()]
    sums = {name: sum(each[name] for each in told) for name in FIGURES}
    return {"n": len(cells), **sums, "rows": told, "examples": examples[:20], "versions": versions}


def _find_versions(names: list[str]) -> dict[str, str]:
    try:
        return {name: importlib.metadata.version(PACKAGES[name]) for name in names}
    except importlib.metadata.PackageNotFoundError as missing:
        raise MissingError(f"{missing}: pip install -e '.[test]' brings the frameworks.") from None
