"""openai-agents, with a `Model` of our own."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from agents import Agent, Runner, SQLiteSession, function_tool, set_tracing_disabled
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from bench.hosts.drivers import Conversation, Ran, Step, Tools
from mulligan import Mulligan

CANNOT: dict[str, str] = {}


async def run(
    m: Mulligan | None, tools: Tools, message: str, script: Sequence[Step], **options: Any
) -> Ran:
    """One run of an agent on a message."""
    ran = Ran()
    runner = Runner if m is None else m.for_openai_agents(**options)
    agent = _build_agent(tools, script, ran)
    if options.get("written_calls"):
        agent.model = runner.wrap_model(agent.model)
    return _read_end(await runner.run(agent, message), ran)


async def converse(m: Mulligan, tools: Tools, talk: Conversation) -> list[Ran]:
    """A session of the host's own."""
    session, runner = SQLiteSession("story"), m.for_openai_agents()
    runs: list[Ran] = []
    for message, script in talk:
        ran = Ran()
        ended = await runner.run(_build_agent(tools, script, ran), message, session=session)
        runs.append(_read_end(ended, ran))
    session.close()
    return runs


async def stream(
    m: Mulligan, tools: Tools, message: str, script: Sequence[Step], **options: Any
) -> list[str]:
    """The texts in the events of a streamed run."""
    agent = _build_agent(tools, script, Ran())
    streamed = m.for_openai_agents(**options).run_streamed(agent, message)
    return [
        event.item.raw_item.content[0].text
        async for event in streamed.stream_events()
        if getattr(event, "name", "") == "message_output_created"
    ]


async def go_on(m: Mulligan, tools: Tools, ran: Ran, script: Sequence[Step]) -> Ran:
    """Go on with the state of a run that was interrupted; whoever decided it did so elsewhere."""
    state, later = ran.waits.to_state(), Ran()
    agent = _build_agent(tools, script, later)
    restored = await type(state).from_string(agent, state.to_string())
    return _read_end(await m.for_openai_agents().run(agent, restored), later)


def _build_agent(tools: Tools, script: Sequence[Step], ran: Ran) -> Agent[Any]:
    set_tracing_disabled(True)
    return Agent(
        "planner", model=Scripted(script, ran), tools=[function_tool(each) for each in tools]
    )


class Scripted(Model):  # type: ignore[misc]
    """Does the next step, whatever it is asked."""

    def __init__(self, script: Sequence[Step], ran: Ran) -> None:
        self.steps = list(script)
        self.ran = ran

    async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
        asked = named["input"] if "input" in named else given[1]
        tools = named["tools"] if "tools" in named else given[3]
        self.ran.shown.append(
            "\n".join([*(each.description for each in tools), _read_texts(asked)])
        )
        step = self.steps.pop(0)
        call_id = f"call_{len(self.ran.shown)}_{len(self.steps)}"
        said = _say(step) if isinstance(step, str) else _call(*step, call_id=call_id)
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    async def stream_response(self, *given: Any, **named: Any) -> AsyncIterator[Any]:
        """The same, as the one event that ends a stream."""
        came = await self.get_response(*given, **named)
        response = Response(
            id="response",
            created_at=0,
            model="scripted",
            object="response",
            output=came.output,
            parallel_tool_calls=False,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(
            type="response.completed", response=response, sequence_number=0
        )


def _say(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(
        id="message", type="message", role="assistant", status="completed", content=[content]
    )


def _call(tool: str, arguments: dict[str, Any], *, call_id: str) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        type="function_call", call_id=call_id, name=tool, arguments=json.dumps(arguments)
    )


def _read_texts(asked: Any) -> str:
    items = [{"content": asked}] if isinstance(asked, str) else asked
    return "\n".join(
        str(item.get("content") or item.get("output") or item.get("arguments") or "")
        for item in items
    )


def _read_end(ended: Any, ran: Ran) -> Ran:
    if ended.interruptions:
        ran.waits = ended
    else:
        ran.reply = ended.final_output
    return ran
