"""The family's application: the calendar pack on a CalDAV server; and a phone, without it.

Every call and every undo is printed as it happens, in short lines, with foreign text escaped.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Unpack, cast
from zoneinfo import ZoneInfo

from msgspec import Struct
from rich.console import Console
from rich.text import Text

from mulligan.app.mulligan import Mulligan
from mulligan.cli import render
from mulligan.loops.actions import Attempted
from mulligan.process.user_functions import await_value
from mulligan.runtime.declaration import Declared
from mulligan.runtime.turn import Agent, Done
from mulligan.settings import Redaction, Settings
from mulligan.types.call import LogRow, Record, RecordFunction
from mulligan.types.finding import Finding
from mulligan.types.interfaces import Check
from mulligan_dates.text import shorten
from mulligan_packs.calendar import CalDAV, Event, calendar_checks, calendar_facts, calendar_tools
from mulligan_packs.calendar.checks import OWN
from mulligan_packs.calendar.desk import Desk
from mulligan_packs.calendar.events import Stored
from mulligan_packs.calendar.text import read_text
from mulligan_packs.calendar.tools import CalendarTools
from mulligan_testing.line import LineWrite

STYLES = {
    "call": "", "finding": "yellow", "undo": "yellow", "conflict": "yellow", "person": "magenta",
    "reply": "green",
}  # fmt: skip
"""How each kind of thing that happens looks."""


class Teller:
    """Tells what happens, as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._chapters = 0
        self.trouble: OSError | None = None
        """Why the output stopped: the reader went away, or the disk is full."""

    def show_chapter(self, said: str, *, about: str) -> None:
        """A person asks for something."""
        self._chapters += 1
        self._print()
        self._print_line(f'{self._chapters}. "{said}"', style="bold")
        self._print_line(about, style="dim", indent=3)

    def show(self, kind: str, text: str) -> None:
        """One thing that happens: a call, a finding, an undo, a conflict, or what a person does."""
        self._print_line(f"{kind:8} {text}", style=STYLES[kind], indent=3, hang=9)

    def show_call(self, tool: str, *arguments: str, came: str) -> None:
        """The agent calls a tool."""
        self.show("call", f"{tool}({', '.join(arguments)}): {came}")

    def show_told(self, text: str) -> None:
        """What the agent reads, word for word."""
        self._print_line("the agent is told", indent=3)
        for line in text.splitlines():
            if line:
                self._print_line(f"| {line}", indent=5, hang=2)

    def show_reply(self, text: object, *, confidence: object) -> None:
        """What the person reads in the end."""
        first, *rest = str(text).splitlines()
        self.show("reply", first)
        for line in filter(None, rest):
            self._print_line(line, style="green", indent=12)
        self._print_line(f"         confidence: {confidence}", style="green", indent=3)

    def say(self, text: str, *, style: str = "", hang: int = 0) -> None:
        """Anything else."""
        self._print_line(text, style=style, indent=3, hang=hang)

    def show_heading(self, text: str) -> None:
        """Another part begins."""
        self._print()
        self._print_line(text, style="bold")

    def show_log(self, rows: Iterable[LogRow]) -> None:
        """Rows of the log, one line each."""
        for row in rows:
            what = f"{row.tool:21} {row.try_number}  {row.outcome:8} "
            room = max(self._console.width - len(what) - 3, 10)
            given = row.parameters
            shown = shorten(given, most=room)
            self._print_line(what + shown, indent=3)

    def _print_line(self, text: str, *, style: str = "", indent: int = 0, hang: int = 0) -> None:
        """One line; where it must be broken, the rest is indented a little more."""
        room = max(self._console.width - indent - hang, 20)
        whole = Text(render.escape_text(text), style=style)
        head, tail = whole[:hang], whole[hang:]
        for place, part in enumerate(tail.wrap(self._console, room)):
            part.rstrip()
            start = head if place == 0 else Text(" " * hang)
            self._print(Text.assemble(" " * indent, start, part))

    def _print(self, *line: Text) -> None:
        """Never raises: half of the story is told from inside tools, which must not fail for it."""
        if self.trouble is not None:
            return
        try:
            self._console.print(*line)
        except OSError as error:
            self.trouble = error


MANY = 6
"""Characters of an ETag, which has sixty-four, that tell one from another."""


def format_event(event: Event) -> str:
    """An event for a person: `Dinner, Fri Nov 20 18:00`."""
    return f"{event.title}, {datetime.fromisoformat(event.start):%a %b %d %H:%M}"


def parse_event(text: str) -> Event:
    """The event that a calendar's text holds."""
    return read_text(Stored(id="", href="", text=text, etag=""))


def format_version(etag: object, *, none: str = "nothing") -> str:
    """A version as people can compare it."""
    return str(etag).strip('"')[:MANY] if etag else none


def describe_request(written: LineWrite) -> str:
    """What a request wanted, as text; of a delete, the file it is about."""
    return (
        format_event(parse_event(written.body)) if written.body else written.path.rpartition("/")[2]
    )


AsyncTool = Callable[..., Awaitable[object]]
SHOWN = frozenset({"start", "event_id"})
"""Parameters that the log of the story shows as they are."""


class Aloud:
    """Declares tools with an application, and prints their calls."""

    def __init__(self, m: Mulligan, tell: Teller) -> None:
        self._m = m
        self._tell = tell

    def tool(self, /, **declared: Unpack[Declared]) -> Callable[[Any], Any]:
        """Declare a tool, as the application itself would."""
        if "undo" in declared:
            declared["undo"] = self._wrap_undo(declared["undo"])

        def wrap(tool: AsyncTool) -> Any:
            return self._m.tool(**declared)(self._wrap_call(tool))

        return wrap

    def _wrap_call(self, tool: AsyncTool) -> AsyncTool:
        name = tool.__name__

        @wraps(tool)
        async def call_aloud(*arguments: object, **named: object) -> object:
            given = [*arguments, *(v for k, v in named.items() if k not in OWN)]
            shown = [_format_value(value) for value in given if value is not None]
            try:
                result = await tool(*arguments, **named)
            except ConnectionError:
                self._tell.show_call(name, *shown, came="no answer")
                raise
            self._tell.show_call(name, *shown, came=_format_result(result))
            return result

        return call_aloud

    def _wrap_undo(self, undo: RecordFunction) -> RecordFunction:
        async def undo_aloud(record: Record) -> object:
            before = cast("Stored | None", record.before)
            what = f"back to {format_event(parse_event(before.text))}" if before else "remove it"
            self._tell.show("undo", f"{what}, if it is still at {format_version(record.version)}")
            return await await_value(undo(record))

        return undo_aloud


def wrap_check(check: Check[Attempted], tell: Teller) -> Check[Attempted]:
    """A check whose findings are heard at once."""

    def check_aloud(attempted: Attempted) -> Iterator[Finding]:
        for finding in check(attempted):
            tell.show("finding", finding.issue)
            yield finding

    return check_aloud


def _format_value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _format_result(result: object) -> str:
    if isinstance(result, Event):
        return f"OK, now at {format_version(result.etag)}"
    return f"{len(list(result))} events" if isinstance(result, Iterable) else "OK"


CHILD_TIMEOUT = 120
"""Seconds, on the slowest of machines. Nothing in the story waits that long."""


def run_life(life: str, *, store: str, url: str) -> int:
    """Run the family's program to its end, whichever that is. Its exit code: -9 when killed."""
    # -P: a file in the reader's folder that is called like a module must not get in between.
    program = [sys.executable, "-P", "-m", "mulligan_demo.lives", life, store, url]
    return subprocess.run(program, timeout=CHILD_TIMEOUT, check=False).returncode  # noqa: S603 - ours


SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
ZONE = "Europe/Berlin"
WEEK = ("2026-11-15", "2026-11-22")


class Family(Struct, frozen=True, kw_only=True):
    """A `Mulligan` with the pack's tools. Every process of the story declares the same ones."""

    m: Mulligan
    tools: CalendarTools
    url: str
    tell: Teller

    async def act(self, said: str, planner: Agent) -> Done:
        """A family member asks for something, on Sunday morning."""
        return await self.m.act(said, planner, now=SUNDAY, timezone=ZONE)


@asynccontextmanager
async def open_family(store: str, url: str, *, tell: Teller | None = None) -> AsyncIterator[Family]:
    """The application on a store and a calendar. It recovers when told to, not on a timer."""
    tell = tell or Teller(Console(quiet=True))
    with closing(CalDAV(url, timeout=CHILD_TIMEOUT)) as calendar:
        async with Mulligan(
            checks=[wrap_check(check, tell) for check in calendar_checks()],
            facts=calendar_facts(calendar, zone=ZONE),
            settings=Settings(store=store, recover=False, redaction=Redaction(allow=SHOWN)),
        ) as m:
            tools = calendar_tools(Aloud(m, tell), calendar, zone=ZONE)
            yield Family(m=m, tools=tools, url=url, tell=tell)


class Phone(Struct, frozen=True, kw_only=True):
    """The calendar in a person's own hand: another program, which knows nothing of Mulligan."""

    desk: Desk

    @classmethod
    def connect(cls, url: str) -> Phone:
        """A phone that is set up for a calendar."""
        calendar = CalDAV(url, timeout=CHILD_TIMEOUT)
        return cls(desk=Desk(calendar=calendar, zone=ZoneInfo(ZONE)))

    async def list_week(self) -> list[Event]:
        """What the server has, in the order of time."""
        return await self.desk.get_calendar_events(*WEEK)

    async def find_event(self, event_id: str) -> Event:
        """One event, as it is on the server now."""
        return next(event for event in await self.list_week() if event.id == event_id)

    def close(self) -> None:
        """Put it away."""
        self.desk.calendar.close()
