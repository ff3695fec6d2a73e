"""`mulligan demo`: the story in a terminal, without a key, Docker or a network."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from msgspec.structs import asdict
from rich.console import Console

from mulligan.cli import render
from mulligan.cli.options import add_json, add_whole_store, command, find_user, option, parse_count
from mulligan.settings import Settings
from mulligan.types.errors import MissingExtraError

WIDTH = 80
STORE = "sqlite:///mulligan-demo.db"
"""The default store of the history."""
FEW_TURNS = 150
SERVES = ("starlette", "uvicorn", "jinja2")
NEEDED = ("caldav", "icalendar", "radicale")
"""What the calendar's client and its server are made of."""


@command(
    "demo",
    add_json,
    add_whole_store,
    option("--no-serve", action="store_true", help="end after the story, without the dashboard"),
    option(
        "--history",
        action="store_true",
        help="no story: fill a store with thirty days of an office, to look at with "
        "`mulligan dashboard`",
    ),
    option("--turns", type=parse_count, default=900, help="of that history (default: 900)"),
    examples=(
        "mulligan demo",
        "mulligan demo --history --store sqlite:///office.db",
    ),
    about="A scripted agent plans a family's week with the calendar pack, on a CalDAV server "
    "that runs as a process\nof its own. It takes the wrong day, loses an answer, meets an "
    "edit of a person, wants to invite a guest, and\nis killed in the middle. See what is "
    "found, undone, corrected, held and recovered; and that no secret is on\nthe disk. "
    'It needs `pip install "mulligan[demo]"`.',
)
def run_demo(options: argparse.Namespace, settings: Settings) -> int:
    """Tell the story on a store of its own, which is gone afterwards; or live the history."""
    if options.history:
        return _fill(options, settings)
    if any(find_spec(module) is None for module in NEEDED):
        raise MissingExtraError(need="The demo's calendar", extra="demo")
    from mulligan_demo.family import Teller
    from mulligan_demo.story import as_json, live_the_week, tell_end

    console = Console(quiet=True) if options.json else render.make_console()
    console.width = min(console.width, WIDTH)
    tell = Teller(console)
    with tempfile.TemporaryDirectory(prefix="mulligan-demo-") as folder:
        week = live_the_week(Path(folder), tell)
        tell_end(week, tell)
        if _is_watched(options) and tell.trouble is None:
            _serve(f"sqlite:///{folder}/demo.db", console)
    if options.json:
        render.print_json(as_json(week))
    if tell.trouble is not None:
        raise tell.trouble
    return 1 if any(week.found.values()) else 0


@contextmanager
def _leave_warnings_out() -> Iterator[None]:
    """What the history's agents get wrong is its subject, and stands on the pages."""
    log = logging.getLogger("mulligan")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _fill(options: argparse.Namespace, settings: Settings) -> int:
    """Thirty days of an office, through the real pipeline with a clock that is moved."""
    from mulligan_demo.history import DAYS, live_days

    store = options.store or settings.store
    if store.startswith("memory:"):
        store = STORE
    console = render.make_console()
    with console.status("") as status, _leave_warnings_out():
        lived = live_days(
            store,
            turns=options.turns,
            on_day=lambda day: status.update(f"day {day} of {DAYS}"),
        )
    return render.answer(
        options,
        {"store": store, **asdict(lived)},
        f"{lived.days} days, {lived.turns} turns and {lived.calls} calls are in {store}; "
        f"{lived.open_actions} actions need attention, {lived.lessons} lessons were learned.",
        f"Look at it: mulligan dashboard --store {store}",
    )


def _is_watched(options: argparse.Namespace) -> bool:
    """Whether this is an interactive terminal."""
    served = all(find_spec(module) is not None for module in SERVES)
    asked = not (options.json or options.no_serve)
    return asked and served and sys.stdin.isatty() and sys.stdout.isatty()


def _serve(store: str, console: Console) -> None:
    """The dashboard with the story's own data, and some days before it, until a key is pressed."""
    from mulligan.insights.insights import Insights
    from mulligan_dashboard.security import Role
    from mulligan_dashboard.serving import DashboardServer, PageAddress
    from mulligan_demo.history import live_days

    with console.status("Some days before the story, so that there is something to see …"):
        live_days(store, turns=FEW_TURNS)
    with Insights.open(Settings(store=store)) as insights:
        server = DashboardServer(insights, PageAddress(port=0, name=find_user()))
        serving = threading.Thread(target=server.run, daemon=True)
        serving.start()
        link = server.make_link(Role.ADMIN)
        console.print(render.build_text("The same in a browser; Enter ends it:"))
        # On a line of its own, and never broken: it is to be clicked or copied.
        console.print(render.build_text(link), soft_wrap=True)
        _open_browser(link)
        with suppress(EOFError, KeyboardInterrupt):
            console.input()
        server.stop()
        serving.join(5)


def _open_browser(link: str) -> None:
    """Show it where there is a screen; a browser of the terminal would take the terminal."""
    if sys.platform in ("darwin", "win32") or {"DISPLAY", "WAYLAND_DISPLAY"} & {*os.environ}:
        webbrowser.open(link)
