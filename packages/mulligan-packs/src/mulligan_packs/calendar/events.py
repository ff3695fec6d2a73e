"""What the calendar's tools take and return, and what the server keeps.

What tools take and return are dataclasses: frameworks describe them to models by their fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import cast

from msgspec import Struct

from mulligan.checks.tool_outputs import as_record
from mulligan.types.values import hide_fields
from mulligan_packs.calendar.errors import BadEventError
from mulligan_packs.typed_dict import TypedDict


@hide_fields("text")
class Stored(Struct, frozen=True, kw_only=True):
    """An event as the server has it, to the byte."""

    id: str
    href: str
    """Where it is, which need not be named after its id."""
    text: str
    etag: str
    """Of this very text; empty where the server would not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event as an agent reads it."""

    id: str
    title: str
    start: str
    """ISO 8601; a date alone for an event that lasts whole days."""
    end: str
    location: str = ""
    description: str = ""
    attendees: tuple[str, ...] = ()
    rrule: str = ""
    """How it repeats, where it is a series."""
    etag: str | None = None
    """The version on the server; `None`: it is not there any more."""


class Changes(TypedDict, total=False):
    """What an update changes; what is left out stays as it is."""

    title: str | None
    start: str | None
    """Alone, it moves the event, which stays as long as it was."""
    end: str | None
    location: str | None
    description: str | None


def read_changes(arguments: Mapping[str, object]) -> Changes:
    """What of an event a call wants changed."""
    given = {name: arguments.get(name) for name in Changes.__annotations__}
    return cast("Changes", {name: value for name, value in given.items() if value is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One element of a bulk: which event, and what changes; what is left out stays as it is."""

    event_id: str
    title: str | None = None
    start: str | None = None
    end: str | None = None
    location: str | None = None
    description: str | None = None


def as_update(element: object) -> Update:
    """An element of a bulk, also as agents of all kinds pass it on: as it came, in JSON."""
    given = as_record(element)
    names = [each.name for each in fields(Update)]
    if "event_id" not in given or not given.keys() <= set(names):
        raise BadEventError(
            f"{element!r} is no update of an event. Give an event_id, and what changes of: "
            f"{', '.join(names[1:])}."
        )
    return Update(**cast("dict[str, str]", dict(given)))


class Invited(Struct, frozen=True, kw_only=True):
    """Who is asked to an event, and by whom."""

    attendees: tuple[str, ...] = ()
    organizer: str | None = None

    def list_addresses(self) -> Iterator[tuple[str, str]]:
        """Every address with its role; the organizer only where there are attendees."""
        if self.attendees and self.organizer:
            yield "organizer", self.organizer
        yield from (("attendee", address) for address in self.attendees)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place that a name was resolved to."""

    name: str
    address: str
