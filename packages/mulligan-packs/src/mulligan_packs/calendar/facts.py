"""What is read of a calendar about a turn, beside what the checks find in its calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import date

from mulligan.checks.places import home_resolved
from mulligan.checks.schedule import SlotParameters, Taken, taken_times
from mulligan.checks.subject import require_zone
from mulligan.types.interfaces import Gather
from mulligan_dates.readings import parse_local_moment
from mulligan_packs.calendar.events import Event
from mulligan_packs.calendar.server import CalDAV
from mulligan_packs.calendar.text import parse_stretch, read_text

SPANS = {"create_calendar_event": SlotParameters(start="start", end="end")}


def calendar_facts(calendar: CalDAV, *, zone: str | None = None) -> list[Gather]:
    """Where home is, and what else there is on the days of new events."""
    home = require_zone(zone)

    async def on_day(day: date) -> list[Taken]:
        since, until = parse_stretch(day.isoformat(), day.isoformat(), zone=home)
        found = await asyncio.to_thread(calendar.list_events, since, until)
        return [taken for each in map(read_text, found) for taken in _list_taken(each, zone)]

    return [home_resolved(), taken_times(SPANS, read=on_day)]


def _list_taken(event: Event, zone: str | None) -> Iterator[Taken]:
    """When an event takes place, on the person's clock; a series is left out, and whole days."""
    start, end = (parse_local_moment(value, zone=zone) for value in (event.start, event.end))
    if start and end and not event.rrule and len(event.start) > len("2026-11-20"):
        yield Taken(what=event.title, start=start, end=end)
