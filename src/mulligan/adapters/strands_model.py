"""Models of Strands that only write: the calls in their texts become calls of their own."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from mulligan.core.adapter import Host, MeantCall

WHOLE = ("end_turn", "stop_sequence")
"""Reasons to stop after which a text is as it was meant."""


def wrap_model(model: Any, host: Host) -> Any:
    """The model, with what it only writes as calls. All else is as before."""
    wrapped = copy.copy(model)

    def stream(messages: Any, tool_specs: Any = None, *given: Any, **named: Any) -> Any:
        schemas = {each["name"]: _read_schema(each) for each in tool_specs or ()}
        events = model.stream(messages, tool_specs, *given, **named)
        return stream_calls(events, lambda text: host.read_calls(text, schemas))

    wrapped.stream = stream
    return wrapped


async def stream_calls(
    events: AsyncIterable[Any], read: Callable[[str], Sequence[MeantCall]]
) -> AsyncIterator[Any]:
    """The model's own events, and before it stops the calls that it has only written."""
    text, called = "", False
    async for event in events:
        called = called or "toolUse" in event.get("contentBlockStart", {}).get("start", {})
        text += event.get("contentBlockDelta", {}).get("delta", {}).get("text", "")
        stop = event.get("messageStop", {})
        if called or stop.get("stopReason") not in WHOLE:
            yield event
            continue
        calls = read(text)
        for each in (part for call in calls for part in build_events(call)):
            yield each
        yield {"messageStop": {**stop, "stopReason": "tool_use"}} if calls else event


def build_events(call: MeantCall) -> Iterator[dict[str, Any]]:
    """A call as a model streams it."""
    yield {"contentBlockStart": {"start": {"toolUse": {"name": call.tool, "toolUseId": call.id}}}}
    yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(call.arguments)}}}}
    yield {"contentBlockStop": {}}


def _read_schema(spec: Any) -> Any:
    return spec["inputSchema"].get("json", {})
