"""`mulligan forget`: what is past its time goes now, from the disk too."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from mulligan.app.insights import forget_now
from mulligan.app.settings import Settings
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import Commands, add_command, add_json, add_store


def add_forget(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "forget",
        about="Remove what is past its time, as applications do every hour, and write files or "
        "tables anew, so that\nno piece of it is left in them. They do that by themselves up to "
        "32 MB; this does it at any size,\nwhile everybody who writes waits. How long things are "
        "kept: the settings that end in `_days`.",
    )
    add_store(parser, whole=True)
    add_json(parser)
    parser.set_defaults(run=run_forget)


def run_forget(options: argparse.Namespace, settings: Settings) -> int:
    """Forget, and say what. 1: something could not be written anew."""
    swept = forget_now(settings)
    vacuumed = swept.vacuumed
    if options.json:
        render.print_json(asdict(swept))
    else:
        console = render.make_console()
        console.print(
            f"{swept.rows:,} rows of the log, {swept.actions:,} actions, {swept.kept:,} kept "
            f"values, {swept.episodes:,} episodes and {swept.versions:,} notes removed."
        )
        if vacuumed is None:
            console.print("Not written anew: another process does so now, or the store need not.")
        else:
            console.print(f"{len(vacuumed.parts)} files or tables written anew.")
            for why in vacuumed.left:
                console.print(render.build_text(f"Not written anew: {why}"))
    return 1 if vacuumed is None or vacuumed.left else 0
