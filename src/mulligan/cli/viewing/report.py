"""`mulligan report`: every view in one file, for sharing."""

from __future__ import annotations

import argparse
from pathlib import Path

from mulligan.app.insights import Insights
from mulligan.app.insights.figures import WINDOWS
from mulligan.app.settings import Settings
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import Commands, add_command, add_json, add_store
from mulligan.cli.viewing.dashboard import require_dashboard
from mulligan.core.runtime.private_file import refuse_unwritable, write_private


def add_report(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "report",
        about="Write the dashboard's views into one file that can be mailed and opened anywhere: "
        "it loads nothing, and\nholds what the pages show, less secrets. It needs "
        '`pip install "mulligan[dashboard]"`.',
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("-o", "--output", default="mulligan.html", metavar="FILE", help="where to")
    parser.add_argument(
        "--window", choices=list(WINDOWS), default="30d", help="how far back (default: 30d)"
    )
    parser.set_defaults(run=run_report)


def run_report(options: argparse.Namespace, settings: Settings) -> int:
    """Write it."""
    require_dashboard()
    from mulligan.app.insights.views.filters import Window
    from mulligan.dashboard.single_file import render_report

    written = Path(options.output)
    refuse_unwritable(written)
    with Insights.open(settings) as insights:
        page = render_report(insights, Window(options.window))
    write_private(written, page)
    if options.json:
        render.print_json({"file": str(written), "bytes": written.stat().st_size})
    else:
        said = f"{written} has every view, in {len(page) / 1024:.0f} KiB."
        render.make_console().print(render.build_text(said))
    return 0
