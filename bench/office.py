"""An office assistant's tools as an application declares them, and the checks it chooses.

Everything that knows these tools stands here; the checks themselves are the shipped ones.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from bench.data import require_file
from mulligan.checks.custom import only_warn
from mulligan.checks.dates import dates_as_said
from mulligan.checks.ids import EMAIL, exists, ids_read, not_glued, well_formed
from mulligan.checks.objects import on_objects, owners_as_said, still_to_come
from mulligan.checks.provenance import addresses_seen, ids_seen
from mulligan.checks.requests import condition_met, made_once, quotes_kept
from mulligan.checks.schedule import (
    SlotParameters,
    Taken,
    ends_after_start,
    free_as_asked,
    not_in_the_past,
    rank_as_said,
    ranks_read,
    taken_times,
)
from mulligan.checks.standard import StandardChecks
from mulligan.checks.subject import Parameters, Subject, people_named
from mulligan.types.call import Call
from mulligan.types.interfaces import Check, Gather

EVENTS: Parameters = {
    "calendar.delete_event": ["event_id"],
    "calendar.update_event": ["event_id"],
}
IDS: Parameters = {
    **EVENTS,
    "customer_relationship_manager.delete_customer": ["customer_id"],
    "customer_relationship_manager.update_customer": ["customer_id"],
    "email.delete_email": ["email_id"],
    "email.forward_email": ["email_id"],
    "email.reply_email": ["email_id"],
    "project_management.delete_task": ["task_id"],
    "project_management.update_task": ["task_id"],
}
MAILBOXES: Parameters = {
    "calendar.create_event": ["participant_email"],
    "customer_relationship_manager.add_customer": ["assigned_to_email"],
    "email.forward_email": ["recipient"],
    "email.send_email": ["recipient"],
    "project_management.create_task": ["assigned_to_email"],
}
MAKES = (
    "analytics.create_plot",
    "calendar.create_event",
    "customer_relationship_manager.add_customer",
    "email.forward_email",
    "email.reply_email",
    "email.send_email",
    "project_management.create_task",
)
EFFECTS = frozenset({*IDS, *MAKES})
"""The tools that change something. All others only read."""
TEXTS: Parameters = {
    "calendar.create_event": ["event_name"],
    "email.reply_email": ["body"],
    "email.send_email": ["subject", "body"],
    "project_management.create_task": ["task_name"],
}
PLANS: Parameters = {
    "calendar.create_event": ["event_start"],
    "project_management.create_task": ["due_date"],
}
SPANS = {"calendar.create_event": SlotParameters(start="event_start", minutes="duration")}

ID = r"\d{8}"
GIVEN = r"(?s).*\S.*"
DEMANDS: Mapping[str, Mapping[str, str]] = {
    **{tool: dict.fromkeys(names, ID) for tool, names in IDS.items()},
    "calendar.create_event": {"participant_email": GIVEN, "event_start": GIVEN, "duration": GIVEN},
    "customer_relationship_manager.add_customer": {"assigned_to_email": GIVEN, "status": GIVEN},
    "project_management.create_task": {"assigned_to_email": GIVEN, "due_date": GIVEN},
}
"""By tool: parameters that it cannot do without, and what each must look like."""
TEAM_ONLY: Parameters = {
    "project_management.create_task": ["assigned_to_email"],
    "project_management.update_task": ["new_value"],
}
"""Where an address must be one of the team's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """What the application can read: its calendar and its address book."""

    events: Mapping[str, Mapping[str, str]]
    addresses: Sequence[str]

    def on_day(self, day: date) -> Iterator[Taken]:
        """What the calendar has on a day."""
        for event in self.events.values():
            start = datetime.fromisoformat(event["event_start"])
            if start.date() == day:
                end = start + timedelta(minutes=int(event["duration"]))
                yield Taken(what=event["event_name"], start=start, end=end)

    def refuses(self, call: Call) -> bool:
        """Whether the tool itself will turn a call down, so that nothing comes of it."""
        for name, pattern in DEMANDS.get(call.tool, {}).items():
            if not re.fullmatch(pattern, str(call.arguments.get(name) or "")):
                return True
        given = (str(call.arguments.get(name)) for name in TEAM_ONLY.get(call.tool, ()))
        return any("@" in value and value not in self.addresses for value in given)


def open_office(folder: Path) -> Office:
    """Read the two directories."""
    events, addresses = folder / "calendar_events.csv", folder / "email_addresses.csv"
    with require_file(events).open(newline="", encoding="utf-8") as rows:
        by_id = {row["event_id"]: row for row in csv.DictReader(rows)}
    lines = require_file(addresses).read_text(encoding="utf-8").split()
    return Office(events=by_id, addresses=[line for line in lines if "@" in line])


def facts_for(office: Office) -> list[Gather]:
    """The facts the application has gathered."""
    return [
        ids_read(EVENTS, read=office.events.get, fields=("event_start", "participant_email")),
        people_named(lambda: office.addresses),
        taken_times(SPANS, read=office.on_day),
        ranks_read(EVENTS, when="event_start", read=office.events.get, read_day=office.on_day),
    ]


def checks_for(office: Office) -> list[Check[Subject]]:
    """The checks the application has chosen, each lenient where a tool refuses by itself."""
    dates: Check[Subject] = dates_as_said()
    chosen = [
        ids_seen(IDS),
        addresses_seen(*EFFECTS),
        well_formed(EMAIL, MAILBOXES),
        not_glued(IDS),
        exists(EVENTS),
        made_once(*MAKES),
        dates_as_said(PLANS),
        on_objects(dates, EVENTS, when="event_start"),
        still_to_come(EVENTS, when="event_start"),
        owners_as_said(IDS),
        rank_as_said(EVENTS),
        not_in_the_past(PLANS),
        ends_after_start(("time_min", "time_max")),
        free_as_asked(SPANS),
        condition_met(*EFFECTS),
        quotes_kept(TEXTS),
    ]
    return [only_warn(check, refused=office.refuses) for check in chosen]


def standard_for(office: Office) -> list[Check[Subject]]:
    """The checks that choose themselves, of tools known only by their names and arguments."""
    chosen: Check[Subject] = StandardChecks(lambda _: None)
    return [only_warn(chosen, refused=office.refuses)]
