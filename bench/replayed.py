"""Runs of an office, live under Mulligan and replayed: what agrees, and what many calls cost."""

from __future__ import annotations

import asyncio
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from mulligan import Effect, Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan.types.events import AttemptReviewed
from mulligan_replay import replay
from mulligan_replay.review import ReviewedTurn
from mulligan_replay.tools import Corrections

NOW = datetime(2031, 5, 5, 9, tzinfo=UTC)
LIVE = 200
"""Runs that are made live, and replayed."""
EVENTS = {"evt_12": "Dinner with Ann", "evt_31": "Board meeting"}
MAIN = "import sys; from mulligan.cli.main import main; sys.exit(main(sys.argv[1:]))"

Steps = Sequence[tuple[str, Mapping[str, Any]]]


class Cost(NamedTuple):
    """Of replaying one file."""

    seconds: float
    peak_mb: float
    said: bytes
    """The report as JSON, then as a page."""


def list_events() -> list[dict[str, str]]:
    """The events of a calendar."""
    return [{"event_id": each, "title": title} for each, title in EVENTS.items()]


def move_event(event_id: str, start: str) -> dict[str, str]:
    """Move an event."""
    if event_id not in EVENTS:
        raise LookupError(f"event_id: {event_id} does not exist")
    return {"event_id": event_id, "start": start}


def get_rate(currency: str) -> dict[str, Any]:
    """A rate; one of them cannot be had."""
    if currency == "CHF":
        return {"status": "error", "message": "Quota exceeded"}
    return {"currency": currency, "rate": 1.1}


TOOLS: Mapping[str, tuple[Callable[..., Any], Effect]] = {
    "list_events": (list_events, Effect.READ),
    "move_event": (move_event, Effect.REVERSIBLE),
    "get_rate": (get_rate, Effect.READ),
}
EFFECTS = {name: effect for name, (_, effect) in TOOLS.items()}


def draw_run(number: int) -> tuple[str, Steps]:
    """A request, and what a model does about it, right or wrong."""
    chance = random.Random(number)
    if chance.random() < 0.3:
        return "What is the rate?", [("get_rate", {"currency": chance.choice(["CHF", "USD"])})]
    event = chance.choice(["evt_12", "evt_12", "evt_31", "evt_99"])
    day = chance.choice(["2031-05-09", "2031-05-09", "2031-05-10"])
    start = f"{day}T{chance.choice([19, 19, 18])}:00"
    moved = ("move_event", {"event_id": event, "start": start})
    return "Move my dinner with Ann to 2031-05-09 at 7 pm.", [("list_events", {}), moved]


def measure_agreement(folder: Path, runs: int = LIVE) -> float:
    """The share of runs in which the same is found live and replayed."""
    path = folder / "live.jsonl"
    live, lines = asyncio.run(_run_live(runs))
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    seen: list[ReviewedTurn] = []
    replay(path, corrections=Corrections(effects=EFFECTS), seen=seen.append)
    replayed = [sorted(f"{each.rule} {each.severity}" for each in one.findings) for one in seen]
    return sum(map(list.__eq__, live, replayed)) / runs


async def _run_live(runs: int) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """What Mulligan finds in each run, and each run written down as it went."""
    found: list[list[str]] = []
    reviewed: list[AttemptReviewed] = []
    lines: list[dict[str, Any]] = []
    async with Mulligan("memory:", checks="standard", attempts=1, recover=False) as m:
        m.subscribe(
            lambda told: reviewed.append(told) if isinstance(told, AttemptReviewed) else None
        )
        undone: dict[str, Any] = {"before": lambda _: None, "undo": lambda _: None}
        tools = {
            name: m.tool(effect=effect, **({} if effect is Effect.READ else undone))(made)
            for name, (made, effect) in TOOLS.items()
        }

        for number in range(runs):
            message, steps = draw_run(number)
            calls: list[dict[str, Any]] = []

            async def agent(_: OpenTurn, steps: Steps = steps, calls: Any = calls) -> str:
                for name, given in steps:
                    call: dict[str, Any] = {"tool": name, "arguments": given}
                    calls.append(call)
                    try:
                        call["result"] = tools[name](**given)
                    except LookupError as error:
                        call["error"] = str(error)
                return "Done."

            with suppress(Exception):  # a rejected turn ends as its caller is told
                await m.act(message, agent, now=NOW, timezone="UTC")
            m.flush()
            found.append(sorted(f"{f.rule} {f.severity}" for each in reviewed for f in each.found))
            reviewed.clear()
            lines.append(_build_line(f"live-{number}", message, calls))
    return found, lines


def _build_line(name: str, message: str, calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    at = NOW.isoformat()
    return {"mulligan": "turn", "id": name, "message": message, "at": at, "calls": list(calls)}


def write_calls(path: Path, calls: int) -> int:
    """A file of so many calls, as they would be made; how many there are."""
    made = 0
    with path.open("w", encoding="utf-8") as file:
        while made < calls:
            message, steps = draw_run(made)
            done = list(_make_calls(steps))
            file.write(f"{json.dumps(_build_line(f'run-{made}', message, done))}\n")
            made += len(done)
    return made


def _make_calls(steps: Steps) -> Iterator[dict[str, Any]]:
    for name, given in steps:
        try:
            yield {"tool": name, "arguments": given, "result": TOOLS[name][0](**given)}
        except LookupError as error:
            yield {"tool": name, "arguments": given, "error": str(error)}


def replay_file(path: Path, report: Path) -> Cost:
    """In a process of its own, as a user would."""
    command = [sys.executable, "-c", MAIN, "replay", str(path), "-o", str(report), "--json"]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    took = round(time.perf_counter() - started, 1)
    return Cost(took, round(peak, 1), done.stdout + report.read_bytes())
