"""`mulligan migrate`: bring a store up to date."""

from __future__ import annotations

import argparse

from mulligan.app.insights import migrate_store
from mulligan.app.settings import Settings
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import Commands, add_command, add_json, add_store


def add_migrate(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "migrate",
        about="Bring the store to this Mulligan's schema, each step in one transaction; "
        "make it if it is not there.\nAn application does this by itself when it opens its "
        "store, unless `migrate = false`.",
    )
    add_store(parser, whole=True)
    add_json(parser)
    parser.set_defaults(run=run_migrate)


def run_migrate(options: argparse.Namespace, settings: Settings) -> int:
    """Migrate, and say where it stands."""
    health = migrate_store(settings)
    if options.json:
        render.print_json({"url": health.url, "schemas": dict(health.schemas)})
    else:
        schemas = ", ".join(f"{part} {number}" for part, number in health.schemas.items())
        render.make_console().print(render.build_text(f"{health.url} is up to date: {schemas}."))
    return 0
