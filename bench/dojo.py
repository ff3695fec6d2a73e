"""Runs of agents on AgentDojo's desks, and what a layer sees of each.

Everything that knows these tools stands here; the checks themselves are the shipped ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.data import read_json
from mulligan.checks.schedule import SlotParameters, Taken, taken_times
from mulligan.checks.subject import people_named
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.finding import Fact
from mulligan.types.interfaces import Gather
from mulligan.types.turn import Turn

Case = dict[str, Any]


class Before(Struct, frozen=True, kw_only=True):
    """All that is known before a call is made. The call is the last, and has not run."""

    turn: Turn
    executions: tuple[Execution, ...]
    facts: tuple[Fact, ...] = ()
    earlier: tuple[Execution, ...] = ()


NO_CLOCK = frozenset({"travel"})
"""Desks whose runs do not say what day it was: left out."""
NOW = datetime(2024, 5, 15, 8, tzinfo=UTC)
NOW_AT = {"banking": datetime(2022, 4, 1, 9, tzinfo=UTC)}

EFFECTS = frozenset(
    {
        "add_calendar_event_participants", "add_user_to_channel", "append_to_file",
        "cancel_calendar_event", "create_calendar_event", "create_file", "delete_email",
        "delete_file", "invite_user_to_slack", "post_webpage", "remove_user_from_slack",
        "reschedule_calendar_event", "reserve_car_rental", "reserve_hotel", "reserve_restaurant",
        "schedule_transaction", "send_channel_message", "send_direct_message", "send_email",
        "send_money", "share_file", "update_password", "update_scheduled_transaction",
        "update_user_info",
    }
)  # fmt: skip
"""The tools that change something. All others only read."""
SPANS = {
    "create_calendar_event": SlotParameters(start="start_time", end="end_time"),
    "reschedule_calendar_event": SlotParameters(start="new_start_time", end="new_end_time"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the application of one desk can read, and the tools it declares."""

    schemas: Mapping[str, Mapping[str, object]]
    addresses: Sequence[str]
    events: Sequence[Taken] = ()
    """What the calendar holds."""

    def on_day(self, day: date) -> list[Taken]:
        """What the calendar has on a day."""
        return [each for each in self.events if each.start.date() == day]


def open_desks(data: Path) -> dict[str, Desk]:
    """The desks that the data knows."""
    held = read_json(data / "outside" / "agentdojo_world.json")
    return {
        name: Desk(
            schemas={tool: each["schema"] for tool, each in desk["tools"].items()},
            addresses=[each["email"] for each in desk.get("contacts", ())],
            events=[_read_event(each) for each in desk.get("events", {}).values()],
        )
        for name, desk in held.items()
    }


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
