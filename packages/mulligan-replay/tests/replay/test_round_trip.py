"""The same runs live and replayed: one agent with Mulligan, one without it that is traced."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from mulligan import Effect, Mode, Mulligan
from mulligan.types.call import LogRow
from mulligan.types.events import AttemptReviewed, CallLogged
from mulligan_replay import replay
from mulligan_replay.review import ReviewedTurn
from mulligan_replay.tools import Corrections
from tests.replay.made import encode_otlp, to_otlp_json, write_lines

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("default")]

RUNS = 60
EVENTS = [
    {"event_id": "evt_12", "title": "Dinner with Ann", "start": "2031-05-08T19:00"},
    {"event_id": "evt_31", "title": "Board meeting", "start": "2031-05-12T09:00"},
]
PEOPLE = {"Ann": "ann@harrow.example", "Bob": "bob@harrow.example"}


def list_events() -> list[dict[str, str]]:
    """The events of a calendar."""
    return EVENTS


def find_contact(name: str) -> dict[str, str]:
    """A contact by the name."""
    if name not in PEOPLE:
        raise ModelRetry(f"No contact is called {name}")
    return {"name": name, "email": PEOPLE[name]}


def get_rate(currency: str) -> dict[str, Any]:
    """The rate of a currency."""
    if currency == "CHF":
        return {"status": "error", "message": "Quota exceeded"}
    if currency == "JPY":
        raise ModelRetry("not allowed to read JPY")
    return {"currency": currency, "rate": 1.1}


def move_event(event_id: str, start: str) -> dict[str, str]:
    """Move an event."""
    if event_id not in ("evt_12", "evt_31"):
        raise ModelRetry(f"event_id: {event_id} does not exist")
    return {"event_id": event_id, "start": start}


def update_contact(name: str, email: str) -> str:
    """Change a contact."""
    return f"Error: {email} is taken" if email.startswith("taken") else "updated"


def add_note(text: str) -> dict[str, str]:
    """Add a note."""
    return {"state": "added", "text": text}


READS: list[Callable[..., Any]] = [list_events, find_contact, get_rate]
WRITES: list[Callable[..., Any]] = [move_event, update_contact, add_note]
Script = tuple[str, list[tuple[str, dict[str, Any]]]]


def invent(number: int) -> Script:
    """A request and the calls that a model makes for it, right or wrong."""
    chance = random.Random(number)
    asked, steps = [], []
    for _ in range(chance.randrange(1, 4)):
        match chance.randrange(6):
            case 0:
                asked.append("Move my dinner with Ann to 2031-05-09 at 7 pm.")
                event = chance.choice(["evt_12", "evt_12", "evt_31", "evt_99"])
                day = chance.choice(["2031-05-09", "2031-05-09", "2031-05-10"])
                given = {"event_id": event, "start": f"{day}T{chance.choice([19, 19, 18])}:00"}
                steps += [("list_events", {}), ("move_event", given)]
            case 1:
                asked.append("Bob's address is bob@new.example now.")
                to = chance.choice(["bob@new.example", "bob@nwe.example", "taken@new.example"])
                steps.append(("update_contact", {"name": "Bob", "email": to}))
            case 2:
                asked.append("What is the rate?")
                steps.append(("get_rate", {"currency": chance.choice(["CHF", "JPY", "USD"])}))
            case 3:
                asked.append('Note "call the bank".')
                note = chance.choice(["call the bank", "call the band"])
                steps += [("add_note", {"text": note})] * chance.choice([1, 1, 2])
            case 4:
                asked.append("Who is Cleo?")
                name = chance.choice(["Cleo", "Ann"])
                steps += [("find_contact", {"name": name})] * chance.choice([1, 3])
            case _:
                asked.append("What is on?")
                steps.append(("list_events", {}))
    return " ".join(asked), steps


def follow(script: Script) -> FunctionModel:
    def answer(messages: Any, _: Any) -> ModelResponse:
        done = sum(isinstance(message, ModelResponse) for message in messages)
        if done >= len(script[1]):
            return ModelResponse(parts=[TextPart("Done.")])
        return ModelResponse(parts=[ToolCallPart(*script[1][done], tool_call_id=f"c{done}")])

    return FunctionModel(answer)


async def run(script: Script, instrument: Any = None, **options: Any) -> None:
    agent = Agent(follow(script), name="office", tools=[*READS, *WRITES], retries=9, **options)
    agent.instrument = instrument
    with suppress(Exception):  # a tool's error ends the run, in both
        await agent.run(script[0])


async def run_live(scripts: list[Script]) -> list[tuple[list[str], list[str]]]:
    """What Mulligan found in each run, and what the log says of its calls."""
    options: Any = {"attempts": 1, "timezone": "UTC", "recover": False}
    found: list[tuple[list[str], list[str]]] = []
    async with Mulligan("memory:", checks="standard", **options) as m:
        for tool in READS:
            m.declare(tool.__name__, effect=Effect.READ, mode=Mode.SUGGEST)
        for tool in WRITES:
            m.declare(
                tool.__name__,
                effect=Effect.REVERSIBLE,
                before=lambda _: None,
                undo=lambda _: None,
            )
        reviewed: list[AttemptReviewed] = []
        rows: list[LogRow] = []

        def hear(event: object) -> None:
            if isinstance(event, AttemptReviewed):
                reviewed.append(event)
            elif isinstance(event, CallLogged) and event.row.try_number == 1:
                rows.append(event.row)

        m.subscribe(hear)
        for script in scripts:
            await run(script, capabilities=[m.for_pydantic_ai()])
            m.flush()
            said = sorted(
                f"{each.rule} {each.severity} {each.tool}"
                for event in reviewed
                for each in event.found
            )
            calls = [f"{row.tool} {row.outcome} {row.error_class}" for row in rows]
            found.append((said, calls))
            reviewed.clear()
            rows.clear()
    return found


async def run_traced(scripts: list[Script], folder: Path) -> Path:
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    lines = []
    for script in scripts:
        await run(script, InstrumentationSettings(tracer_provider=provider))
        lines.append(to_otlp_json(encode_otlp(list(kept.get_finished_spans()))))
        kept.clear()
    return write_lines(folder / "traced.jsonl", lines)


def describe(reviewed: ReviewedTurn) -> tuple[list[str], list[str]]:
    tools = {each.execution.call.id: each.traced.tool for each in reviewed.calls}
    said = sorted(
        f"{each.rule} {each.severity} {tools.get(each.call or '', '')}"
        for each in reviewed.findings
    )
    calls = []
    for each in reviewed.calls:
        failure = each.execution.failure
        known = None if failure is None else failure.error_class.value
        calls.append(f"{each.traced.tool} {each.execution.outcome.value} {known}")
    return said, calls


async def test_what_was_found_live_is_found_in_the_trace(tmp_path):
    scripts = [invent(number) for number in range(RUNS)]
    live = await run_live(scripts)
    path = await run_traced(scripts, tmp_path)
    effects = {tool.__name__: Effect.READ for tool in READS}
    effects |= {tool.__name__: Effect.REVERSIBLE for tool in WRITES}

    seen: list[ReviewedTurn] = []
    replay_in_thread(path, Corrections(effects=effects), seen)

    replayed = [describe(each) for each in seen]
    assert len(replayed) == len(live) == RUNS
    findings = sum(one[0] == other[0] for one, other in zip(live, replayed, strict=True))
    calls = sum(one[1] == other[1] for one, other in zip(live, replayed, strict=True))
    differ = [pair for pair in zip(live, replayed, strict=True) if pair[0] != pair[1]]
    assert any(said for said, _ in live)
    assert min(findings, calls) >= 0.99 * RUNS, differ[:3]


def replay_in_thread(path: Path, corrections: Corrections, seen: list[ReviewedTurn]) -> None:
    """It brings an event loop of its own."""
    work = threading.Thread(target=lambda: replay(path, corrections=corrections, seen=seen.append))
    work.start()
    work.join()
