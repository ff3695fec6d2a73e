"""Writes docs/cli.md from the parser itself, so that the page cannot be out of date."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial

from mulligan.cli.main import build_parser


def render_reference() -> str:
    """The page: the help of the program and of each command."""
    parts = ["# Command line", "", "Written by `make docs` from the program itself.", ""]
    for title, parser in _list_commands("mulligan", build_parser()):
        parts += _render_section(title, parser)
    return "\n".join(parts)


def _list_commands(
    title: str, parser: argparse.ArgumentParser
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """A command, then those below it."""
    yield title, parser
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list commands
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, command in action.choices.items():
                yield from _list_commands(f"{title} {name}", command)


def _render_section(title: str, parser: argparse.ArgumentParser) -> list[str]:
    # Argparse wraps by the terminal; the page must not.
    parser.formatter_class = partial(argparse.RawDescriptionHelpFormatter, width=88)
    return [f"## {title}", "", "```text", parser.format_help().rstrip(), "```", ""]


if __name__ == "__main__":
    print(render_reference())
