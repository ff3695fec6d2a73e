"""Requests with two phrases about time, as we wrote them, with right runs and wrong ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mulligan.checks.dates import dates_as_said
from mulligan.loops.actions import Attempted
from mulligan.types.call import Call, Execution, Outcome
from mulligan.types.turn import Turn

NOW = datetime(2026, 11, 18, 10, tzinfo=UTC)
"""A Wednesday."""
TOOLS = {
    "make": ("create_event", ("start",)),
    "due": ("create_task", ("due_date",)),
    "move": ("update_event", ("start",)),
    "drop": ("delete_event", ()),
    "look": ("list_events", ("start", "end")),
}
READS = frozenset({"list_events"})

Request = Mapping[str, Any]


def read_requests() -> list[Request]:
    """Every request; `part` says whether it was kept apart while rules were made."""
    return read_lines("two_phrases")


def read_lines(name: str) -> list[Request]:
    """The lines of one of the files beside this."""
    told = Path(__file__).with_name(f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in told.splitlines()]


def count_caught(requests: list[Request]) -> dict[str, int]:
    """Right runs that are flagged, and wrong runs that are."""
    wrong = [(each, run) for each in requests for run in each["wrong"]]
    return {
        "n": len(requests),
        "wrong_runs": len(wrong),
        "caught": sum(is_flagged(each, run) for each, run in wrong),
        "false_alarms": sum(is_flagged(each, each["right"]) for each in requests),
    }


def is_flagged(request: Request, run: list[Mapping[str, Any]]) -> bool:
    """Whether the check objects to any call of a run."""
    return any(True for _ in dates_as_said()(as_attempt(request, run)))


def as_attempt(request: Request, run: list[Mapping[str, Any]]) -> Attempted:
    """A run after a look at the calendar, as the layer sees it."""
    executions = tuple(_list_executions(request, run))
    return Attempted(
        turn=Turn(id="turn", message=request["said"], now=NOW, timezone="UTC"),
        executions=executions,
        acted=frozenset(e.call.id for e in executions if e.call.tool not in READS),
    )


def _list_executions(request: Request, run: list[Mapping[str, Any]]) -> Iterator[Execution]:
    held = [
        {"id": f"ev-{number}", "title": title, "start": start}
        for number, (title, start) in enumerate(request["has"].items(), start=41)
    ]
    ids = {each["title"]: each["id"] for each in held}
    yield _execute(Call(id="look", tool="list_events"), held)
    for number, made in enumerate(run):
        tool, names = TOOLS[made["do"]]
        named = {"event_id": ids[made["title"]]} if made["do"] in ("move", "drop") else {}
        titled = {"title": made["title"]} if made["do"] in ("make", "due") else {}
        dates = dict(zip(names, made.get("dates", ()), strict=True))
        yield _execute(Call(id=f"call-{number}", tool=tool, arguments={**named, **titled, **dates}))


def _execute(call: Call, result: object = None) -> Execution:
    return Execution(
        call=call, outcome=Outcome.SUCCESS, at=NOW, duration=timedelta(), result=result
    )
