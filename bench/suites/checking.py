"""What the standard checks cost on a turn of three calls, beside the judge's prompt alone."""

from __future__ import annotations

import argparse
import gc
import platform
import random
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from types import FrameType
from typing import Any

from msgspec.structs import replace
from rich.console import RenderableType

from bench.report import progress, table
from bench.rounds import digits, quartiles, ratio
from mulligan.checks.dates import date_facts, dates_as_said
from mulligan.checks.parameters import ToolShape
from mulligan.checks.standard import StandardChecks
from mulligan.loops.actions import Attempted
from mulligan.loops.review import ask_about
from mulligan.prompts.template import render
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.turn import Turn

NOW = datetime(2026, 11, 18, 10, tzinfo=UTC)
"""A Wednesday."""
MESSAGE = (
    "I can't do Thursday, please move my dinner with Ann to Friday at 7 pm, "
    "and mail her that I will bring 2 bottles."
)
EVENTS = [
    {"id": f"ev-{number}", "title": title, "start": start, "owner": "me@example.org"}
    for number, (title, start) in enumerate(
        [
            ("Dinner with Ann", "2026-11-19T19:00"),
            ("Plumber", "2026-11-19T10:00"),
            ("Monday review", "2026-11-23T10:00"),
            ("Lunch", "2026-11-20T12:00"),
        ]
    )
]
CONTACT = {"name": "Ann", "address": "ann@example.org"}
CALLS: list[tuple[str, Mapping[str, Any], object]] = [
    ("list_events", {"query": "dinner"}, [*EVENTS, CONTACT]),
    ("update_event", {"event_id": "ev-0", "start": "2026-11-20T19:00"}, "ev-0"),
    (
        "send_email",
        {
            "to": "ann@example.org",
            "subject": "Dinner",
            "body": "Friday at 7 pm; I bring 2 bottles.",
        },
        "sent",
    ),
]
SHAPES = {
    tool: ToolShape(
        tool=tool,
        schema={"type": "object", "properties": {name: {"type": "string"} for name in given}},
    )
    for tool, given, _ in CALLS
}
PARTS = ("standard", "dates", "prompt")
_FAR = 100_000
"""Turns beyond all that are timed."""
MEANINGS = {
    "standard": "all standard checks on the turn",
    "dates": "of those, the dates as said alone",
    "prompt": "the judge's prompt, with its facts",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rounds", type=int, default=300, metavar="N", help="turns of each kind")
    parser.add_argument("--seed", type=int, default=1, help="of the order")


def run(options: argparse.Namespace) -> dict[str, Any]:
    parts = build_parts()
    chance = random.Random(options.seed)
    spent: dict[str, list[float]] = {name: [] for name in parts}
    with progress(options.rounds) as step:
        for number in range(-20, options.rounds):
            for place, name in enumerate(chance.sample(sorted(parts), k=len(parts))):
                took = _time(parts[name], build_attempt(number * len(parts) + place))
                if number >= 0:
                    spent[name].append(took)
            if number >= 0:
                step(f"turn {number}")
    whole, spread = ratio(spent["standard"], spent["prompt"])
    return {
        "n": options.rounds,
        "calls": len(CALLS),
        "us": {name: quartiles(took) for name, took in spent.items()},
        "function_calls": {name: count_calls(part) for name, part in parts.items()},
        "standard_to_prompt": {"ratio": whole, **spread},
        "versions": {"python": platform.python_version(), "mulligan": version("mulligan")},
    }


def build_parts() -> dict[str, Callable[[Attempted], object]]:
    """What is timed, by name."""
    standard = StandardChecks(lambda call: SHAPES.get(call.tool))
    dates = dates_as_said({"update_event": ["start"]})

    def write_prompt(attempt: Attempted) -> object:
        calls = [each.call for each in attempt.executions]
        facts = date_facts(attempt.turn, calls)
        return render(
            ask_about(attempt.turn, executions=attempt.executions, facts=facts, show=lambda v: v)
        )

    return {
        "standard": lambda attempt: list(standard(attempt)),
        "dates": lambda attempt: list(dates(attempt)),
        "prompt": write_prompt,
    }


def build_attempt(number: int) -> Attempted:
    """The turn, said at a moment of its own: nothing that was read of an earlier one helps."""
    now = NOW + timedelta(milliseconds=number)
    executions = tuple(
        Execution(
            call=Call(id=f"call-{i}", tool=tool, arguments=given),
            outcome=Outcome.SUCCESS,
            at=now,
            duration=timedelta(),
            result=result,
        )
        for i, (tool, given, result) in enumerate(CALLS)
    )
    turn = Turn(id=f"turn-{number}", message=MESSAGE, now=now, timezone="UTC")
    acted = frozenset(each.call.id for each in executions[1:])
    return replace(Attempted(turn=turn, executions=executions), acted=acted)


def count_calls(part: Callable[[Attempted], object]) -> int:
    """Python functions that are entered: the same on any machine, however busy it is."""
    part(build_attempt(_FAR))
    entered = 0

    def note(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal entered
        entered += event == "call"

    attempt = build_attempt(_FAR + 1)
    sys.setprofile(note)
    try:
        part(attempt)
    finally:
        sys.setprofile(None)
    return entered


def _time(part: Callable[[Attempted], object], attempt: Attempted) -> float:
    """Of this thread's own time, so that whatever else a machine does counts less."""
    gc.disable()
    started = time.thread_time()
    part(attempt)
    spent = time.thread_time() - started
    gc.enable()
    return digits(spent * 1e6)


def show(result: dict[str, Any]) -> RenderableType:
    rows = [
        (
            MEANINGS[name],
            *(result["us"][name][key] for key in ("q1", "median", "q3")),
            result["function_calls"][name],
        )
        for name in PARTS
    ]
    title = f"a turn of {result['calls']} calls, {result['n']} times"
    return table(title, ["", "q1 µs", "median µs", "q3 µs", "functions entered"], rows)
