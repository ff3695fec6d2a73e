"""A calendar behind CalDAV as tools that can be undone: `calendar_tools(m, CalDAV(url))`."""

from importlib.util import find_spec

from mulligan.types.errors import MissingExtraError

if find_spec("caldav") is None:
    raise MissingExtraError(need="The calendar pack", extra="calendar")

from mulligan_packs.calendar.events import Event, Place
from mulligan_packs.calendar.facts import calendar_facts
from mulligan_packs.calendar.places import KnownPlaces
from mulligan_packs.calendar.server import CalDAV
from mulligan_packs.calendar.tools import calendar_tools

__all__ = [
    "CalDAV",
    "Event",
    "KnownPlaces",
    "Place",
    "calendar_facts",
    "calendar_tools",
]
