"""`mulligan demo`: the story in a terminal, without a key, Docker or a network."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from mulligan.app.insights import Insights
from mulligan.app.settings import Settings
from mulligan.cli import render
from mulligan.cli.demo.calendar import Calendar
from mulligan.cli.demo.children import running_calendar
from mulligan.cli.demo.ending import Week, as_json, tell_end
from mulligan.cli.demo.family import open_family
from mulligan.cli.demo.flaky import found_on_disk, look_around
from mulligan.cli.demo.story import Facts, plan_the_week
from mulligan.cli.demo.telling import Teller
from mulligan.cli.options import Commands, add_command, add_json
from mulligan.core.log import LogQuery
from mulligan.testing.remote import Effected

WIDTH = 80


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "demo",
        help="the story in your terminal: no key, no Docker, no network",
        about="A scripted agent plans a family's week on a calendar that runs as a process of its "
        "own. It takes the\nwrong day, loses an answer, meets an edit of a person, wants to send "
        "mail, and is killed in the middle.\nSee what is found, undone, corrected, held and "
        "recovered; and that no secret is on the disk.",
    )
    add_json(parser)
    parser.add_argument(
        "--no-serve", action="store_true", help="end after the story; nothing is served yet anyway"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:  # noqa: ARG001
    """Tell the story on a store of its own, which is gone afterwards."""
    console = Console(quiet=True) if options.json else render.console()
    console.width = min(console.width, WIDTH)
    tell = Teller(console)
    with tempfile.TemporaryDirectory(prefix="mulligan-demo-") as folder:
        week = _live_the_week(Path(folder), tell)
    tell_end(week, tell)
    if options.json:
        render.print_json(as_json(week))
    if tell.trouble is not None:
        raise tell.trouble
    return 1 if any(week.found.values()) else 0


def _live_the_week(folder: Path, tell: Teller) -> Week:
    store = f"sqlite:///{folder}/demo.db"
    with running_calendar(folder / "calendar.ledger") as calendar:
        facts, ledger = asyncio.run(_plan(store, calendar, tell))
    with Insights.open(Settings(store=store)) as insights:
        rows = insights.log(LogQuery(oldest_first=True))
        left = insights.open_list.actions()
        for action in left:
            insights.open_list.settle(action.id, note="Mum's edit stands.")
        still_open = insights.open_list.actions()
    files = [file for file in folder.iterdir() if file.name.startswith("demo")]
    return Week(
        facts=facts,
        ledger=ledger,
        left=left,
        still_open=still_open,
        rows=rows,
        found=found_on_disk(files),
        searched=sum(file.stat().st_size for file in files),
    )


async def _plan(store: str, calendar: Calendar, tell: Teller) -> tuple[Facts, Sequence[Effected]]:
    tell.heading("An agent plans a family's week. Today is Sunday, November 15.")
    async with open_family(store, calendar, tell=tell) as family:
        facts = await plan_the_week(family, store=store)
        await look_around(family.m, tell)
    return facts, await calendar.ledger()
