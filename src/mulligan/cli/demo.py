"""`mulligan demo`: the story in a terminal, without a key, a server or a network."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from rich.console import Console

from mulligan.app.insights import Insights
from mulligan.app.mulligan import Mulligan
from mulligan.app.settings import Settings
from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_json
from mulligan.core.effect import Effect
from mulligan.core.event import CallRepaired, CallRetried, Event
from mulligan.core.interfaces import LogQuery

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
        about="A scripted agent calls flaky tools with secrets in its hands. See what is logged, "
        "what is\nmade again and what is not, and that none of the secrets is on the disk.",
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
        _act(store, console)
        with Insights.open(Settings(store=store)) as insights:
            rows = list(reversed(insights.log(LogQuery())))
        found = {what: _on_disk(Path(folder), secret) for what, secret in PLANTED.items()}
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
    if options.json:
        render.print_json({"rows": [render.log_json(row) for row in rows], "found_on_disk": found})
    else:
        render.print_log(console, rows, title="\nWhat `mulligan log` shows")
        _tell_disk(console, found, size)
    return 1 if any(found.values()) else 0


def _act(store: str, console: Console) -> None:
    console.print("An agent plans a family's week. Its calendar is slow and its keys are real.\n")
    with Mulligan(store, capture="redacted", sample=1.0) as m:
        m.subscribe(lambda event: _tell(console, event))
        asyncio.run(_plan(m, console))
        m.flush()


async def _plan(m: Mulligan, console: Console) -> None:
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
        console.print("[bold]find_events[/] reads, so it may be made again:")
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


def _on_disk(folder: Path, secret: str) -> int:
    """How often a secret stands in the store's files, byte by byte."""
    return sum(file.read_bytes().count(secret.encode()) for file in folder.iterdir())


def _tell_disk(console: Console, found: dict[str, int], size: int) -> None:
    console.print(f"\nLooked through {size:,} bytes of the store for what the tools were given:")
    for what, times in found.items():
        console.print(f"  {what}: found {times} times", style="red" if times else "green")
    console.print("\nNext: put `@m.tool` above your own tools, and run `mulligan log --follow`.")
