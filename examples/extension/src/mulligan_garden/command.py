"""`mulligan garden`."""

from __future__ import annotations

import argparse

from mulligan.cli.options import add_json, command
from mulligan.cli.render import answer
from mulligan.settings import Settings


@command(
    "garden",
    add_json,
    about="Say where the garden is kept.",
    line="where the garden is kept",
    examples=["mulligan garden"],
)
def run_garden(options: argparse.Namespace, settings: Settings) -> int:
    """Say it."""
    return answer(options, {"store": settings.store}, f"The garden is kept in {settings.store}")
