"""The calendar's tools, with what each declares about itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from mulligan.checks.subject import require_zone
from mulligan.process.event_loop import read_utc_now
from mulligan.runtime.context import find_current_turn
from mulligan.runtime.declaration import Declared, Declares, Failures, Review, Undoing
from mulligan.types.call import Record, RecordFunction, ToolFunction
from mulligan.types.effect import Effect, ProbeBy, Repeat
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Clock
from mulligan.types.lesson import ErrorRule
from mulligan.types.values import require_bool
from mulligan_dates.reader import calculate_datetime
from mulligan_packs.calendar.callbacks import (
    Looking,
    UndoRun,
    is_same_event,
    read_attendees,
    read_etag,
    read_event_id,
)
from mulligan_packs.calendar.desk import Desk
from mulligan_packs.calendar.errors import BadEventError, NoSuchEventError, OutdatedError
from mulligan_packs.calendar.places import KnownPlaces
from mulligan_packs.calendar.server import CalDAV

LOSES = (
    "reminders that went off in between",
    "what subscribers of the calendar saw in between",
    "revision number and time of change, where the server sets them itself",
)
"""What an undo does not bring back."""

OWN = ("uid", "if_match", "if_absent")
"""Parameters that are filled in for the model."""

REFUSES = (BadEventError, NoSuchEventError, OutdatedError)
"""Raised before any request that writes. A write that was refused itself is looked for: it is read
before and sometimes after, so that no answer of the server speaks for the whole call."""


class Phrases(Struct, frozen=True, kw_only=True):
    """Resolves what was said: at the time and place of the person who is asking."""

    zone: str | None
    """Where the person is, unless the turn says so."""
    clock: Clock = read_utc_now

    async def calculate_datetime(self, phrase: str) -> dict[str, Any]:
        """What a phrase like "next Friday at six" can mean: every reading, with its weekday."""
        turn = find_current_turn()
        zone = (turn.turn.timezone if turn else None) or self.zone
        if zone is None:
            return {"phrase": phrase, "known": False, "why": "Where the person is, is not known."}
        now = turn.turn.now if turn else self.clock()
        return calculate_datetime(phrase, now, timezone=zone)


class CalendarTools(Struct, frozen=True, kw_only=True):
    """The declared tools. An agent is given all of them: `tools=[*tools]`."""

    get_calendar_events: ToolFunction
    create_calendar_event: ToolFunction
    update_calendar_event: ToolFunction
    bulk_update_calendar_events: ToolFunction
    delete_calendar_event: ToolFunction
    get_location_info: ToolFunction
    get_location_suggestions: ToolFunction
    calculate_datetime: ToolFunction

    def __iter__(self) -> Iterator[ToolFunction]:
        return iter(astuple(self))


def calendar_tools(
    m: Declares,
    calendar: CalDAV,
    *,
    zone: str | None = None,
    places: KnownPlaces | None = None,
    notifies: bool = True,
    organizer: str | None = None,
    clock: Clock = read_utc_now,
) -> CalendarTools:
    """Declare the tools of one calendar with an application.

    `zone` is the person's, for times without one. `notifies`: the server writes to attendees by
    itself, as most do; what they would be told of is then held for a person. `organizer` is the
    address that invitations come from.
    """
    require_bool(notifies, name="notifies")
    home = require_zone(zone)
    desk = Desk(calendar=calendar, zone=home, organizer=organizer)
    looking = Looking(calendar=calendar, zone=home, notifies=notifies, organizer=organizer)
    back = UndoRun(calendar=calendar)
    found = places or KnownPlaces()
    server = calendar.name
    reads = m.tool(effect=Effect.READ, server=server)
    looks_up = m.tool(effect=Effect.READ, review=Review(judged=True), server=server)
    updating = _declare_versioned_write(looking, undo=back.update)
    bulk = Declared(**updating, each="updates")
    return CalendarTools(
        get_calendar_events=reads(desk.get_calendar_events),
        create_calendar_event=m.tool(**_declare_create(looking, back))(desk.create_calendar_event),
        update_calendar_event=m.tool(**updating)(desk.update_calendar_event),
        bulk_update_calendar_events=m.tool(**bulk)(desk.bulk_update_calendar_events),
        delete_calendar_event=m.tool(**_declare_delete(looking, back))(desk.delete_calendar_event),
        get_location_info=looks_up(found.get_location_info),
        get_location_suggestions=looks_up(found.get_location_suggestions),
        calculate_datetime=reads(Phrases(zone=zone, clock=clock).calculate_datetime),
    )


def _declare_create(looking: Looking, back: UndoRun) -> Declared:
    """The new event's id is our key: two tries make one event, and a lost one is found by it."""

    def choose_effect(record: Record) -> Effect:
        mailed = looking.notifies and read_attendees(record.arguments)
        return Effect.IRREVERSIBLE if mailed else Effect.REVERSIBLE

    return Declared(
        effect=choose_effect,
        repeat=Repeat.KEYED,
        key="uid",
        read=looking.read_current,
        undo=back.create,
        probe=looking.probe_create,
        probe_by=ProbeBy.CALL,
        about=read_event_id,
        refuses=REFUSES,
        version=read_etag,
        undoing=Undoing(same=is_same_event, loses=LOSES),
        server=looking.calendar.name,
    )


def _declare_delete(looking: Looking, back: UndoRun) -> Declared:
    # An unknown id is a mistake to report, not a delete that was done already.
    mistaken = ErrorRule(error_class=ErrorClass.RULE, says="There is no event with the id")
    return Declared(
        **_declare_versioned_write(looking, undo=back.delete),
        deletes=True,
        failures=Failures(error_rules=[mistaken]),
    )


def _declare_versioned_write(looking: Looking, *, undo: RecordFunction) -> Declared:
    """Every write names the version of the snapshot, so it is idempotent.

    Nothing in an event tells a change of ours from a person's: a call without an answer has failed
    if the snapshot is still there, and needs attention otherwise.
    """
    return Declared(
        effect=Effect.REVERSIBLE,
        repeat=Repeat.IDEMPOTENT,
        before=looking.read_before,
        read=looking.read_current,
        undo=undo,
        about=read_event_id,
        refuses=REFUSES,
        version=read_etag,
        undoing=Undoing(same=is_same_event, loses=LOSES),
        server=looking.calendar.name,
        if_version="if_match",
        if_absent="if_absent",
    )
