"""A family's application over a calendar, and what the tests do with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from mulligan import Finding, Mulligan, Severity, State
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.turn import Done
from mulligan.types.action import Action
from mulligan_packs.calendar import CalDAV, calendar_tools
from mulligan_packs.calendar.tools import CalendarTools
from mulligan_testing.line import Line
from mulligan_testing.radicale import RadicaleServer

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
ZONE = "UTC"
EVENTS = 10
FEW = 4


def rejects_everything(attempt: object) -> Iterator[Finding]:
    yield Finding(rule="test.rejected", severity=Severity.ERROR, issue="It was done wrongly.")


def event_text(number: int, *, title: str = "Dinner", extra: str = "") -> str:
    """An event as other programs write it: folded, accented, with things of their own."""
    return (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Somebody//Else 1.0//EN\r\nBEGIN:VEVENT\r\n"
        f"UID:event-{number}\r\nDTSTAMP:20261101T080000Z\r\nSUMMARY:{title} {number} für\r\n"
        "  Großmama\\, und alle\r\nDTSTART:20261118T170000Z\r\n"
        "DURATION:PT90M\r\nX-SOMEBODY-COLOUR;X-SHADE=dark:blue\r\nCATEGORIES:FAMILY,FOOD\r\n"
        f"{extra}BEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:soon\r\nTRIGGER:-PT15M\r\n"
        "END:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )


def event_id(number: int) -> str:
    return f"event-{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    m: Mulligan
    tools: CalendarTools
    calendar: CalDAV
    radicale: RadicaleServer
    calendar_url: str
    line: Line

    @classmethod
    def of(cls, m: Mulligan, *, radicale: RadicaleServer, calendar_url: str, line: Line) -> Family:
        calendar = CalDAV(line.rewrite_url(calendar_url), timeout=120)
        family = cls(
            m=m,
            tools=calendar_tools(m, calendar, zone=ZONE),
            calendar=calendar,
            radicale=radicale,
            calendar_url=calendar_url,
            line=line,
        )
        for number in range(FEW):
            family.person_writes(number)
        return family

    def fill(self) -> None:
        """As many events as a bulk changes."""
        for number in range(FEW, EVENTS):
            self.person_writes(number)

    def person_writes(self, number: int, *, title: str = "Dinner", extra: str = "") -> None:
        """Somebody's own program, which asks nobody."""
        text = event_text(number, title=title, extra=extra)
        self.radicale.put(self.calendar_url, text, name=f"{event_id(number)}.ics")

    def export(self) -> dict[str, bytes]:
        return self.radicale.export(self.calendar_url)

    async def act(self, do: Callable[[], Awaitable[object]]) -> Done:
        async def agent(turn: OpenTurn) -> str:
            await do()
            return "Done."

        return await self.m.act("Plan the week", agent, now=NOW, timezone=ZONE)

    def open(self) -> list[Action]:
        return self.m.insights.open_list.actions()

    def states(self) -> list[State]:
        return [action.state for action in self.open()]


async def create(family: Family) -> None:
    await family.tools.create_calendar_event("Cake", "2026-11-21T18:00", location="Graz")


async def update(family: Family) -> None:
    await family.tools.update_calendar_event(event_id(3), start="2026-11-21T18:00")


async def bulk(family: Family) -> None:
    updates = [
        {"event_id": event_id(number), "start": "2026-11-21T18:00"} for number in range(EVENTS)
    ]
    await family.tools.bulk_update_calendar_events(updates)


async def delete(family: Family) -> None:
    await family.tools.delete_calendar_event(event_id(3))


WAYS = {"create": create, "update": update, "bulk of 10": bulk, "delete": delete}
