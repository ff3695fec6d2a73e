"""Makes the trace that ships with the package: `python -m tests.replay.example > example.jsonl`.

pydantic-ai runs an agent of an invented office, and OpenTelemetry writes its spans down. The model
follows a script, with the mistakes that real ones make.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from tests.replay.made import encode_otlp, to_otlp_json

Step = tuple[str, dict[str, Any]]
EVENTS = [
    {"event_id": "evt_12", "title": "Dinner with Ann", "start": "2026-11-19T19:00"},
    {"event_id": "evt_31", "title": "Board", "start": "2026-11-23T09:00"},
]
ORDERS = {"#77": "open", "#81": "open", "#90": "sent"}


def list_events(day: str = "") -> list[dict[str, str]]:
    """The events of a calendar."""
    return EVENTS


def move_event(event_id: str, start: str) -> dict[str, str]:
    """Move an event to another time."""
    return {"event_id": event_id, "start": start}


def find_order(order_id: str) -> dict[str, str]:
    """Find an order."""
    if not order_id.startswith("#"):
        raise ModelRetry("order_id must begin with #")
    return {"order_id": order_id, "state": ORDERS[order_id]}


def cancel_order(order_id: str) -> dict[str, str]:
    """Cancel an order."""
    return {"order_id": order_id, "state": "cancelled"}


def get_exchange_rate(currency: str) -> dict[str, Any]:
    """The rate of a currency."""
    return {"status": "error", "message": "Quota exceeded for this key", "data": None}


def search_notes(text: str) -> list[str]:
    """Search the notes of the office."""
    return []


def send_email(to: str, subject: str, body: str) -> dict[str, str]:
    """Send a mail."""
    return {"state": "sent"}


TOOLS = [
    list_events, move_event, find_order, cancel_order, get_exchange_rate, search_notes, send_email,
]  # fmt: skip
RUNS: list[tuple[str, list[Step], str]] = [
    (
        "Move my dinner with Ann to Friday, same time.",
        [
            ("list_events", {}),
            ("move_event", {"event_id": "evt_12", "start": "2026-11-21T19:00"}),
        ],
        "Dinner with Ann is on Friday at 7 pm.",
    ),
    (
        "Cancel my order 77, please.",
        [
            ("find_order", {"order_id": "77"}),
            ("find_order", {"order_id": "#77"}),
            ("cancel_order", {"order_id": "#77"}),
        ],
        "Order #77 is cancelled.",
    ),
    (
        "And order 81 as well.",
        [
            ("find_order", {"order_id": "81"}),
            ("find_order", {"order_id": "#81"}),
            ("cancel_order", {"order_id": "#81"}),
        ],
        "Order #81 is cancelled.",
    ),
    (
        "Where is order 90?",
        [("find_order", {"order_id": "90"}), ("find_order", {"order_id": "#90"})],
        "It was sent.",
    ),
    (
        "What is 100 Swiss francs in euros?",
        [("get_exchange_rate", {"currency": "CHF"})],
        "About 104 euros.",
    ),
    (
        "What did we agree with Harrow about the lease?",
        [("search_notes", {"text": "Harrow lease"})] * 3,
        "I found nothing.",
    ),
    (
        "Mail bob@harrow.example that the contract is signed.",
        [
            (
                "send_email",
                {"to": "bob@harow.example", "subject": "Contract", "body": "It is signed."},
            )
        ],
        "Bob knows.",
    ),
]


def run_all() -> list[Any]:
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    batches = []
    for asked, steps, reply in RUNS:

        def answer(messages: Any, _: Any, steps: Any = steps, reply: str = reply) -> ModelResponse:
            done = sum(isinstance(message, ModelResponse) for message in messages)
            if done == len(steps):
                return ModelResponse(parts=[TextPart(reply)])
            return ModelResponse(parts=[ToolCallPart(*steps[done], tool_call_id=f"call_{done}")])

        agent = Agent(FunctionModel(answer), name="office", tools=TOOLS)
        agent.instrument = InstrumentationSettings(tracer_provider=provider)
        asyncio.run(agent.run(asked))
        batches.append(encode_otlp(list(kept.get_finished_spans())))
        kept.clear()
    return batches


_KEPT = ("gen_ai.", "pydantic_ai.all_messages", "agent_name", "exception.message", "exception.type")


def trim(value: Any) -> Any:
    """Without what tells of the machine that made it."""
    if isinstance(value, list):
        return [trim(each) for each in value]
    if isinstance(value, dict):
        held = {
            name: trim(each) for name, each in value.items() if name not in ("resource", "scope")
        }
        if "attributes" in held:
            held["attributes"] = [
                each for each in held["attributes"] if each["key"].startswith(_KEPT)
            ]
        return held
    return value


if __name__ == "__main__":
    for batch in run_all():
        sys.stdout.write(json.dumps(trim(to_otlp_json(batch)), separators=(",", ":")) + "\n")
