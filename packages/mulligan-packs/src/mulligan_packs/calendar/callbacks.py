"""How the calendar's tools read, undo and probe, as functions of one record."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast
from zoneinfo import ZoneInfo

from msgspec import Struct

from mulligan.checks.tool_outputs import as_record
from mulligan.types.call import Record
from mulligan.types.errors import ConflictError
from mulligan_packs.calendar.errors import SharedEventError
from mulligan_packs.calendar.events import Event, Invited, Stored, read_changes
from mulligan_packs.calendar.server import CalDAV
from mulligan_packs.calendar.text import (
    create_text,
    is_alike,
    parse_attendees,
    read_text,
)


class Looking(Struct, frozen=True, kw_only=True):
    """What is there now, and what was left by a create that gave no answer."""

    calendar: CalDAV
    zone: ZoneInfo | None
    notifies: bool
    """The server writes to attendees by itself when an event changes."""
    organizer: str | None = None

    async def read_before(self, record: Record) -> Stored | None:
        """The event before the call. One that others are invited to is refused: it is held."""
        found = await self.read_current(record)
        if found is not None and self.notifies and any(parse_attendees(found.text)):
            raise SharedEventError("Others are invited to it, and would be told of any change.")
        return found

    async def read_current(self, record: Record) -> Stored | None:
        """The event that a call is about, as it is now."""
        return await asyncio.to_thread(self.calendar.get, read_event_id(record))

    async def probe_create(self, record: Record) -> Event | None:
        """What a create left."""
        found = await self.read_current(record)
        if found is None:
            return None
        wanted = create_text(
            record.key,
            read_changes(record.arguments),
            invited=Invited(attendees=read_attendees(record.arguments), organizer=self.organizer),
            zone=self.zone,
        )
        if not is_alike(found.text, wanted):
            raise ConflictError(f"The event is at {found.etag}, and not as the call would have it.")
        return read_text(found)


class UndoRun(Struct, frozen=True, kw_only=True):
    """The undo of each tool, only where the event is unchanged since."""

    calendar: CalDAV

    async def create(self, record: Record) -> None:
        """Remove what was created."""
        event_id = read_event_id(record)
        stored = Stored(id=event_id, href=self.calendar.build_href(event_id), text="", etag="")
        await asyncio.to_thread(self.calendar.delete, stored, if_match=_require_version(record))

    async def update(self, record: Record) -> None:
        """Put the original text back, to the byte."""
        before = cast("Stored", record.before)
        await asyncio.to_thread(self.calendar.put, before, if_match=_require_version(record))

    async def delete(self, record: Record) -> None:
        """Bring the original back to where it was, if nothing has come there since."""
        before = cast("Stored", record.before)
        await asyncio.to_thread(self.calendar.put, before, if_match=None)


def is_same_event(before: object, now: object) -> bool:
    """Whether two texts say the same, but for what a server sets by itself."""
    return is_alike(cast("Stored", before).text, cast("Stored", now).text)


def read_etag(record: Record) -> str | None:
    """The version in what a tool returned, or in what was read."""
    return cast("Event | Stored", record.result).etag


def read_event_id(record: Record) -> str:
    """The id of the event that a record is about: given, or made from our key."""
    given = as_record(record.arguments.get("updates", record.arguments))  # of a bulk, an element
    return str(given.get("event_id") or record.key)


def read_attendees(arguments: Mapping[str, object]) -> tuple[str, ...]:
    """Who is invited by a call."""
    invited = arguments.get("attendees") or ()
    return tuple(map(str, cast("list[str]", invited)))


def _require_version(record: Record) -> str:
    if not record.version:
        raise ConflictError("The server did not say at which version it was left.")
    return record.version
