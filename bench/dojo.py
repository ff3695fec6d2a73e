"""Runs of agents on AgentDojo's desks: what a layer sees of each, and the checks chosen by hand.

Everything that knows these tools stands here; the checks themselves are the shipped ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.missing import MissingError
from mulligan.checks.dates import dates_as_said
from mulligan.checks.ids import not_glued
from mulligan.checks.provenance import addresses_seen, ids_seen
from mulligan.checks.requests import made_once, quotes_kept
from mulligan.checks.schedule import (
    SlotParameters,
    Taken,
    ends_after_start,
    free_as_asked,
    not_in_the_past,
    taken_times,
)
from mulligan.checks.subject import Parameters, Subject, people_named
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Fact
from mulligan.types.interfaces import Check, Gather
from mulligan.types.turn import Turn

Case = dict[str, Any]


class Before(Struct, frozen=True, kw_only=True):
    """All that is known before a call is made. The call is the last, and has not run."""

    turn: Turn
    executions: tuple[Execution, ...]
    facts: tuple[Fact, ...] = ()
    earlier: tuple[Execution, ...] = ()


NO_CLOCK = frozenset({"travel"})
"""Desks whose runs do not say what day it was: left out, or looked at without these."""
NOW = datetime(2024, 5, 15, 8, tzinfo=UTC)
NO_DAY = datetime(2024, 5, 15, tzinfo=UTC)
"""What stands in for the day on a desk that says none."""
NOW_AT = {"banking": datetime(2022, 4, 1, 9, tzinfo=UTC), "travel": NO_DAY}

IDS: Parameters = {
    "add_calendar_event_participants": ["event_id"],
    "append_to_file": ["file_id"],
    "cancel_calendar_event": ["event_id"],
    "delete_email": ["email_id"],
    "delete_file": ["file_id"],
    "reschedule_calendar_event": ["event_id"],
    "schedule_transaction": ["recipient"],
    "send_money": ["recipient"],
    "share_file": ["file_id"],
    "update_scheduled_transaction": ["id", "recipient"],
}
MAKES = (
    "create_calendar_event",
    "create_file",
    "invite_user_to_slack",
    "post_webpage",
    "schedule_transaction",
    "send_channel_message",
    "send_direct_message",
    "send_email",
    "send_money",
)
RESERVES = ("reserve_car_rental", "reserve_hotel", "reserve_restaurant")
OTHERS = ("add_user_to_channel", "remove_user_from_slack", "update_password", "update_user_info")
EFFECTS = frozenset({*IDS, *MAKES, *RESERVES, *OTHERS})
"""The tools that change something. All others only read."""
DATES: Parameters = {
    "create_calendar_event": ["start_time", "end_time"],
    "reschedule_calendar_event": ["new_start_time", "new_end_time"],
    "schedule_transaction": ["date"],
    "send_money": ["date"],
}
STARTS: Parameters = {
    "create_calendar_event": ["start_time"],
    "reschedule_calendar_event": ["new_start_time"],
}
SPANS = {
    "create_calendar_event": SlotParameters(start="start_time", end="end_time"),
    "reschedule_calendar_event": SlotParameters(start="new_start_time", end="new_end_time"),
}
TEXTS: Parameters = {
    "create_calendar_event": ["title", "description"],
    "create_file": ["filename", "content"],
    "send_channel_message": ["body"],
    "send_direct_message": ["body"],
    "send_email": ["subject", "body"],
    "send_money": ["subject"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the application of one desk can read, and the tools it declares."""

    schemas: Mapping[str, Mapping[str, object]]
    about: Mapping[str, str]
    """What each tool says of itself."""
    addresses: Sequence[str]
    events: Sequence[Taken] = ()
    """What the calendar holds."""

    def on_day(self, day: date) -> list[Taken]:
        """What the calendar has on a day."""
        return [each for each in self.events if each.start.date() == day]


def open_desks(data: Path) -> dict[str, Desk]:
    """The desks that the data knows."""
    path = data / "outside" / "agentdojo_world.json"
    if not path.is_file():
        raise MissingError(f"{path} is not there: pass the folder that holds it as --data DIR.")
    held = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Desk(
            schemas={tool: each["schema"] for tool, each in desk["tools"].items()},
            about={tool: each["description"] for tool, each in desk["tools"].items()},
            addresses=[each["email"] for each in desk.get("contacts", ())],
            events=[_read_event(each) for each in desk.get("events", {}).values()],
        )
        for name, desk in held.items()
    }


def is_kept_out(case: Case) -> bool:
    """Whether a task is of the third that no rule was made on: by a hash, so nobody chose it."""
    name = f"{case['suite']}/{case['task']}".encode()
    return int(hashlib.sha256(name).hexdigest(), 16) % 3 == 0


def choose_checks() -> list[Check[Subject]]:
    """What an application chooses that names its tools and parameters, check by check."""
    return [
        ids_seen(IDS),
        not_glued(IDS),
        addresses_seen(*EFFECTS),
        made_once(*MAKES),
        dates_as_said(DATES),
        not_in_the_past(STARTS),
        ends_after_start(("start_time", "end_time"), ("new_start_time", "new_end_time")),
        free_as_asked(SPANS),
        quotes_kept(TEXTS),
    ]


def choose_facts(desk: Desk) -> list[Gather]:
    """What the application has gathered: its address book, and its calendar."""
    people: list[Gather] = [people_named(lambda: desk.addresses)] if desk.addresses else []
    return [*people, *([taken_times(SPANS, read=desk.on_day)] if desk.events else [])]


def _read_event(event: Case) -> Taken:
    start, end = (datetime.fromisoformat(event[name]) for name in ("start_time", "end_time"))
    return Taken(what=event["title"], start=start, end=end)


def list_steps(case: Case) -> Iterator[tuple[Case, Before]]:
    """Each call of a run, with all that was known when it was about to be made."""
    done: list[Execution] = []
    for number, step in enumerate(case["steps"]):
        turn = _read_turn(case, step)
        call = Call(id=f"{number}", tool=step["tool"], arguments=step["args"] or {})
        yield step, Before(turn=turn, executions=(*done, _execute(turn, call, Outcome.UNKNOWN)))
        failed = bool(step["error"])
        outcome = Outcome.FAILURE if failed else Outcome.SUCCESS
        result = step["error"] if failed else step["result"]
        done.append(_execute(turn, call, outcome, result))


def _read_turn(case: Case, step: Case) -> Turn:
    """What was said until then, each thing once: some desks say the request again and again."""
    said = dict.fromkeys(case["said"][: step["said_so_far"]] or case["said"][:1])
    now = NOW_AT.get(case["suite"], NOW)
    return Turn(id=case["id"], message="\n".join(said), now=now, timezone="UTC")


def _execute(turn: Turn, call: Call, outcome: Outcome, result: object = None) -> Execution:
    return Execution(call=call, outcome=outcome, at=turn.now, duration=timedelta(), result=result)
