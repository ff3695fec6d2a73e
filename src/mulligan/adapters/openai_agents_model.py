"""Models of openai-agents that only write: the calls in their texts become calls of their own."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

from agents import FunctionTool
from openai.types.responses import ResponseCompletedEvent, ResponseFunctionToolCall

from mulligan.core.adapter import Host

PLACES = {"tools": 3, "handoffs": 5}
"""Where the host gives a model what it may call, when it does not say so by name."""

_report = logging.getLogger("mulligan")
_warned: set[str] = set()
"""Agents of which it was said that their models are not wrapped."""


def wrap_model(model: Any, host: Host) -> Any:
    """The model, with what it only writes as calls. All else is as before."""
    wrapped = copy.copy(model)

    async def get_response(*given: Any, **named: Any) -> Any:
        response = await model.get_response(*given, **named)
        response.output = add_calls(response.output, host=host, schemas=read_schemas(given, named))
        return response

    async def stream_response(*given: Any, **named: Any) -> AsyncIterator[Any]:
        schemas = read_schemas(given, named)
        async for event in model.stream_response(*given, **named):
            if isinstance(event, ResponseCompletedEvent):
                event.response.output = add_calls(event.response.output, host=host, schemas=schemas)
            yield event

    wrapped.get_response, wrapped.stream_response = get_response, stream_response
    wrapped.makes_written_calls = True
    return wrapped


def add_calls(output: Sequence[Any], *, host: Host, schemas: dict[str, Any]) -> list[Any]:
    """What a model gave, with the calls that it has only written."""
    if any(each.type != "message" and each.type != "reasoning" for each in output):
        return list(output)
    parts = [part for each in output if each.type == "message" for part in each.content]
    text = "\n".join(part.text for part in parts if part.type == "output_text")
    calls = [
        ResponseFunctionToolCall(
            type="function_call",
            call_id=each.id,
            name=each.tool,
            arguments=json.dumps(each.arguments),
        )
        for each in host.read_calls(text, schemas)
    ]
    return [*output, *calls]


def read_schemas(given: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
    """What a model may call: tools, and agents that it may hand over to."""
    tools, handoffs = (named[name] if name in named else given[at] for name, at in PLACES.items())
    functions = [each for each in tools if isinstance(each, FunctionTool)]
    return {
        **{each.name: each.params_json_schema for each in functions},
        **{each.tool_name: each.input_json_schema for each in handoffs},
    }


def warn_of_unwrapped(agent: Any) -> None:
    """Say once of an agent that what its model writes is not read."""
    if agent.name not in _warned and not hasattr(agent.model, "makes_written_calls"):
        _warned.add(agent.name)
        _report.warning(
            "Calls that the model of %s writes are not read: `Agent(model=runner.wrap_model(…))`.",
            agent.name,
        )
