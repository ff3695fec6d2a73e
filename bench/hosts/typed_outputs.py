"""Typed outputs in every host that hands one out: what a caller has when a run was rejected."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from pydantic import BaseModel

from bench.hosts.counting import StoryCounts
from bench.hosts.drivers import HOSTS, Ran, is_installed
from mulligan import Effect, Mulligan
from mulligan.types.adapter import DurableTurn, describe_turn, name_tools, run_turn
from mulligan.types.errors import UnfinishedRunError


class Out(BaseModel):
    """What every agent here ends with."""

    summary: str


ASKED = "Move dinner to the 20th"
MOVED, MOVED_RIGHT = Out(summary="moved"), Out(summary="moved to the 20th")
WRONG, RIGHT = ("move", {"day": 21}), ("move", {"day": 20})
SEND = ("send", {"to": "ann"})


@dataclass
class World:
    """A day that is moved, and mail that cannot be undone."""

    m: Mulligan
    day: int = 18
    sent: list[str] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    """What was said of each reply that went out."""

    def build_tools(self) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
        """Each by its name, with its declaration."""

        async def move(day: int) -> str:
            """Move dinner."""
            self.day = day
            return f"moved to {day}"

        async def send(to: str) -> str:
            """Send a mail."""
            self.sent.append(to)
            return "sent"

        moves = {
            "effect": Effect.REVERSIBLE,
            "before": lambda _: self.day,
            "read": lambda _: self.day,
            "undo": lambda record: setattr(self, "day", record.snapshot.state),
        }
        return {"move": (move, moves), "send": (send, {"effect": Effect.IRREVERSIBLE})}

    def declare_tools(self) -> list[Callable[..., Any]]:
        """Plain functions for a framework, declared by their names."""
        tools = self.build_tools()
        for name, (_, declared) in tools.items():
            self.m.declare(name, **declared)
        return [function for function, _ in tools.values()]

    def wrap_tools(self) -> dict[str, Callable[..., Any]]:
        """The same, decorated."""
        tools = self.build_tools().items()
        return {name: self.m.tool(**declared)(function) for name, (function, declared) in tools}

    def options(self, **more: Any) -> dict[str, Any]:
        return {"on_answer": self.answers.append, **more}


def is_twentieth(call: Any) -> str | None:
    return None if call.arguments.get("day") == 20 else "It was to be the 20th."


Give = Callable[..., Awaitable[object]]
"""What a caller of a host has in the end as the typed output, whatever way it came."""


def build_act(how: str) -> Give:
    async def give(world: World, script: Sequence[Any], **_: Any) -> object:
        steps, tools = list(script), world.wrap_tools()

        async def plan(_: Any) -> object:
            while not isinstance(step := steps.pop(0), Out):
                await tools[step[0]](**step[1])
            return step

        if how == "sync":
            done = await asyncio.to_thread(world.m.act_sync, ASKED, plan)
        else:
            done = await world.m.act(ASKED, plan)
        world.answers.append(done)
        assert done.output in (MOVED, MOVED_RIGHT)
        return done.reply

    return give


async def give_by_engine(world: World, script: Sequence[Any], **options: Any) -> object:
    """A turn that an engine for durable workflows keeps, which writes down plain values."""
    steps = list(script)
    tools = name_tools(world.declare_tools())
    host = world.m.for_host(lambda host: host, **world.options(**options))

    class Engine:
        async def make_step(self, _: str, step: Any) -> Any:
            return await host.make_step(json.loads(json.dumps(step)), tools=tools)

        async def wait_for_word(self, *_: Any) -> None:
            raise WaitsError

    async def plan(turn: DurableTurn) -> object:
        while not isinstance(step := steps.pop(0), Out):
            await turn.call(step[0], **step[1])
        return step.model_dump()

    about = describe_turn("w1", ASKED, now="2026-11-17T12:00:00+00:00", about={})
    try:
        came = await run_turn(plan, DurableTurn(engine=Engine(), about=about))
    except WaitsError:
        return None
    return None if came["reply"] is None else Out.model_validate(came["reply"])


class WaitsError(Exception):
    """The workflow waits for a person, as long as that takes."""


def build_pydantic_agent(world: World, script: Sequence[Any], options: dict[str, Any]) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.models.function import DeltaToolCall, FunctionModel

    steps = list(script)

    def read_next() -> tuple[str, dict[str, Any]]:
        step = steps.pop(0)
        return ("final_result", step.model_dump()) if isinstance(step, Out) else step

    def answer(*_: Any) -> ModelResponse:
        name, args = read_next()
        return ModelResponse(parts=[ToolCallPart(tool_name=name, args=args)])

    async def stream(*_: Any) -> AsyncIterator[Any]:
        name, args = read_next()
        call = DeltaToolCall(name=name, json_args=json.dumps(args), tool_call_id=f"c{len(steps)}")
        yield {0: call}

    return Agent(
        FunctionModel(answer, stream_function=stream),
        output_type=Out,
        tools=world.declare_tools(),
        capabilities=[world.m.for_pydantic_ai(**world.options(**options))],
    )


async def give_by_pydantic_ai(world: World, script: Sequence[Any], **options: Any) -> object:
    agent = build_pydantic_agent(world, script, options)
    return (await agent.run(ASKED)).output


def build_langchain(how: str) -> Give:
    async def give(world: World, script: Sequence[Any], **options: Any) -> object:
        ended = await invoke_langchain(world, script, how=how, **options)
        return ended["structured_response"]

    return give


async def invoke_langchain(
    world: World, script: Sequence[Any], *, how: str = "tool", saver: Any = None, **options: Any
) -> Any:
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ProviderStrategy, ToolStrategy

    from bench.hosts.drivers.langchain import ScriptedChat

    by = {"tool": ToolStrategy, "provider": ProviderStrategy}[how]

    def say(step: Any) -> Any:
        if not isinstance(step, Out):
            return step
        return ("Out", step.model_dump()) if how == "tool" else step.model_dump_json()

    agent = create_agent(
        ScriptedChat(steps=[say(each) for each in script], ran=Ran()),
        world.declare_tools(),
        response_format=by(Out),
        middleware=[world.m.for_langchain(**world.options(**options))],
        checkpointer=saver,
    )
    asked = {"messages": [("user", ASKED)]}
    return await agent.ainvoke(asked, {"configurable": {"thread_id": "t"}} if saver else None)


def build_openai_agent(world: World, script: Sequence[Any]) -> Any:
    from agents import Agent, function_tool, set_tracing_disabled

    from bench.hosts.drivers.openai_agents import Scripted

    set_tracing_disabled(True)
    steps = [each.model_dump_json() if isinstance(each, Out) else each for each in script]
    tools = [function_tool(each) for each in world.declare_tools()]
    return Agent("planner", model=Scripted(steps, Ran()), tools=tools, output_type=Out)


async def give_by_openai_agents(world: World, script: Sequence[Any], **options: Any) -> object:
    runner = world.m.for_openai_agents(**world.options(**options))
    ended = await runner.run(build_openai_agent(world, script), ASKED)
    return ended.final_output


async def give_by_openai_stream(world: World, script: Sequence[Any], **options: Any) -> object:
    runner = world.m.for_openai_agents(**world.options(**options))
    streamed = runner.run_streamed(build_openai_agent(world, script), ASKED)
    events = [each async for each in streamed.stream_events()]
    assert events
    return streamed.final_output


async def give_by_strands(world: World, script: Sequence[Any], **options: Any) -> object:
    from strands import Agent, tool

    from bench.hosts.drivers.strands import ScriptedModel

    steps = [("Out", each.model_dump()) if isinstance(each, Out) else each for each in script]
    agent = Agent(
        ScriptedModel(steps, Ran()),
        tools=[tool(each) for each in world.declare_tools()],
        hooks=[world.m.for_strands(**world.options(**options))],
        callback_handler=None,
    )
    return (await agent.invoke_async(ASKED, structured_output_model=Out)).structured_output


def build_adk(how: str) -> Give:
    async def give(world: World, script: Sequence[Any], **options: Any) -> object:
        from google.adk.agents import LlmAgent
        from google.genai import types

        from bench.hosts.drivers.google_adk import ScriptedLlm, Talk

        def say(step: Any) -> Any:
            if not isinstance(step, Out):
                return step
            if how == "text":
                return step.model_dump_json()
            return ("set_model_response", step.model_dump())

        agent = LlmAgent(
            name="planner",
            model=ScriptedLlm(steps=[say(each) for each in script]),
            tools=world.declare_tools(),
            output_schema=Out,
            output_key="out",
        )
        talk = Talk(agent, world.m.for_google_adk(**world.options(**options)))
        await talk.say(types.Part(text=ASKED))
        session = await talk.runner.session_service.get_session(
            app_name="planning", user_id="ann", session_id=talk.session
        )
        kept = session.state.get("out")
        return None if kept is None else Out.model_validate(kept)

    return give


async def give_by_claude_agent(world: World, script: Sequence[Any], **options: Any) -> object:
    from claude_agent_sdk import (
        ClaudeAgentOptions,
        ResultMessage,
        create_sdk_mcp_server,
        query,
        tool,
    )

    from mulligan_testing.scripted_claude import ScriptedClaude

    def wrap(function: Callable[..., Any]) -> Any:
        async def answer(arguments: dict[str, Any]) -> dict[str, Any]:
            return {"content": [{"type": "text", "text": await function(**arguments)}]}

        takes = get_type_hints(function)
        takes.pop("return")
        return tool(function.__name__, function.__doc__, takes)(answer)

    def say(step: Any) -> Any:
        if isinstance(step, Out):
            return ("StructuredOutput", step.model_dump())
        return (f"mcp__world__{step[0]}", step[1])

    tools = [wrap(each) for each in world.declare_tools()]
    with tempfile.TemporaryDirectory() as home, ScriptedClaude([*map(say, script)]) as claude:
        asked = ClaudeAgentOptions(
            mcp_servers={"world": create_sdk_mcp_server("world", tools=tools)},
            allowed_tools=["mcp__world__move", "mcp__world__send"],
            tools=[],
            setting_sources=[],
            cwd=home,
            env=claude.build_environment(home),
            stderr=lambda _: None,
            output_format={"type": "json_schema", "schema": Out.model_json_schema()},
            hooks=world.m.for_claude_agent(**world.options(**options)),
        )
        said = [each async for each in query(prompt=ASKED, options=asked)]
    [ended] = [each for each in said if isinstance(each, ResultMessage)]
    return ended.structured_output and Out.model_validate(ended.structured_output)


WAYS: dict[str, Give] = {
    "m.act": build_act("async"),
    "m.act_sync": build_act("sync"),
    "engine": give_by_engine,
    "pydantic-ai": give_by_pydantic_ai,
    "langchain, by a tool": build_langchain("tool"),
    "langchain, by its provider": build_langchain("provider"),
    "openai-agents": give_by_openai_agents,
    "openai-agents, streamed": give_by_openai_stream,
    "strands": give_by_strands,
    "google-adk, as text": build_adk("text"),
    "google-adk, by a tool": build_adk("tool"),
    "claude-agent": give_by_claude_agent,
}


def list_ways() -> list[str]:
    """The ways of what is installed here; the others have environments of their own."""
    missing = {host for host, package in HOSTS.items() if not is_installed(package)}
    return [name for name in WAYS if name.partition(",")[0] not in missing]


async def take(give: Give, world: World, script: Sequence[Any], **options: Any) -> object:
    """What a caller has in the end: an output, or the error that says that there is none."""
    try:
        return await give(world, script, **options)
    except UnfinishedRunError as unfinished:
        return unfinished


async def run_typed_stories(host: str) -> StoryCounts:
    """A run that is rejected to its end, and one that is corrected, in every way of a host."""
    told = StoryCounts()
    for way in list_ways():
        if way.partition(",")[0] != host:
            continue
        for script in ([WRONG, MOVED] * 2, [WRONG, MOVED, RIGHT, MOVED_RIGHT]):
            async with Mulligan("memory:", recover=False) as m:
                m.check("move")(is_twentieth)
                came = await take(WAYS[way], World(m), script)
            if MOVED_RIGHT in script:
                told += StoryCounts(right_rejected=int(came != MOVED_RIGHT))
            else:
                unfinished = came is None or isinstance(came, UnfinishedRunError)
                told += StoryCounts(wrong_passed=int(not unfinished))
    return told
