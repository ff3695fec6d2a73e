"""Now on the person's own clock, and the zone that an application gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from zoneinfo import ZoneInfo, available_timezones

from mulligan.checks.language.zones import find_zone, show_on_clock
from mulligan.core.errors import ConfigurationError
from mulligan.core.turn import Turn

_LATEST_CLOCK_ON_EARTH = timedelta(hours=12)
"""How far behind UTC a clock can be."""


def find_earliest_now(turn: Turn) -> datetime:
    """Now on the person's clock; where the zone is unknown, the least it can be."""
    local = show_on_clock(turn.now, turn.timezone)
    return local or turn.now.astimezone(UTC).replace(tzinfo=None) - _LATEST_CLOCK_ON_EARTH


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
