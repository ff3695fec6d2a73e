"""`mulligan view` and `top`: what pages show, as JSON or CSV, or live in a terminal."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from mulligan.cli import render
from mulligan.cli.options import add_store, add_store_and_json, command, option
from mulligan.cli.terminal import print_line
from mulligan.codec import encode_json
from mulligan.insights.figures import WINDOWS, Estimate
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.insights import Insights
from mulligan.insights.overview import Overview, read_overview
from mulligan.settings import Settings
from mulligan.types.display import escape_json
from mulligan.types.errors import ConfigurationError
from mulligan_dashboard.app import render_csv
from mulligan_dashboard.sections import SECTIONS, SINGLE, parse_query

SECTION_WORDS = tuple(dict.fromkeys(word for section in SECTIONS for word in section.words))
"""What some views can be asked beside the filters."""


@command(
    "view",
    option("view", choices=[each.name for each in SECTIONS], help="which page"),
    option("id", nargs="?", default="", help="the id of one item"),
    add_store,
    option("--window", choices=list(WINDOWS), default="7d", help="(default: 7d)"),
    *(
        option(f"--{name}", default="", metavar=name.upper(), help=f"only this {name}")
        for name in ("tool", "agent", *SECTION_WORDS)
    ),
    option("--page", default="1", metavar="N", help="page of a long list (default: 1)"),
    option("--csv", action="store_true", help="its table as CSV"),
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
        view = section.read(insights, asked)
    if options.csv:
        sys.stdout.write(render_csv(getattr(view, section.rows)))
    else:
        print_line(escape_json(encode_json(view).decode("utf-8", "replace")))
    return 0


TOP_EVERY = 2.0
_BARS = " ▁▂▃▄▅▆▇█"


@command(
    "top",
    add_store_and_json,
    option("--once", action="store_true", help="show it once and exit; so does --json"),
    examples=(
        "mulligan top",
        "mulligan top --once --json",
    ),
    about="Show calls and what needs attention, every two seconds until Ctrl-C.",
)
def run_top(options: argparse.Namespace, settings: Settings) -> int:
    """Show it, again and again."""
    console = render.make_console()
    with Insights.open(settings) as insights:
        if options.json:
            render.print_json(read_overview(insights, ViewRequest()))
            return 0
        screen = _build_screen(insights)
        if options.once:
            console.print(screen)
            return 0
        with Live(screen, console=console, screen=True, auto_refresh=False) as live:
            while True:
                time.sleep(TOP_EVERY)
                live.update(_build_screen(insights), refresh=True)


def _build_screen(insights: Insights) -> Group:
    view = read_overview(insights, ViewRequest(filter=ViewFilter(window=Window.MONTH)))
    title = Text(f"Mulligan, {view.at:%Y-%m-%d %H:%M:%S} UTC", style="bold")
    # Thirty days of calls that worked, a sign each: full is all of them, low is half or less.
    shares = [part.share.succeeded.figure for part in view.trend]
    signs = (" " if s is None else _BARS[max(1, round((s - 0.5) * 16))] for s in shares)
    trend = Text("30 days  ") + Text("".join(signs), style="green")
    return Group(title, _build_figures(view), trend, *_list_open(view))


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


def _list_open(view: Overview) -> Iterator[Text | Table]:
    if not view.open_actions:
        yield Text("Nothing is open.", style="green")
        return
    yield Text(f"\n{view.open_actions} actions need attention", style="bold yellow")
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
