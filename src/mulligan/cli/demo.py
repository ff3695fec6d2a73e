"""`mulligan demo`: the story in a terminal, without a key, a server or a network."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from rich.console import Console

from mulligan.app.insights import Insights
from mulligan.app.mulligan import Mulligan
from mulligan.app.settings import Settings
from mulligan.checks.dates import weekday_as_said
from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_json
from mulligan.core.effect import Effect
from mulligan.core.event import CallRepaired, CallRetried, Event
from mulligan.core.interfaces import LogQuery
from mulligan.core.record import Record
from mulligan.testing.remote import FakeRemote, Item
from mulligan.turns.turn import OpenTurn

SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)

PLANTED = {
    "an API key": "sk-live-51HxQe2eZvKYlo2C9bq",
    "a card number": "4242 4242 4242 4242",
    "a password in a URL": "s3cr3t-pa55",
    "what was asked for": "birthday dinner for Grandma",
}
"""What the demo passes to its tools, and looks for on the disk afterwards."""


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "demo",
        help="the story in your terminal: no key, no Docker, no network",
        about="A scripted agent moves dinner to the wrong day, is taken back and told why; then it "
        "calls flaky tools\nwith secrets in its hands. See what is undone, what is made again and "
        "what is not, and that none of\nthe secrets is on the disk.",
    )
    add_json(parser)
    parser.add_argument(
        "--no-serve", action="store_true", help="end after the story; nothing is served yet anyway"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:  # noqa: ARG001
    """Tell the story on a store of its own, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mulligan-demo-") as folder:
        store = f"sqlite:///{folder}/demo.db"
        console = Console(quiet=True) if options.json else render.console()
        remote = FakeRemote(Path(folder) / "calendar.ledger")
        asyncio.run(_plan_the_week(store, remote, console))
        day = remote.items()["dinner"].data["day"]
        with Insights.open(Settings(store=store)) as insights:
            rows = list(reversed(insights.log(LogQuery())))
        files = [file for file in Path(folder).iterdir() if file.name.startswith("demo")]
        found = {what: _on_disk(files, secret) for what, secret in PLANTED.items()}
        size = sum(file.stat().st_size for file in files)
    if options.json:
        told = [render.log_json(row) for row in rows]
        render.print_json({"day": day, "rows": told, "found_on_disk": found})
    else:
        render.print_log(console, rows, title="\nWhat `mulligan log` shows")
        _tell_disk(console, found, size)
    return 1 if any(found.values()) else 0


async def _plan_the_week(store: str, remote: FakeRemote, console: Console) -> None:
    console.print("An agent plans a family's week. Today is Sunday, November 15.\n")
    m = Mulligan(store, capture="redacted", sample=1.0, checks=[weekday_as_said()])
    m.subscribe(lambda event: _tell(console, event))
    async with m:
        await _move_dinner(m, remote, console)
        await _look_around(m, console)
        m.flush()


async def _move_dinner(m: Mulligan, remote: FakeRemote, console: Console) -> None:
    """A mistake that succeeds: dinner goes to a Saturday, and the calendar says 200."""

    def get_event(record: Record) -> Item | None:
        return remote.get(str(record.arguments["event_id"]))

    def put_back(record: Record) -> None:
        before = cast("Item", record.before)
        remote.update(before.id, before.data, if_version=record.version, by="undo")

    @m.tool(
        effect=Effect.REVERSIBLE,
        before=get_event,
        undo=put_back,
        version=lambda record: cast("Item", record.result).version,
    )
    async def move_event(event_id: str, day: str) -> Item:
        moved = remote.update(event_id, {"title": "Dinner", "day": day})
        console.print(f"  [bold]move_event[/]({event_id}, {day}): the calendar says OK")
        return moved

    async def planner(turn: OpenTurn) -> str:
        if turn.correction is not None:
            console.print("\n[bold]What the agent is told:[/]")
            for line in turn.correction.text.splitlines():
                console.print(render.plain(f"  {line}"))
            console.print("\n[bold]Second attempt[/]")
        await move_event("dinner", "2026-11-21" if turn.correction is None else "2026-11-20")
        return "Dinner is on Friday."

    remote.create({"title": "Dinner", "day": "2026-11-18"}, id="dinner", by="person")
    console.print('[bold]"Move dinner to Friday"[/]')
    done = await m.act("Move dinner to Friday", planner, now=SUNDAY, timezone="Europe/Berlin")
    console.print(f"  {done.reply} Confidence: {done.confidence}.", style="green")
    console.print("\nWhat the calendar itself remembers:")
    for line in remote.ledger():
        console.print(f"  {line.by:7}{line.op:7}{line.data.get('day')}")


async def _look_around(m: Mulligan, console: Console) -> None:
    """Calls that fail, with secrets in the agent's hands."""
    calendar = _SlowCalendar()

    @m.tool(effect=Effect.READ)
    async def find_events(query: str, api_key: str, limit: int) -> list[dict[str, object]]:  # noqa: ARG001
        return calendar.find()

    @m.tool(effect=Effect.READ)
    async def quote_cake(card: str, servings: int) -> dict[str, object]:  # noqa: ARG001
        return {"price": 48.5, "currency": "EUR", "note": f"charge to {card}"}

    @m.tool
    async def share_calendar(url: str, people: int) -> None:  # noqa: ARG001
        raise ConnectionResetError(f"connection reset by {url}")

    with m.turn("Plan Grandma's dinner", agent="planner", context="planning the family's week"):
        console.print("\n[bold]find_events[/] reads, so it may be made again:")
        await find_events(PLANTED["what was asked for"], api_key=PLANTED["an API key"], limit=10)
        m.flush()
        console.print("\n[bold]quote_cake[/] works at once, with a card number in its arguments.")
        await quote_cake(card=PLANTED["a card number"], servings=12)
        console.print(
            "\n[bold]share_calendar[/] declares nothing, and its connection breaks: it may have "
            "landed, so it is [bold]not[/] made again."
        )
        try:
            await share_calendar(f"https://anna:{PLANTED['a password in a URL']}@cal.test/w", 4)
        except ConnectionResetError as error:
            console.print(f"  the agent gets the tool's own error: {type(error).__name__}")


class _SlowCalendar:
    """Does not answer the first time."""

    def __init__(self) -> None:
        self._asked = 0

    def find(self) -> list[dict[str, object]]:
        self._asked += 1
        if self._asked == 1:
            raise TimeoutError("the calendar did not answer within 2.0 s")
        return [{"title": "Dinner", "day": "Friday"}]


def _tell(console: Console, event: Event) -> None:
    match event:
        case CallRetried():
            wait = event.wait.total_seconds()
            console.print(f"  failed ({event.error_class}); try {event.try_number} in {wait:.2f} s")
        case CallRepaired():
            console.print(f"  worked on try {event.tries}", style="green")
        case _:
            pass


def _on_disk(files: Iterable[Path], secret: str) -> int:
    """How often a secret stands in the store's files, byte by byte."""
    return sum(file.read_bytes().count(secret.encode()) for file in files)


def _tell_disk(console: Console, found: dict[str, int], size: int) -> None:
    console.print(f"\nLooked through {size:,} bytes of the store for what the tools were given:")
    for what, times in found.items():
        console.print(f"  {what}: found {times} times", style="red" if times else "green")
    console.print("`mulligan open` would list what still needs a person: here, only the effects of")
    console.print("reversible tools are journaled, and all of them are settled.")
    console.print("\nNext: put `@m.tool` above your own tools, and run `mulligan log --follow`.")
