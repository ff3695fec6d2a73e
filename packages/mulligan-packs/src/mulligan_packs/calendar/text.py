"""iCalendar text: made, changed, read, and compared. Nothing here talks to a server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from icalendar import Calendar, Component
from icalendar import Event as VEvent

from mulligan_packs.calendar.errors import BadEventError
from mulligan_packs.calendar.events import Changes, Event, Invited, Stored

VOLATILE = frozenset(
    {"BEGIN", "END", "DTSTAMP", "LAST-MODIFIED", "CREATED", "SEQUENCE", "PRODID", "CALSCALE"}
)
"""Properties that a server may set by itself, and that no person means by an edit."""

_UNSAID = frozenset(
    {("STATUS", b"CONFIRMED"), ("TRANSP", b"OPAQUE"), ("CLASS", b"PUBLIC"), ("PRIORITY", b"0")}
)
"""What holds of an event that does not say so (RFC 5545); some servers write it out."""
_MAKER = "-//Mulligan//Calendar pack//EN"
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)
_TEXTS = {"title": "summary", "location": "location", "description": "description"}

Moment = date | datetime


def create_text(uid: str, changes: Changes, *, invited: Invited, zone: ZoneInfo | None) -> str:
    """A calendar with one new event in it."""
    calendar, event = Calendar(), VEvent()
    calendar.add("prodid", _MAKER)
    calendar.add("version", "2.0")
    event.add("uid", uid)
    for name, address in invited.list_addresses():
        event.add(name, f"mailto:{address.removeprefix('mailto:')}")
    calendar.add_component(event)
    return _write_changes(calendar, event, changes, zone)


def update_text(text: str, changes: Changes, *, zone: ZoneInfo | None) -> str:
    """The same calendar with its event changed; of a series, the series itself."""
    calendar = _parse_calendar(text)
    event = _find_master(calendar)
    _put(event, "sequence", event.sequence + 1)
    return _write_changes(calendar, event, changes, zone)


def read_text(stored: Stored) -> Event:
    """An event as an agent reads it."""
    event = _find_master(_parse_calendar(stored.text))
    rrule: Any = event.get("rrule")
    return Event(
        id=stored.id,
        title=str(event.get("summary", "")),
        start=event.start.isoformat(),
        end=event.end.isoformat(),
        location=str(event.get("location", "")),
        description=str(event.get("description", "")),
        attendees=tuple(parse_attendees(stored.text)),
        rrule=rrule.to_ical().decode() if rrule else "",
        etag=stored.etag,
    )


def parse_uid(text: str) -> str:
    """The UID of a calendar's event."""
    return str(_find_master(_parse_calendar(text)).get("uid", ""))


def parse_attendees(text: str) -> Iterator[str]:
    """The addresses of all attendees of an event or of a part of a series."""
    seen = dict.fromkeys(
        str(address)
        for event in _parse_calendar(text).events
        for address in _ensure_list(event.get("attendee"))
    )
    for address in seen:
        yield address[7:] if address.lower().startswith("mailto:") else address


def is_alike(one: str, other: str) -> bool:
    """Whether two calendars say the same, but for what a server may set by itself."""
    return one == other or _normalize(one) == _normalize(other)


def is_rewritten(theirs: str, ours: str) -> bool:
    """Whether a calendar is another's as a server may have rewritten it, and has no edit in it.

    What a server spells out is what goes without saying; all else may be a person's.
    """
    return _drop_unsaid(_normalize(theirs)) == _drop_unsaid(_normalize(ours))


def parse_moment(value: str, *, zone: ZoneInfo | None) -> Moment:
    """A date, or a time with its zone, if one is known."""
    try:
        found = date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    except (ValueError, TypeError) as error:
        raise BadEventError(
            f"{value!r} is neither a date nor a time. Give it as 2026-11-20 or 2026-11-20T18:00."
        ) from error
    if not isinstance(found, datetime):
        return found
    if found.tzinfo is None:
        return found.replace(tzinfo=zone)
    return found.astimezone(zone or UTC)


def parse_stretch(start: str, end: str, *, zone: ZoneInfo | None) -> tuple[datetime, datetime]:
    """From one moment to another; a day as the last one is included."""
    first, last = parse_moment(start, zone=zone), parse_moment(end, zone=zone)
    until = last if isinstance(last, datetime) else last + _DAY
    return _convert_to_instant(first, zone), _convert_to_instant(until, zone)


def _convert_to_instant(found: Moment, zone: ZoneInfo | None) -> datetime:
    at = found if isinstance(found, datetime) else datetime.combine(found, time())
    return at if at.tzinfo else at.replace(tzinfo=zone or UTC)


def _write_changes(
    calendar: Calendar, event: VEvent, changes: Changes, zone: ZoneInfo | None
) -> str:
    for name in ("dtstamp", "last-modified"):
        _put(event, name, datetime.now(UTC).replace(microsecond=0))
    for name, prop in _TEXTS.items():
        value = changes.get(name)
        if value is not None:
            _put(event, prop, value)
    _place_in_time(event, changes, zone)
    calendar.add_missing_timezones()
    text: bytes = calendar.to_ical()
    return text.decode()


def _place_in_time(event: VEvent, changes: Changes, zone: ZoneInfo | None) -> None:
    """Set start and end; where only the start is given, the event stays as long as it was."""
    start, end = changes.get("start"), changes.get("end")
    if start is None and end is None:
        return
    was = (event.start, event.end) if "dtstart" in event else None
    first = (
        _convert_zone(parse_moment(start, zone=zone), was) if start is not None else was and was[0]
    )
    if first is None:
        raise BadEventError("An event needs a start. Give one as 2026-11-20T18:00.")
    last = (
        _convert_zone(parse_moment(end, zone=zone), was)
        if end is not None
        else first + _choose_length(was, first)
    )
    if _classify_moment(first) != _classify_moment(last) or last < first:
        raise BadEventError(f"The event would end at {last} and start at {first}. Give both anew.")
    for name, value in (("dtstart", first), ("dtend", last)):
        _put(event, name, value)
    event.pop("duration", None)


def _convert_zone(found: Moment, was: tuple[Moment, Moment] | None) -> Moment:
    """A time in the zone the event has: a series in another drifts when the clocks change."""
    zone = was[0].tzinfo if was and isinstance(was[0], datetime) else None
    if zone is None or not isinstance(found, datetime):
        return found
    return found.astimezone(zone) if found.tzinfo else found.replace(tzinfo=zone)


def _classify_moment(found: Moment) -> tuple[bool, bool]:
    """What can be compared: days, times on any clock, times on one."""
    return isinstance(found, datetime), getattr(found, "tzinfo", None) is not None


def _choose_length(was: tuple[Moment, Moment] | None, first: Moment) -> timedelta:
    """How long an event lasts that was told only when it starts."""
    whole_days = not isinstance(first, datetime)
    if was is not None and isinstance(was[0], datetime) is not whole_days:
        return was[1] - was[0]
    return _DAY if whole_days else _HOUR


def _put(event: VEvent, name: str, value: object) -> None:
    event.pop(name, None)
    event.add(name, value)


def _parse_calendar(text: str) -> Calendar:
    return Calendar.from_ical(text)


def _find_master(calendar: Calendar) -> VEvent:
    """The event itself, not one of a series that was moved on its own."""
    events = calendar.events
    if not events:
        raise BadEventError("There is no event in it; it may be a task or a note.")
    return next((event for event in events if "recurrence-id" not in event), events[0])


Normalized = tuple[str, tuple[Any, ...], tuple[Any, ...]]
"""A component: its name, its properties, and what is inside of it."""


def _drop_unsaid(component: Normalized) -> Normalized:
    name, properties, inside = component
    said = tuple(each for each in properties if each[:2] not in _UNSAID)
    return name, said, tuple(map(_drop_unsaid, inside))


def _normalize(text: str) -> Normalized:
    return _normalize_component(_parse_calendar(text))


def _normalize_component(component: Component) -> Normalized:
    inside = [
        _normalize_component(each) for each in component.subcomponents if each.name != "VTIMEZONE"
    ]
    return (
        str(component.name),
        tuple(sorted(_list_properties(component))),
        tuple(sorted(inside)),
    )


def _list_properties(
    component: Component,
) -> Iterator[tuple[str, bytes, tuple[tuple[str, str], ...]]]:
    items: list[tuple[str, Any]] = component.property_items(recursive=False)
    for name, value in items:
        if name not in VOLATILE:
            parameters = ((key, str(held)) for key, held in value.params.items())
            yield name, value.to_ical(), tuple(sorted(parameters))


def _ensure_list(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
