"""Modules and functions of ours that one call enters, on six ways."""

from __future__ import annotations

import argparse
from typing import Any

from bench.visits import count_surface, count_visits

Result = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(_: argparse.Namespace) -> Result:
    ways = {name: visits._asdict() for name, visits in count_visits().items()}
    return {"n": len(ways), **ways, **count_surface()}
