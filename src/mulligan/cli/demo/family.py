"""The family's application: the calendar pack on a CalDAV server; and a phone, without it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from rich.console import Console

from mulligan.app.mulligan import Mulligan
from mulligan.app.settings import Settings
from mulligan.cli.demo.aloud import SHOWN, Aloud, wrap_check
from mulligan.cli.demo.children import TIMEOUT
from mulligan.cli.demo.telling import Teller
from mulligan.core.runtime.dataclass import dataclass
from mulligan.packs.calendar import CalDAV, Event, calendar_checks, calendar_facts, calendar_tools
from mulligan.packs.calendar.desk import Desk
from mulligan.packs.calendar.tools import CalendarTools
from mulligan.runtime.turn import Agent, Done

SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
ZONE = "Europe/Berlin"
WEEK = ("2026-11-15", "2026-11-22")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A `Mulligan` with the pack's tools. Every process of the story declares the same ones."""

    m: Mulligan
    tools: CalendarTools
    url: str
    tell: Teller

    async def act(self, said: str, planner: Agent) -> Done:
        """Somebody of the family asks for something, on Sunday morning."""
        return await self.m.act(said, planner, now=SUNDAY, timezone=ZONE)


@asynccontextmanager
async def open_family(store: str, url: str, *, tell: Teller | None = None) -> AsyncIterator[Family]:
    """The application on a store and a calendar. It recovers when told to, not on a timer."""
    tell = tell or Teller(Console(quiet=True))
    with closing(CalDAV(url, timeout=TIMEOUT)) as calendar:
        async with Mulligan(
            checks=[wrap_check(check, tell) for check in calendar_checks()],
            facts=calendar_facts(calendar, zone=ZONE),
            settings=Settings(store=store, recover=False, allow=SHOWN),
        ) as m:
            tools = calendar_tools(Aloud(m, tell), calendar, zone=ZONE)
            yield Family(m=m, tools=tools, url=url, tell=tell)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """The calendar in a person's own hand: another program, which knows nothing of Mulligan."""

    desk: Desk

    @classmethod
    def connect(cls, url: str) -> Phone:
        """A phone that is set up for a calendar."""
        calendar = CalDAV(url, timeout=TIMEOUT)
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
