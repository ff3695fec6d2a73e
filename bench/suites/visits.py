"""Modules and functions of ours that one call enters, on five ways."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import RenderableType

from bench import versions
from bench.report import table
from bench.visits import Visits, count_visits

Result = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(_: argparse.Namespace) -> Result:
    ways = {name: visits._asdict() for name, visits in count_visits().items()}
    return {"n": len(ways), "ways": ways, "versions": versions.ours()}


def show(result: Result) -> RenderableType:
    rows = [(name, *visits.values()) for name, visits in result["ways"].items()]
    return table("Entered by one call", ("way", *Visits._fields), rows)
