"""Zones by their names, and what clocks in them show."""

from __future__ import annotations

import re
from datetime import date, datetime, time, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def parse_local_moment(value: object, *, zone: str | None) -> datetime | None:
    """A date or time as the person's clock shows it, without a zone; `None` if nobody can say.

    One that has no zone is taken as the person's own. One that has a zone needs theirs.
    """
    match value:
        case datetime():
            return show_on_clock(value, zone)
        case date():
            return datetime.combine(value, time.min)
        case str() if re.match(r"\d{4}-\d{2}-\d{2}", value):
            try:
                return show_on_clock(datetime.fromisoformat(value), zone)
            except ValueError:
                # It looks like a date and is none.
                return None
        case _:
            return None


def find_zone(name: str | None) -> ZoneInfo | None:
    """The IANA zone of that name; `None` when nobody knows it."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # Not a zone, not a name at all, or a folder of zones.
        return None


def on_clock_of(zone: tzinfo, instant: datetime) -> datetime | None:
    """What a clock in the zone shows at an instant, without a zone; `None` if none can."""
    try:
        return instant.astimezone(zone).replace(tzinfo=None)
    except OverflowError:
        # The first and the last day of the calendar have no other side in every zone.
        return None


def show_on_clock(instant: datetime, zone: str | None) -> datetime | None:
    """An instant on the clock of a zone by its name; one that has no zone stays as it is."""
    if instant.tzinfo is None:
        return instant
    known = find_zone(zone)
    return on_clock_of(known, instant) if known else None
