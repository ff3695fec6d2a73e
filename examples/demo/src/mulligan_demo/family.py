"""The family's application: the calendar pack on a CalDAV server; and a phone, without it.

Every call and every undo is printed as it happens, in short lines, with foreign text escaped.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Unpack, cast
from zoneinfo import ZoneInfo

from msgspec import Struct
from rich.console import Console
from rich.text import Text

from mulligan.app.mulligan import Mulligan
from mulligan.checks.standard import StandardChecks
from mulligan.cli import render
from mulligan.loops.actions import Attempted
from mulligan.process.user_functions import await_value
from mulligan.runtime.declaration import Declared
from mulligan.runtime.turn import Agent, Done
from mulligan.settings import Redaction, Settings
from mulligan.types.call import Record, RecordFunction
from mulligan.types.finding import Finding
from mulligan.types.interfaces import Check
from mulligan_packs.calendar import CalDAV, Event, calendar_facts, calendar_tools
from mulligan_packs.calendar.desk import Desk
from mulligan_packs.calendar.events import Stored
from mulligan_packs.calendar.text import read_text
from mulligan_packs.calendar.tools import OWN, CalendarTools
from mulligan_testing.line import LineWrite

STYLES = {
    "call": "", "finding": "yellow", "undo": "yellow", "told": "yellow", "conflict": "yellow",
    "recovery": "yellow", "person": "magenta", "reply": "green",
}  # fmt: skip
"""How each kind of thing that happens looks."""
PAUSE = 0.2
"""Seconds after each line on a terminal, so that it can be read as it happens."""


class Teller:
    """Tells what happens, as it happens."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._chapters = 0
        self.trouble: OSError | None = None
        """Why the output stopped: the reader went away, or the disk is full."""

    def show_chapter(self, said: str) -> None:
        """A person asks for something."""
        self._chapters += 1
        self._print_line(f'{self._chapters}. "{said}"', style="bold")

    def show(self, kind: str, text: str) -> None:
        """One thing that happens: a call, a finding, an undo, or what a person does."""
        self._print_line(f"{kind:8} {text}", style=STYLES[kind], indent=3, hang=9)

    def show_call(self, tool: str, *arguments: str, came: str) -> None:
        """The agent calls a tool."""
        self.show("call", f"{tool}({', '.join(arguments)}): {came}")

    def show_reply(self, text: object, *, confidence: object) -> None:
        """What the person reads in the end: its first line, where there is more."""
        first, *more = str(text).splitlines()
        self.show("reply", f"{first}{' …' if more else ''} (confidence: {confidence})")

    def show_row(self, what: str, when: str, beside: str) -> None:
        """A row of the family's calendar."""
        self._print_line(f"{what:20} {when:20} {beside}", indent=3)

    def say(self, text: str, *, style: str = "") -> None:
        """Anything else."""
        self._print_line(text, style=style, indent=3)

    def show_heading(self, text: str) -> None:
        """Another part begins."""
        self._print()
        self._print_line(text, style="bold")

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
            if self._console.is_terminal and not self._console.quiet:
                time.sleep(PAUSE)
        except OSError as error:
            self.trouble = error


def format_start(event: Event) -> str:
    """When an event begins, for a person: `Fri Nov 20 18:00`."""
    return f"{datetime.fromisoformat(event.start):%a %b %d %H:%M}"


def format_event(event: Event) -> str:
    """An event for a person: `Dinner, Fri Nov 20 18:00`."""
    return f"{event.title}, {format_start(event)}"


def parse_event(text: str) -> Event:
    """The event that a calendar's text holds."""
    return read_text(Stored(id="", href="", text=text, etag=""))


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
            self._tell.show("undo", f"{what}, unless somebody changed it since")
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
        return "OK"
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


Tools = CalendarTools | Desk
"""What the agent is given: the tools that are watched, or the bare ones."""


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
            checks=[wrap_check(StandardChecks(lambda _: None), tell)],
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

    async def write_beginning(self, events: Mapping[str, tuple[str, str]]) -> None:
        """What the family has planned itself: title and start, by id."""
        for uid, (title, start) in events.items():
            await self.desk.create_calendar_event(title, start, uid=uid)

    async def list_week(self) -> list[Event]:
        """What the server has, in the order of time."""
        return await self.desk.get_calendar_events(*WEEK)

    def close(self) -> None:
        """Put it away."""
        self.desk.calendar.close()
