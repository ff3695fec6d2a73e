"""`mulligan top`: the overview and the open list, live in a terminal."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict

from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from mulligan.app.insights import Insights
from mulligan.app.insights.estimates import Estimate
from mulligan.app.insights.views.answers.overview import Overview
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.views import Views
from mulligan.app.settings import Settings
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import Commands, add_command, add_json, add_store

EVERY = 2.0
_BARS = " ▁▂▃▄▅▆▇█"


def add_top(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "top",
        about="Show how calls go and what needs a person, every two seconds until Ctrl-C.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("--once", action="store_true", help="show it once, and end; so does --json")
    parser.set_defaults(run=run_top)


def run_top(options: argparse.Namespace, settings: Settings) -> int:
    """Show it, again and again."""
    console = render.make_console()
    with Insights.open(settings) as insights:
        views = Views(insights)
        if options.json:
            render.print_json(asdict(views.read_overview(ViewFilter())))
            return 0
        if options.once:
            console.print(_build_screen(views))
            return 0
        with Live(_build_screen(views), console=console, screen=True, auto_refresh=False) as live:
            while True:
                time.sleep(EVERY)
                live.update(_build_screen(views), refresh=True)


def _build_screen(views: Views) -> Group:
    view = views.read_overview(ViewFilter())
    title = Text(f"Mulligan, {view.at:%Y-%m-%d %H:%M:%S} UTC", style="bold")
    return Group(title, _build_figures(view), _draw_trend(view), *_list_open(view))


def _build_figures(view: Overview) -> Table:
    columns = ("", "calls", "worked", "95 %", "failed", "repaired", "p50 / p95 ms")
    rows = (
        (
            each.window.value,
            f"{each.now.calls:,.0f}",
            _format_share(each.now.succeeded),
            _format_interval(each.now.succeeded),
            f"{each.now.failed:,.0f}",
            f"{each.now.repaired:,.0f}",
            f"{each.now.p50_ms:.0f} / {each.now.p95_ms:.0f}",
        )
        for each in view.windows
    )
    return render.build_table(rows, columns=columns)


def _draw_trend(view: Overview) -> Text:
    """Thirty days of calls that worked, a sign each: full is all of them, low is half or less."""
    shares = [point.succeeded for point in view.trend]
    signs = (" " if s is None else _BARS[max(1, round((s - 0.5) * 16))] for s in shares)
    return Text("30 days  ") + Text("".join(signs), style="green")


def _list_open(view: Overview) -> Iterator[Text | Table]:
    if not view.open_actions:
        yield Text("Nothing is open.", style="green")
        return
    yield Text(f"\n{view.open_actions} actions need a person", style="bold yellow")
    rows = (
        (f"{item.since:%m-%d %H:%M}", item.id, item.what, item.agent, item.state.value)
        for item in view.waiting
    )
    yield render.build_table(rows, columns=("since, UTC", "id", "what", "agent", "state"))


def _format_share(estimate: Estimate) -> str:
    return "-" if estimate.figure is None else f"{estimate.figure:.1%}"


def _format_interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.1%} to {estimate.high:.1%}"
