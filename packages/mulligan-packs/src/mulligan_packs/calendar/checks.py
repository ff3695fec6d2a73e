"""Which of the ready checks an application with this pack wants, and what its parameters mean."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.dates import dates_as_said, times_as_said
from mulligan.checks.ids import EMAIL, GOOGLE_CALENDAR, Form, not_glued, well_formed
from mulligan.checks.lengths import shifts_as_said, spans_as_said
from mulligan.checks.objects import on_objects, same_as_named, still_to_come, titles_as_said
from mulligan.checks.places import home_is_home, home_resolved
from mulligan.checks.provenance import addresses_seen, ids_seen, not_from_content
from mulligan.checks.requests import condition_met, made_once, only_asked, quotes_kept
from mulligan.checks.schedule import (
    SlotParameters,
    Taken,
    alternative_as_said,
    ends_after_start,
    free_as_asked,
    not_in_the_past,
    taken_times,
)
from mulligan.checks.subject import (
    Parameters,
    Subject,
    has_concern,
    limit_to_calls,
    people_named,
    require_zone,
)
from mulligan.checks.tool_outputs import as_record
from mulligan.types.call import Call, Execution
from mulligan.types.finding import Fact
from mulligan.types.interfaces import Check, Gather
from mulligan.types.turn import Turn
from mulligan_dates.readings import parse_local_moment
from mulligan_packs.calendar.events import Event
from mulligan_packs.calendar.server import CalDAV
from mulligan_packs.calendar.text import parse_stretch, read_text

CREATE, UPDATE, DELETE = "create_calendar_event", "update_calendar_event", "delete_calendar_event"
BULK, ELEMENTS = "bulk_update_calendar_events", "updates"
OWN = ("uid", "if_match", "if_absent")
"""Parameters that we fill in ourselves."""

WRITES = (CREATE, UPDATE, DELETE)
IDS: Parameters = {UPDATE: ["event_id"], DELETE: ["event_id"]}
DELETED: Parameters = {DELETE: ["event_id"]}
STARTS: Parameters = {CREATE: ["start"], UPDATE: ["start"]}
TIMES: Parameters = {CREATE: ["start", "end"], UPDATE: ["start", "end"]}
PLACES: Parameters = {CREATE: ["location"], UPDATE: ["location"]}
LOOKUPS: Parameters = {"get_location_info": ["query"], "get_location_suggestions": ["query"]}
TEXTS: Parameters = {CREATE: ["title", "description"], UPDATE: ["title", "description"]}
MAILBOXES: Parameters = {CREATE: ["attendees"]}
SPANS = {CREATE: SlotParameters(start="start", end="end")}

GOOGLE = Form(
    name="an id of a Google calendar",
    pattern=rf"(?:{GOOGLE_CALENDAR.pattern})(?:@google\.com)?",
)
"""Of events that were made in the calendar itself; invitations bring the ids of their senders."""


def calendar_checks(*, ids: Form | None = None) -> list[Check[Subject]]:
    """The checks for these tools. `ids`: what every id of this calendar looks like, if one can say.

    A bulk is checked as the updates it consists of, under the same rules.
    """
    dates: Check[Subject] = dates_as_said()
    chosen = [
        _limit_to_tools(WRITES, dates),
        times_as_said(TIMES),
        on_objects(dates, DELETED, when="start"),
        ids_seen(IDS),
        not_glued(IDS),
        *([well_formed(ids, IDS)] if ids else []),
        still_to_come(IDS, when="end"),
        not_in_the_past(STARTS),
        ends_after_start(("start", "end")),
        free_as_asked(SPANS),
        spans_as_said(SPANS),
        shifts_as_said({UPDATE: "start"}),
        home_is_home(PLACES, lookups=LOOKUPS),
        well_formed(EMAIL, MAILBOXES),
        addresses_seen(CREATE),
        made_once(CREATE),
        condition_met(*WRITES),
        quotes_kept(TEXTS),
        titles_as_said(IDS),
        alternative_as_said({CREATE: "start", UPDATE: "start"}),
        same_as_named({**MAILBOXES, **PLACES}),
        not_from_content(MAILBOXES),
        only_asked(dict.fromkeys(WRITES)),
    ]
    return [_check_one_by_one(check) for check in chosen]


def calendar_facts(
    calendar: CalDAV,
    *,
    zone: str | None = None,
    directory: Callable[[], Iterable[str]] | None = None,
) -> list[Gather]:
    """What can be read about a turn: home, who was named, and what else the day has."""

    home = require_zone(zone)

    async def on_day(day: date) -> list[Taken]:
        since, until = parse_stretch(day.isoformat(), day.isoformat(), zone=home)
        found = await asyncio.to_thread(calendar.list_events, since, until)
        return [taken for each in map(read_text, found) for taken in _list_taken(each, zone)]

    people = [people_named(directory)] if directory else []
    return [home_resolved(), *people, taken_times(SPANS, read=on_day)]


def _list_taken(event: Event, zone: str | None) -> Iterator[Taken]:
    """When an event takes place, on the person's clock; a series is left out, and whole days."""
    start, end = (parse_local_moment(value, zone=zone) for value in (event.start, event.end))
    if start and end and not event.rrule and len(event.start) > len("2026-11-20"):
        yield Taken(what=event.title, start=start, end=end)


class _Shown(Struct, frozen=True, kw_only=True):
    """An attempt as a check is shown it."""

    turn: Turn
    executions: tuple[Execution, ...]
    earlier: tuple[Execution, ...]
    facts: tuple[Fact, ...]


def _check_one_by_one(check: Check[Subject]) -> Check[Subject]:
    """Show each element of a bulk as an update of its own, and no parameter that is ours."""

    def run_check(subject: Subject) -> Any:
        return check(
            _Shown(
                turn=subject.turn,
                executions=tuple(_flatten_bulks(subject.executions)),
                earlier=tuple(_flatten_bulks(subject.earlier)),
                facts=subject.facts,
            )
        )

    def is_about(turn: Turn, call: Call) -> bool:
        return any(has_concern(check, turn=turn, call=each) for each in _flatten_call(call))

    return limit_to_calls(is_about)(run_check)


def _limit_to_tools(tools: Collection[str], check: Check[Subject]) -> Check[Subject]:
    """Show only the calls of these tools: looking at another day is no mistake."""

    def run_check(subject: Subject) -> Any:
        written = tuple(each for each in subject.executions if each.call.tool in tools)
        looked_up = (each for each in subject.executions if each.call.tool not in tools)
        return check(
            _Shown(
                turn=subject.turn,
                executions=written,
                earlier=(*subject.earlier, *looked_up),
                facts=subject.facts,
            )
        )

    def is_about(turn: Turn, call: Call) -> bool:
        return call.tool in tools and has_concern(check, turn=turn, call=call)

    return limit_to_calls(is_about)(run_check)


def _flatten_bulks(executions: Iterable[Execution]) -> Iterator[Execution]:
    for execution in executions:
        for call in _flatten_call(execution.call):
            yield replace(execution, call=call)


def _flatten_call(call: Call) -> Iterator[Call]:
    """A bulk as the updates it consists of; a late review has one element where the list stood."""
    if call.tool != BULK:
        yield _show_as(call, call.tool, call.arguments)
        return
    given = call.arguments.get(ELEMENTS)
    for element in given if isinstance(given, list | tuple) else [given]:
        yield _show_as(call, UPDATE, as_record(element))


def _show_as(call: Call, tool: str, arguments: Mapping[str, object]) -> Call:
    shown = {k: v for k, v in arguments.items() if k not in OWN and v is not None}
    return replace(call, tool=tool, arguments=shown)
