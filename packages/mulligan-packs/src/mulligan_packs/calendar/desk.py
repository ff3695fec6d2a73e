"""What the calendar's tools do: read, create, update, delete. They know nothing of undo."""

from __future__ import annotations

import asyncio
import dataclasses
import uuid
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.tool_outputs import as_record
from mulligan_packs.calendar.errors import BadEventError, NoSuchEventError
from mulligan_packs.calendar.events import (
    Changes,
    Event,
    Invited,
    Stored,
    Update,
    as_update,
    read_changes,
)
from mulligan_packs.calendar.server import CalDAV
from mulligan_packs.calendar.text import create_text, parse_stretch, read_text, update_text


class Desk(Struct, frozen=True, kw_only=True):
    """One calendar, and the zone in which times without one are meant."""

    calendar: CalDAV
    zone: ZoneInfo | None
    organizer: str | None = None
    """The organizer of events that have attendees."""

    async def get_calendar_events(self, start: str, end: str) -> list[Event]:
        """The events from one day or time to another, with their ids.

        Times are ISO 8601, such as 2026-11-20 or 2026-11-20T18:00; a last day is included.
        """
        since, until = parse_stretch(start, end, zone=self.zone)
        found = await asyncio.to_thread(self.calendar.list_events, since, until)
        return sorted(map(read_text, found), key=lambda event: (event.start, event.id))

    async def create_calendar_event(
        self,
        title: str,
        start: str,
        *,
        end: str | None = None,
        location: str | None = None,
        description: str | None = None,
        attendees: list[str] | None = None,
        uid: str | None = None,
    ) -> Event:
        """Put a new event into the calendar.

        Times are ISO 8601; a date alone makes it last the whole day. Without an end it lasts an
        hour. Attendees are e-mail addresses, and are sent an invitation.
        """
        uid = uid or uuid.uuid4().hex
        changes = Changes(
            title=title, start=start, end=end, location=location, description=description
        )
        invited = Invited(attendees=tuple(attendees or ()), organizer=self.organizer)
        text = create_text(uid, changes, invited=invited, zone=self.zone)
        new = _require_event(Stored(id=uid, href=self.calendar.build_href(uid), text=text, etag=""))
        return await self._write(new, if_match=None)

    async def update_calendar_event(
        self,
        event_id: str,
        *,
        title: str | None = None,
        start: str | None = None,
        end: str | None = None,
        location: str | None = None,
        description: str | None = None,
        if_match: str | None = None,
        if_absent: bool = False,
    ) -> Event:
        """Change an event; what is left out stays as it is.

        Times are ISO 8601. A new start alone moves the event, which stays as long as it was; of a
        series, the whole series.
        """
        update = Update(
            event_id=event_id,
            title=title,
            start=start,
            end=end,
            location=location,
            description=description,
        )
        wanted = await self._apply_update(update, if_match, if_absent=if_absent)
        return await self._write(wanted, if_match=wanted.etag)

    async def bulk_update_calendar_events(
        self,
        updates: list[Update],
        *,
        if_match: list[str | None] | None = None,
        if_absent: list[bool] | None = None,
    ) -> list[Event]:
        """Change several events, each as an update would."""
        versions = if_match or [None] * len(updates)
        absences = if_absent or [False] * len(updates)
        asked = [as_update(update) for update in updates]
        if len({update.event_id for update in asked}) < len(asked):
            raise BadEventError("An event is named twice. Name each once, with all its changes.")
        wanted = [
            await self._apply_update(update, version, if_absent=absent)
            for update, version, absent in zip(asked, versions, absences, strict=True)
        ]
        # Nothing is written before everything is known to be there and to make sense.
        return [await self._write(each, if_match=each.etag) for each in wanted]

    async def delete_calendar_event(
        self, event_id: str, *, if_match: str | None = None, if_absent: bool = False
    ) -> Event:
        """Remove an event; of a series, the whole series."""
        before = await self._read(event_id, if_match, if_absent=if_absent)
        gone = dataclasses.replace(read_text(before), etag=None)
        await asyncio.to_thread(self.calendar.delete, before, if_match=before.etag)
        return gone

    async def _apply_update(
        self, update: Update, if_match: str | None, *, if_absent: bool
    ) -> Stored:
        """An event as an update would have it, at the version that it has now."""
        before = await self._read(update.event_id, if_match, if_absent=if_absent)
        text = update_text(before.text, read_changes(as_record(update)), zone=self.zone)
        return _require_event(replace(before, text=text))

    async def _read(self, event_id: str, if_match: str | None, *, if_absent: bool) -> Stored:
        """The event to write over. One that must not exist cannot be changed, whoever made it."""
        if if_absent:
            raise NoSuchEventError(event_id)
        if if_match:
            return await asyncio.to_thread(self.calendar.get_at, event_id, if_match)
        found = await asyncio.to_thread(self.calendar.get, event_id)
        if found is None:
            raise NoSuchEventError(event_id)
        return found

    async def _write(self, wanted: Stored, *, if_match: str | None) -> Event:
        return read_text(await asyncio.to_thread(self.calendar.put, wanted, if_match=if_match))


def _require_event(wanted: Stored) -> Stored:
    """What is to be written, if it can be read: a `BadEventError` comes before any request."""
    read_text(wanted)
    return wanted
