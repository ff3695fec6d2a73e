"""Dates in a call's arguments against the words of the person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mulligan.core.call import Call, Execution
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SAID = re.compile(rf"\b({'|'.join(WEEKDAYS)})s?\b", re.IGNORECASE)


class Attempt(Protocol):
    """What the check looks at."""

    @property
    def turn(self) -> Turn:
        """The request."""

    @property
    def executions(self) -> tuple[Execution, ...]:
        """The calls that were made."""


def weekday_as_said() -> Check[Attempt]:
    """Flag a date that falls on another weekday than the only one the person named.

    It stays silent where it cannot know: no weekday named, or several.
    """

    def check(attempt: Attempt) -> Iterator[Finding]:
        said = {day.lower() for day in _SAID.findall(attempt.turn.message)}
        if len(said) != 1:
            return
        (day,) = said
        for execution in attempt.executions:
            for name, used in _dates(execution.call.arguments, zone=attempt.turn.timezone):
                if WEEKDAYS[used.weekday()] != day:
                    yield _wrong_weekday(execution.call, name=name, used=used, said=day)

    return check


def _wrong_weekday(call: Call, *, name: str, used: date, said: str) -> Finding:
    return Finding(
        rule="date.wrong_weekday",
        severity=Severity.ERROR,
        issue=f"{call.tool} was given {name}={used.isoformat()}, which is a "
        f"{WEEKDAYS[used.weekday()].capitalize()}; the person said {said.capitalize()}.",
        correction=f"Use a {said.capitalize()} for {name}.",
        call=call.id,
    )


def _dates(arguments: Mapping[str, object], *, zone: str | None) -> Iterator[tuple[str, date]]:
    """Every date among the arguments, as the person's calendar shows it."""
    for name, value in arguments.items():
        match value:
            case datetime():
                if (local := _in_zone(value, zone)) is not None:
                    yield name, local.date()
            case date():
                yield name, value
            case str() if (read := _read(value)) is not None:
                if (local := _in_zone(read, zone)) is not None:
                    yield name, local.date()


def _read(text: str) -> datetime | None:
    if not re.match(r"\d{4}-\d{2}-\d{2}", text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        # Looks like a date and is none: other checks may have a word for it.
        return None


def _in_zone(instant: datetime, zone: str | None) -> datetime | None:
    """An instant in the person's zone; `None` when the zone, and so the day, is not known."""
    if instant.tzinfo is None:
        return instant
    if zone is None:
        return None
    try:
        return instant.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError):
        # A zone nobody knows gives no fact.
        return None
