"""`mulligan view`: what pages show, as JSON or CSV."""

from __future__ import annotations

import argparse
import sys

from mulligan.cli.options import add_store, command, option
from mulligan.cli.terminal import print_line
from mulligan.codec import encode_json
from mulligan.insights.filters import Window
from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.types.display import escape_json
from mulligan.types.errors import ConfigurationError
from mulligan_dashboard.app import list_all, render_csv
from mulligan_dashboard.sections import SECTIONS, SINGLE, parse_query

SECTION_WORDS = tuple(dict.fromkeys(word for section in SECTIONS for word in section.words))
"""What some views can be asked beside the filters."""


@command(
    "view",
    option("view", choices=[each.name for each in SECTIONS], help="which page"),
    option("id", nargs="?", default="", help="the id of one item"),
    add_store,
    option("--window", choices=Window, default="7d", help="(default: 7d)"),
    *(
        option(f"--{name}", default="", metavar=name.upper(), help=f"only this {name}")
        for name in ("tool", "agent", *SECTION_WORDS)
    ),
    option("--page", default="1", metavar="N", help="page of a long list (default: 1)"),
    option("--csv", action="store_true", help="its table as CSV, every row"),
    examples=(
        "mulligan view tools --window 7d",
        "mulligan view tools --csv > tools.csv",
    ),
    about="Print what a page of the dashboard shows, as its address under /api/v1 would; with "
    f"an id,\nthat of one thing ({', '.join(each.name for each in SINGLE)}).",
)
def run_view(options: argparse.Namespace, settings: Settings) -> int:
    """Print it."""
    found = [each for each in (SINGLE if options.id else SECTIONS) if each.name == options.view]
    if not found:
        raise ConfigurationError(f"{options.view!r} has no single items: leave out the id.")
    section = found[0]
    if options.csv and not section.rows:
        raise ConfigurationError(f"{section.title} has no table: leave out --csv.")
    said = {
        name: getattr(options, name) for name in ("window", "tool", "agent", "page", *SECTION_WORDS)
    }
    asked = parse_query({name: value for name, value in said.items() if value}, id_=options.id)
    with Insights.open(settings) as insights:
        if section.name == "health":
            insights.thorough.read_latest(patience=None)
        view = section.read(insights, list_all(asked) if options.csv else asked)
    if options.csv:
        sys.stdout.write(render_csv(getattr(view, section.rows)))
    else:
        print_line(escape_json(encode_json(view).decode("utf-8", "replace")))
    return 0
