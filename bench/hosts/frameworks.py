"""Four frameworks, each driven by a model that follows a script. They are imported when used."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Step = tuple[str, dict[str, Any]]
"""A tool, and the arguments that the model writes for it."""

Tools = Sequence[Callable[..., Any]]


@dataclass
class Told:
    """What the model was shown of the tools, and what it was told of its calls."""

    schemas: dict[str, dict[str, Any]] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)


Drive = Callable[[Tools, Sequence[Step]], Awaitable[Told]]
"""Runs an agent of a framework with some tools, whose model makes these calls and then ends."""


async def drive_pydantic_ai(tools: Tools, script: Sequence[Step]) -> Told:
    """pydantic-ai, with a `FunctionModel`."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    told, steps = Told(), list(script)

    def answer(messages: list[Any], info: Any) -> ModelResponse:
        told.schemas = {each.name: each.parameters_json_schema for each in info.function_tools}
        parts = [p for p in messages[-1].parts if p.part_kind in ("tool-return", "retry-prompt")]
        told.answers += [str(part.content) for part in parts]
        if not steps:
            return ModelResponse(parts=[TextPart("Done.")])
        tool, arguments = steps.pop(0)
        return ModelResponse(parts=[ToolCallPart(tool_name=tool, args=arguments)])

    agent: Any = Agent(FunctionModel(answer), tools=list(tools), deps_type=str, retries=3)
    await agent.run("Go on.", deps="a guest")
    return told


async def drive_langchain(tools: Tools, script: Sequence[Step]) -> Told:
    """LangChain's `create_agent`, with a fake chat model."""
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.utils.function_calling import convert_to_openai_tool

    told = Told()

    class Scripted(GenericFakeChatModel):  # type: ignore[misc]
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            shown = [convert_to_openai_tool(each)["function"] for each in tools]
            told.schemas = {each["name"]: each["parameters"] for each in shown}
            return self

    said = [
        AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": str(number)}])
        for number, (tool, arguments) in enumerate(script)
    ]
    agent: Any = create_agent(
        Scripted(messages=iter([*said, AIMessage("Done.")])), tools=list(tools)
    )
    ended = await agent.ainvoke({"messages": [("user", "Go on.")]})
    told.answers = [str(m.content) for m in ended["messages"] if isinstance(m, ToolMessage)]
    return told


async def drive_openai_agents(tools: Tools, script: Sequence[Step]) -> Told:
    """openai-agents, strict as it is by default, with a model of our own."""
    from agents import Agent, Runner, function_tool, set_tracing_disabled
    from agents.items import ModelResponse
    from agents.models.interface import Model
    from agents.usage import Usage
    from openai.types.responses import (
        ResponseFunctionToolCall,
        ResponseOutputMessage,
        ResponseOutputText,
    )

    set_tracing_disabled(True)
    told, steps = Told(), list(script)

    class Scripted(Model):  # type: ignore[misc]
        async def get_response(self, *given: Any, **named: Any) -> ModelResponse:
            shown = named.get("tools") or given[3]
            told.schemas = {each.name: each.params_json_schema for each in shown}
            said: Any = ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed",
                content=[ResponseOutputText(type="output_text", text="Done.", annotations=[])],
            )  # fmt: skip
            if steps:
                tool, arguments = steps.pop(0)
                said = ResponseFunctionToolCall(
                    type="function_call", call_id=f"c{len(steps)}", name=tool,
                    arguments=json.dumps(arguments),
                )  # fmt: skip
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *given: Any, **named: Any) -> Any:
            raise NotImplementedError

    agent: Any = Agent("scripted", model=Scripted(), tools=[function_tool(each) for each in tools])
    ended = await Runner.run(agent, "Go on.", context="a guest")
    made = [each for each in ended.to_input_list() if each.get("type") == "function_call_output"]
    told.answers = [str(each["output"]) for each in made]
    return told


async def drive_fastmcp(tools: Tools, script: Sequence[Step]) -> Told:
    """A FastMCP server in this process, and a client that makes the calls."""
    import fastmcp

    logging.getLogger("fastmcp").setLevel(logging.CRITICAL)  # it prints every error of a tool
    server: Any = fastmcp.FastMCP("scripted")
    for tool in tools:
        server.tool(tool)
    told = Told()
    async with fastmcp.Client(server) as client:
        told.schemas = {each.name: each.input_schema for each in await client.list_tools()}
        for name, arguments in script:
            came = await client.call_tool(name, arguments, raise_on_error=False)
            told.answers.append(" ".join(getattr(part, "text", "") for part in came.content))
    return told


def find_context_type(framework: str) -> Any:
    """What a framework hands to tools that ask for it by its type."""
    if framework == "pydantic-ai":
        from pydantic_ai import RunContext

        return RunContext[str]
    if framework == "langchain":
        from langchain.tools import ToolRuntime

        return ToolRuntime
    if framework == "openai-agents":
        from agents import RunContextWrapper

        return RunContextWrapper[str]
    from fastmcp import Context

    return Context


FRAMEWORKS: dict[str, Drive] = {
    "pydantic-ai": drive_pydantic_ai,
    "langchain": drive_langchain,
    "openai-agents": drive_openai_agents,
    "fastmcp": drive_fastmcp,
}
