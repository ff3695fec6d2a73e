"""`mulligan view`: what any page of the dashboard shows, for a program or a spreadsheet."""

from __future__ import annotations

import argparse
import sys

from mulligan.app.insights import Insights
from mulligan.app.insights.figures import WINDOWS
from mulligan.app.insights.views.views import Views
from mulligan.app.settings import Settings
from mulligan.cli.terminal.options import Commands, add_command, add_store
from mulligan.cli.terminal.output import print_line
from mulligan.codec.json_text import encode_json
from mulligan.core.display.escape import escape_json
from mulligan.core.errors import ConfigurationError
from mulligan.dashboard.exporting import render_csv
from mulligan.dashboard.queries import parse_query
from mulligan.dashboard.sections import SECTIONS, SINGLE, Section

WORDS = tuple(dict.fromkeys(word for section in SECTIONS for word in section.words))
"""What some views can be asked beside the filters."""


def add_view(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "view",
        about="Print what a page of the dashboard shows, as its address under /api/v1 would; with "
        f"an id,\nthat of one thing ({', '.join(each.name for each in SINGLE)}).",
    )
    parser.add_argument("view", choices=[each.name for each in SECTIONS], help="which page")
    parser.add_argument("id", nargs="?", default="", help="of the one thing that it is about")
    add_store(parser)
    parser.add_argument("--window", choices=list(WINDOWS), default="7d", help="(default: 7d)")
    for name in ("tool", "agent", *WORDS):
        parser.add_argument(
            f"--{name}", default="", metavar=name.upper(), help=f"only of this {name}"
        )
    parser.add_argument("--page", default="1", metavar="N", help="of a long list (default: 1)")
    parser.add_argument("--csv", action="store_true", help="its table, for a spreadsheet")
    parser.set_defaults(run=run_view)


def run_view(options: argparse.Namespace, settings: Settings) -> int:
    """Print it."""
    section = _find_section(options.view, one=bool(options.id))
    if options.csv and not section.rows:
        raise ConfigurationError(f"{section.title} has no table: leave --csv out.")
    said = {name: getattr(options, name) for name in ("window", "tool", "agent", "page", *WORDS)}
    asked = parse_query({name: value for name, value in said.items() if value}, id_=options.id)
    with Insights.open(settings) as insights:
        views = Views(insights)
        if section.name == "health":
            views.thorough.read_latest(patience=None)
        view = section.read(views, asked)
    if options.csv:
        sys.stdout.write(render_csv(section.list_rows(view)))
    else:
        print_line(escape_json(encode_json(view).decode("utf-8", "replace")))
    return 0


def _find_section(name: str, *, one: bool) -> Section:
    for section in SINGLE if one else SECTIONS:
        if section.name == name:
            return section
    raise ConfigurationError(f"{name!r} is about no single thing: leave the id out.")
