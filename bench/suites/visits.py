"""Modules and functions of ours that one call enters, on six ways."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Group, RenderableType

from bench import versions
from bench.report import table
from bench.visits import Visits, count_surface, count_visits

Result = dict[str, Any]
WAYS = ("observed", "failing", "accepted", "rejected", "gateway", "reply")
SURFACE = ("loaded_modules", "context_variables", "tool_options", "settings")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(_: argparse.Namespace) -> Result:
    ways = {name: visits._asdict() for name, visits in count_visits().items()}
    return {"n": len(ways), **ways, **count_surface(), "versions": versions.ours()}


def show(result: Result) -> RenderableType:
    ways = [(name, *each.values()) for name, each in result.items() if name in WAYS]
    others = [(name.replace("_", " "), result[name]) for name in SURFACE]
    return Group(
        table("Entered by one call", ("way", *Visits._fields), ways),
        table("What there is", ("", "count"), others),
    )
