"""pydantic-ai, with a `FunctionModel`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from bench.hosts.drivers import Conversation, Ran, Step, Tools
from mulligan import Mulligan
from mulligan.hosts.pydantic_ai import CANNOT as LACKS

CANNOT = {"test_a_stream_shows_nothing_that_was_not_reviewed": LACKS["hold_back"]}


async def run(
    m: Mulligan | None, tools: Tools, message: str, script: Sequence[Step], **options: Any
) -> Ran:
    """One run of an agent on a message."""
    ran = Ran()
    ended = await _build_agent(m, tools, script, ran, options).run(message)
    return _read_end(ended, ran)


async def converse(m: Mulligan, tools: Tools, talk: Conversation) -> list[Ran]:
    """Each run is given the messages of those before it."""
    runs: list[Ran] = []
    history: list[Any] = []
    for message, script in talk:
        ran = Ran()
        agent = _build_agent(m, tools, script, ran, {})
        ended = await agent.run(message, message_history=history)
        history = ended.all_messages()
        runs.append(_read_end(ended, ran))
    return runs


stream = run


async def go_on(m: Mulligan, tools: Tools, ran: Ran, script: Sequence[Step]) -> Ran:
    """Go on with the calls that were deferred."""
    asked = ran.waits.output.approvals
    later = Ran()
    ended = await _build_agent(m, tools, script, later, {}).run(
        message_history=ran.waits.all_messages(),
        deferred_tool_results=DeferredToolResults(
            approvals={each.tool_call_id: ToolApproved() for each in asked}
        ),
    )
    return _read_end(ended, later)


def _build_agent(
    m: Mulligan | None, tools: Tools, script: Sequence[Step], ran: Ran, options: dict[str, Any]
) -> Agent[Any, Any]:
    return Agent(
        FunctionModel(_follow(list(script), ran)),
        name="planner",
        tools=list(tools),
        output_type=[str, DeferredToolRequests],
        capabilities=[] if m is None else [m.for_pydantic_ai(**options)],
    )


def _follow(steps: list[Step], ran: Ran) -> Callable[..., ModelResponse]:
    def answer(messages: list[Any], info: Any) -> ModelResponse:
        parts = [part for message in messages for part in message.parts]
        texts = [str(getattr(p, "content", "") or getattr(p, "args", "")) for p in parts]
        tools = [each.description or "" for each in info.function_tools]
        ran.shown.append("\n".join([*tools, *texts]))
        step = steps.pop(0)
        if isinstance(step, str):
            return ModelResponse(parts=[TextPart(step)])
        return ModelResponse(parts=[ToolCallPart(tool_name=step[0], args=step[1])])

    return answer


def _read_end(ended: Any, ran: Ran) -> Ran:
    if isinstance(ended.output, DeferredToolRequests):
        ran.waits = ended
    else:
        ran.reply = ended.output
    return ran
