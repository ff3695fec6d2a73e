"""Points in time as the person's own clock and calendar show them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from difflib import get_close_matches
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from mulligan.core.errors import ConfigurationError
from mulligan.core.turn import Turn

_LATEST_CLOCK_ON_EARTH = timedelta(hours=12)
"""How far behind UTC a clock can be."""


def parse_local_moment(value: object, *, zone: str | None) -> datetime | None:
    """A date or time as the person's clock shows it, without a zone; `None` if nobody can say.

    One that has no zone is taken as the person's own. One that has a zone needs theirs.
    """
    match value:
        case datetime():
            return _on_the_clock(value, zone)
        case date():
            return datetime.combine(value, time.min)
        case str() if re.match(r"\d{4}-\d{2}-\d{2}", value):
            try:
                return _on_the_clock(datetime.fromisoformat(value), zone)
            except ValueError:
                # It looks like a date and is none.
                return None
        case _:
            return None


def find_earliest_now(turn: Turn) -> datetime:
    """Now on the person's clock; where the zone is unknown, the least it can be."""
    local = _on_the_clock(turn.now, turn.timezone)
    return local or turn.now.astimezone(UTC).replace(tzinfo=None) - _LATEST_CLOCK_ON_EARTH


def find_zone(name: str | None) -> ZoneInfo | None:
    """The IANA zone of that name; `None` when nobody knows it."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # Not a zone, not a name at all, or a folder of zones.
        return None


def require_zone(name: str | None) -> ZoneInfo | None:
    """The zone of that name; `None` when none is given. A name that nobody knows is refused.

    Where it is mistyped, no date would be checked, and nobody would notice.
    """
    if name is not None and not isinstance(name, str):
        raise ConfigurationError(
            f"The time zone is {name!r}, not the name of one. Pass timezone={str(name)!r}."
        )
    if not name:
        return None
    zone = find_zone(name)
    if zone is None:
        raise ConfigurationError(f"Nobody knows the time zone {name!r}. {_suggest_zone(name)}")
    return zone


def _suggest_zone(name: str) -> str:
    known = available_timezones()
    if not known:
        return "There is none on this machine at all: pip install tzdata."
    near = get_close_matches(name, known, n=1)
    meant = f"Did you mean {near[0]!r}? " if near else "Give one such as 'Europe/Berlin'. "
    return f"{meant}Leave it out where nobody knows it."


def on_clock_of(zone: tzinfo, instant: datetime) -> datetime | None:
    """What a clock in the zone shows at an instant, without a zone; `None` if none can."""
    try:
        return instant.astimezone(zone).replace(tzinfo=None)
    except OverflowError:
        # The first and the last day of the calendar have no other side in every zone.
        return None


def _on_the_clock(instant: datetime, zone: str | None) -> datetime | None:
    if instant.tzinfo is None:
        return instant
    known = find_zone(zone)
    return on_clock_of(known, instant) if known else None
