"""The page of what was measured: each suite as it was last run, and none that was not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.peers import ROOT
from bench.whole.plan import were_rules_made_on
from bench.whole.running import Measured

KEPT = ROOT / "bench" / "whole" / "measured.json"
"""What suites came to when they were last run, from which the page is written."""
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = Path(__file__).with_name("page_head.md")
"""What stands above the tables."""
MOST_FIGURES = 40
"""Of one suite; a suite with more tells the others itself."""


def merge(new: Iterable[Measured], path: Path = KEPT) -> list[Measured]:
    """What was known, with what was measured now in its place; what is missing replaces nothing."""
    known = {each.name: each for each in (Measured(**each) for each in _read(path))}
    for each in new:
        # A run that shows no more than that a suite works is no reason to forget its figures.
        before = [other for other in known.values() if other.suite == each.suite]
        if each.figures and (not each.quick or all(other.quick for other in before)):
            known[each.name] = each
    merged = sorted(known.values(), key=lambda each: each.name)
    path.write_text(json.dumps([each.to_json() for each in merged], indent=1) + "\n")
    return merged


def write_page(measured: Iterable[Measured], *, machine: str, path: Path = PAGE) -> None:
    """Write the page anew."""
    shown = list(measured)
    lines = [HEAD.read_text().format(machine=machine), *_build_runs(shown), *_build_figures(shown)]
    path.write_text("\n".join(lines) + "\n")


def _build_runs(measured: list[Measured]) -> Iterator[str]:
    yield from (
        "## What was run",
        "",
        "| suite | when | n | with | rules made on it | seconds | against |",
    )
    yield "|---|---|---|---|---|---|---|"
    for each in measured:
        form = "short form" if each.quick else each.arguments or "nothing else"
        versions = ", ".join(f"{name} {number}" for name, number in each.versions.items())
        n = "" if each.n is None else f"{each.n:,}"
        read = were_rules_made_on(each.suite, each.arguments)
        yield (
            f"| `{each.name}` | {each.day} | {n} | {form} | {read} | {each.seconds} | {versions} |"
        )
    yield ""
    for each in measured:
        if each.said:
            yield f"`{each.name}` was not content: {each.said}\n"


def _build_figures(measured: list[Measured]) -> Iterator[str]:
    yield from (
        "## What it came to",
        "",
        "| suite | figure | value | spread |",
        "|---|---|---|---|",
    )
    for each in measured:
        for name, value in list(each.figures.items())[:MOST_FIGURES]:
            quartiles = each.spread.get(name)
            spread = f"{quartiles[0]:,} to {quartiles[1]:,}" if quartiles else ""
            yield f"| `{each.name}` | {name} | {value:,} | {spread} |"


def _read(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text()) if path.exists() else []
