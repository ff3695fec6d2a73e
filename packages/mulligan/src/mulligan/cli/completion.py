"""`mulligan completion`: what a shell needs in order to complete commands and options."""

from __future__ import annotations

import argparse

from mulligan.cli.options import command, option
from mulligan.settings import Settings
from mulligan.types.errors import MissingExtraError

SHELLS = ("bash", "zsh")


@command(
    "completion",
    option("shell", choices=SHELLS, help="the shell that you use"),
    about="Print a script for your shell. For bash, once:\n"
    "  mulligan completion bash > ~/.local/share/bash-completion/completions/mulligan\n"
    'It needs `pip install "mulligan[completion]"`.',
)
def run_completion(options: argparse.Namespace, _: Settings) -> int:
    """Print the script."""
    try:
        import shtab
    except ImportError as error:
        raise MissingExtraError(need="Completion", extra="completion") from error
    print(shtab.complete(options.parser, shell=options.shell))
    return 0
