"""`mulligan dashboard` and `report`: the pages, on a port of this machine or all in one file."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from mulligan.app.application import open_insights
from mulligan.cli import render
from mulligan.cli.options import (
    add_store,
    add_store_and_json,
    app_option,
    command,
    find_user,
    option,
)
from mulligan.insights.filters import Window
from mulligan.insights.insights import Insights
from mulligan.settings import Settings
from mulligan.types.errors import MissingExtraError
from mulligan.types.private_files import refuse_unwritable, write_private

PAGES_NEED = ("starlette", "uvicorn", "jinja2")
ROLES = {
    "look": "to look",
    "decide": "to look and decide",
    "admin": "to change lessons, tasks and rules",
}


@command(
    "dashboard",
    add_store,
    option("--host", default="127.0.0.1", help="address (default: 127.0.0.1)"),
    option("--port", type=int, default=8390, help="port (default: 8390; 0: any that is free)"),
    option(
        "--name",
        action="append",
        default=[],
        metavar="HOST",
        help="another host name of the server, such as a proxy's; may be repeated",
    ),
    option(
        "--role",
        choices=list(ROLES),
        default="admin",
        help="the highest role to print a link for; with --no-token everybody's (default: admin)",
    ),
    option("--tls", action="store_true", help="the server is behind a TLS proxy"),
    option(
        "--no-token",
        action="store_true",
        help="require no token; only on a loopback address",
    ),
    app_option("the application that has the tools' code, to carry out approvals and undos here"),
    examples=(
        "mulligan dashboard --store sqlite:///office.db",
        "mulligan dashboard --app shop.agent:m --role decide",
    ),
    about="Serve the dashboard on this machine, until Ctrl-C. It prints a link for each role. "
    "A link gives its\nrole to everyone who has it. It needs "
    '`pip install "mulligan[dashboard]"`.',
)
def run_dashboard(options: argparse.Namespace, settings: Settings) -> int:
    """Serve until stopped."""
    require_dashboard()
    from mulligan_dashboard.security import Role
    from mulligan_dashboard.serving import DashboardServer, PageAddress

    address = PageAddress(
        host=options.host,
        port=options.port,
        names=tuple(options.name),
        open=Role(options.role) if options.no_token else None,
        name=find_user(),
        secure=options.tls,
    )
    with open_insights(options.app or settings.app, settings) as (insights, application):
        carry_out = None if application is None else application.recover_sync
        server = DashboardServer(insights, address, carry_out=carry_out)
        reached = [role for role in Role if Role(options.role).covers(role)]
        if options.no_token:
            reached = reached[-1:]
        links = {ROLES[role.value]: server.make_link(role) for role in reached}
        server.run(on_ready=lambda: show_links(links, needed=not options.no_token))
    return 0


def require_dashboard() -> None:
    """Say which extra is missing, if one is."""
    if any(find_spec(module) is None for module in PAGES_NEED):
        raise MissingExtraError(need="The dashboard", extra="dashboard")


def show_links(links: dict[str, str], *, needed: bool = True) -> None:
    """Print where to go, and as what. `needed`: nobody gets in without a link."""
    console = render.make_console()
    whom = (
        "Each link lets in whoever has it:"
        if needed
        else "It asks for no token, so every user and program of this machine is let in:"
    )
    console.print(f"The dashboard is up, until Ctrl-C. {whom}")
    for what, link in links.items():
        console.print(render.build_text(f"  {what:34} {link}"), soft_wrap=True)


@command(
    "report",
    add_store_and_json,
    option("-o", "--output", default="mulligan.html", metavar="FILE", help="where to"),
    option("--window", choices=Window, default="30d", help="how far back (default: 30d)"),
    examples=("mulligan report --window 7d -o week.html",),
    about="Write the dashboard's views into one file that can be mailed and opened anywhere: "
    "it loads nothing, and\nholds what the pages show, less secrets. It needs "
    '`pip install "mulligan[dashboard]"`.',
)
def run_report(options: argparse.Namespace, settings: Settings) -> int:
    """Write it."""
    require_dashboard()
    from mulligan_dashboard.site import render_report

    written = Path(options.output)
    refuse_unwritable(written)
    with Insights.open(settings) as insights:
        page = render_report(insights, Window(options.window))
    write_private(written, page)
    said = f"{written} has every view, in {len(page) / 1024:.0f} KiB."
    return render.answer(options, {"file": str(written), "bytes": written.stat().st_size}, said)
