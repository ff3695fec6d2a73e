"""`mulligan demo`: the story in a terminal, without a key, Docker or a network."""

from __future__ import annotations

import argparse
import tempfile
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from mulligan.app.settings import Settings
from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_json
from mulligan.core.errors import MissingExtraError

WIDTH = 80
NEEDED = ("caldav", "icalendar", "radicale")
"""What the calendar's client and its server are made of."""


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "demo",
        help="the story in your terminal: no key, no Docker, no network",
        about="A scripted agent plans a family's week with the calendar pack, on a CalDAV server "
        "that runs as a process\nof its own. It takes the wrong day, loses an answer, meets an "
        "edit of a person, wants to invite a guest, and\nis killed in the middle. See what is "
        "found, undone, corrected, held and recovered; and that no secret is on\nthe disk. "
        'It needs `pip install "mulligan[demo]"`.',
    )
    add_json(parser)
    parser.add_argument(
        "--no-serve", action="store_true", help="end after the story; nothing is served yet anyway"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:  # noqa: ARG001
    """Tell the story on a store of its own, which is gone afterwards."""
    if any(find_spec(module) is None for module in NEEDED):
        raise MissingExtraError(need="The demo's calendar", extra="demo")
    from mulligan.cli.demo.ending import as_json, tell_end
    from mulligan.cli.demo.telling import Teller
    from mulligan.cli.demo.week import live_the_week

    console = Console(quiet=True) if options.json else render.make_console()
    console.width = min(console.width, WIDTH)
    tell = Teller(console)
    with tempfile.TemporaryDirectory(prefix="mulligan-demo-") as folder:
        week = live_the_week(Path(folder), tell)
    tell_end(week, tell)
    if options.json:
        render.print_json(as_json(week))
    if tell.trouble is not None:
        raise tell.trouble
    return 1 if any(week.found.values()) else 0
