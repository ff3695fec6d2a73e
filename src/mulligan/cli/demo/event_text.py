"""Events and versions in a few words, for people."""

from __future__ import annotations

from datetime import datetime

from mulligan.packs.calendar import Event
from mulligan.packs.calendar.events import Stored
from mulligan.packs.calendar.text import read_text
from mulligan.testing.line import LineWrite

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
    """What a request wanted, in words; of a delete, the file it is about."""
    return (
        format_event(parse_event(written.body)) if written.body else written.path.rpartition("/")[2]
    )
