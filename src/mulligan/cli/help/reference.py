"""Writes docs/cli.md from the parser itself, so that the page cannot be out of date."""

from __future__ import annotations

import argparse
from functools import partial

from mulligan.cli.help.examples import list_commands
from mulligan.cli.main import build_parser


def render_reference() -> str:
    """The page: the help of the program and of each command."""
    parts = ["# Command line", "", "Written by `make docs` from the program itself.", ""]
    for title, parser in list_commands("mulligan", build_parser()):
        parts += _render_section(title, parser)
    return "\n".join(parts)


def _render_section(title: str, parser: argparse.ArgumentParser) -> list[str]:
    # Argparse wraps by the terminal; the page must not.
    parser.formatter_class = partial(argparse.RawDescriptionHelpFormatter, width=88)
    return [f"## {title}", "", "```text", parser.format_help().rstrip(), "```", ""]
