"""`mulligan backup`: a copy of the store, while applications go on."""

from __future__ import annotations

import argparse
from pathlib import Path

from mulligan.app.insights import copy_store
from mulligan.app.settings import Settings
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import Commands, add_command, add_json, add_store


def add_backup(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "backup",
        about="Copy a SQLite store's files into a folder, each as it is at one moment, while "
        "applications go on writing.\nWhat is in the folder is a store: open it there, or put its "
        "files back where they came from.",
    )
    add_store(parser, whole=True)
    add_json(parser)
    parser.add_argument("folder", type=Path, help="where to; made if it is not there")
    parser.set_defaults(run=run_backup)


def run_backup(options: argparse.Namespace, settings: Settings) -> int:
    """Copy, and say what."""
    made = copy_store(settings, options.folder)
    size = sum(path.stat().st_size for path in made)
    if options.json:
        render.print_json({"files": [str(path) for path in made], "bytes": size})
    else:
        said = f"{options.folder}: {len(made)} files, {size / 1e6:,.1f} MB."
        render.make_console().print(render.build_text(said))
    return 0
