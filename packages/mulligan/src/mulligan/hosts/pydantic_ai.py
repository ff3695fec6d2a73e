"""pydantic-ai: every run of an agent with this capability is a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, NamedTuple

from msgspec import Struct
from pydantic import ValidationError
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    ModelRetry,
    ToolReturn,
)
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.toolsets import WrapperToolset
from pydantic_graph import End

from mulligan.runtime.context import carry_on, read_context
from mulligan.types.adapter import NOT_MADE, Called, Host, HostCall, HostRun, read_arguments
from mulligan.types.errors import HeldError, NothingDone
from mulligan.types.finding import is_feedback
from mulligan.types.turn import History


@dataclass(slots=True)
class ToolsetCall:
    """One call, and its result in the host's own form."""

    tool: Any
    arguments: dict[str, object]
    handler: Callable[[dict[str, object]], Awaitable[object]]
    misfit: Misfit | None = None
    came: object = None
    value: object = None

    @property
    def function(self) -> object:
        """What the host calls, where it is one of this process."""
        tool = self.tool
        while hasattr(tool, "source_tool"):
            tool = tool.source_tool
        schema = getattr(getattr(tool, "call_func", None), "__self__", None)
        return getattr(schema, "function", None)

    async def make(self, arguments: Mapping[str, object]) -> object:
        """Make it, with values of the types that the tool takes."""
        given = dict(arguments)
        if self.misfit is not None:
            given = await self.misfit.validate(given)
        self.came = await self.handler(given)
        self.value = self.came.return_value if isinstance(self.came, ToolReturn) else self.came
        return self.value

    def read(self, called: Called) -> object:
        """The host's own result, with what the agent is to know beside it."""
        told = called.join_note()
        if isinstance(self.came, ToolReturn) and called.result is self.value:
            return replace(self.came, return_value=told)
        return told


class Misfit(Struct, frozen=True):
    """A call whose arguments the host would not take."""

    given: Mapping[str, object]
    error: Exception
    validate: Callable[[dict[str, object]], Awaitable[dict[str, object]]]

    async def check(self, arguments: Mapping[str, object]) -> None:
        """Raise what the host says of these, or of others in their place."""
        if arguments == self.given:
            raise self.error
        await self.validate(dict(arguments))


CANNOT = {
    "hold_back": (
        "Events are given out step by step, and what the last step said is reviewed after it. Use "
        "`run` or `iter` where the answer must wait."
    )
}


class Prepared(NamedTuple):
    """The agent whose run begins, and what that run may end with."""

    agent: Any
    schema: Any


_prepare_output_schema = Agent._prepare_output_schema  # noqa: SLF001 - see below


@wraps(_prepare_output_schema)
def note_output_schema(agent: Any, output_type: Any) -> Any:
    """As the host reads what a run may end with."""
    schema = _prepare_output_schema(agent, output_type)
    carry_on(read_context().put(Prepared, Prepared(agent, schema)))
    return schema


# The one place that knows the output type of a run: a capability is only told that of its agent.
Agent._prepare_output_schema = note_output_schema  # noqa: SLF001


def build(host: Host) -> Reflection:
    """A capability: `Agent(…, capabilities=[m.for_pydantic_ai()])`."""
    return Reflection(host)


class Reflection(AbstractCapability):  # type: ignore[misc]
    """Reviews what a run did before its output is given, and has it go on where that was wrong."""

    def __init__(self, host: Host, *, defers: bool = False) -> None:
        self.host = host
        self.defers = defers
        """The run may end with calls that wait, and whoever runs it knows of that."""
        self.run: HostRun | None = None
        self.begun = 0
        """How many messages there were before the model's first answer."""
        self.plain: dict[str, Any] = {}
        """Tools as they were before anything was said under their descriptions."""
        self.misfits: dict[str, Misfit] = {}
        """Calls whose arguments the host would not take, by its ids."""

    async def for_run(self, ctx: Any) -> Reflection:
        """One for each run, with what is its own."""
        prepared = read_context().of(Prepared) or Prepared(None, None)
        schema = prepared.schema
        if prepared.agent is not ctx.agent:
            schema = getattr(ctx.agent, "_output_schema", None)
        return Reflection(self.host, defers=getattr(schema, "allows_deferred_tools", False))

    async def prepare_tools(self, ctx: Any, tool_defs: list[Any]) -> list[Any]:
        """Say what is known to go wrong, under the descriptions."""
        if self.run is not None:
            self.run.note_tools(len(tool_defs))
        if not self.host.options.get("pitfalls"):
            return tool_defs
        agent, self.plain = read_agent(ctx), {each.name: each for each in tool_defs}
        return await asyncio.to_thread(
            lambda: [add_pitfalls(each, self.host, agent=agent) for each in tool_defs]
        )

    async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
        """The turn, from its beginning to its end."""
        thread = ctx.conversation_id or ""
        self.run = self.host.open(
            read_message(ctx),
            agent=read_agent(ctx),
            given=ctx,
            history=read_history(ctx),
            thread=thread,
        )
        failed = True
        try:
            result = await handler()
            failed = False
        finally:
            await self.run.leave(failed=failed)
        return result

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Note where the first attempt begins, and what the model is told to do."""
        self.begun = self.begun or len(ctx.messages)
        if self.run is not None:
            request = ctx.messages[-1]
            prompts = [each.content for each in request.parts if each.part_kind == "system-prompt"]
            for told in filter(None, [*prompts, getattr(request, "instructions", None)]):
                self.run.add_instructions(told)
        return request_context

    async def after_model_request(self, _: Any, *, request_context: Any, response: Any) -> Any:
        """Make calls of what the model has only written."""
        if response.tool_calls:
            return response
        offered = request_context.model_request_parameters.function_tools
        found = self.host.read_calls(
            response.text or "", {each.name: each.parameters_json_schema for each in offered}
        )
        calls = [ToolCallPart(each.tool, each.arguments, each.id) for each in found]
        return replace(response, parts=[*response.parts, *calls]) if calls else response

    async def wrap_tool_validate(self, _: Any, *, call: Any, args: Any, **rest: Any) -> Any:
        """Let a call through whose arguments do not fit: what it fails with can be repaired."""
        try:
            return await rest["handler"](args)
        except (ValidationError, ModelRetry) as error:
            given = read_arguments(args)
            if given is None or self.run is None:
                raise
            self.misfits[call.tool_call_id] = Misfit(given, error, validate=rest["handler"])
            return given

    def get_wrapper_toolset(self, toolset: Any) -> BroughtToolset:
        """Tools that bring their calls, inside all that changes a call before its tool gets it."""
        return BroughtToolset(toolset, self)

    async def bring(self, ctx: Any, call: ToolsetCall) -> Any:
        """Bring a call; what is said about it reaches the model in the host's own way."""
        if self.run is None:
            return await call.handler(call.arguments)
        misfit = self.misfits.pop(ctx.tool_call_id, None)
        if misfit is not None:
            call = replace(call, misfit=misfit)
        asked = self._read_call(ctx, call)
        try:
            called = await self.run.call(asked)
        except HeldError as held:
            if held.decided or not self.defers:
                return str(held)
            raise ApprovalRequired({"mulligan": held.action, "why": str(held)}) from None
        except NOT_MADE as refused:
            return str(refused)
        except (CallDeferred, ApprovalRequired, ModelRetry):
            raise
        except Exception as error:  # noqa: BLE001 - it is raised again, as the host says it
            return self._tell(ctx, error)
        return call.read(called)

    def _tell(self, ctx: Any, error: Exception) -> str:
        """What the model reads of a failure, where something would help; else it is raised."""
        advice = self.host.read_advice(error)
        refused = error.__cause__ if isinstance(error, NothingDone) else None
        known = isinstance(refused, (ValidationError, ModelRetry))
        if not known and (not advice or type(error).__module__.startswith("pydantic_ai")):
            raise error
        told = f"{error}\n\n{advice}".strip()
        if ctx.last_attempt and advice:
            return told
        raise ModelRetry(told) from error

    def _read_call(self, ctx: Any, call: ToolsetCall) -> HostCall:
        """A call in no framework's words."""
        tool_def = self.plain.get(call.tool.tool_def.name, call.tool.tool_def)
        return HostCall(
            tool=tool_def.name,
            arguments=call.arguments,
            make=call.make,
            check=None if call.misfit is None else call.misfit.check,
            id=ctx.tool_call_id or "",
            approved=True if ctx.tool_call_approved else None,
            schema=tool_def.parameters_json_schema,
            description=tool_def.description or "",
            function=call.function,
        )

    async def wrap_output_process(
        self, ctx: Any, *, output_context: Any, output: Any, handler: Any
    ) -> Any:
        """Bring an output function as the call that it is; the host cannot put it off."""
        if self.run is None or not output_context.has_function or ctx.partial_output:
            return await handler(output)
        called, tool_def = output_context.tool_call, output_context.tool_def
        name = getattr(output_context, "function_name", None) or getattr(tool_def, "name", None)

        async def make(_: Mapping[str, object]) -> object:
            return await handler(output)

        call = HostCall(
            tool=name or "output",
            arguments=read_output(output, called),
            make=make,
            id=called.tool_call_id if called is not None else "",
            once=True,
        )
        try:
            return (await self.run.call(call)).result
        except HeldError as held:
            raise ModelRetry(str(held)) from None

    async def after_node_run(self, ctx: Any, *, node: Any, result: Any) -> Any:
        """Review at the end; where something was wrong, the run does not end there."""
        if self.run is None or not isinstance(result, End):
            return result
        if isinstance(result.data.output, DeferredToolRequests):
            return result
        typed = not isinstance(result.data.output, str)
        # So ends `run_stream`: its reader has the text, and nothing can be said after it.
        streamed = type(node).__name__ == "SetFinalResult"
        if streamed and not typed:
            self.run.deliver(result.data.output)
            return result
        answer = await self.run.review(result.data.output, last=streamed)
        if answer.undone:
            dropped = ModelMessagesTypeAdapter.dump_json(ctx.messages[self.begun :])
            await self.run.keep_dropped(dropped)
            del ctx.messages[self.begun :]
        if answer.feedback:
            ctx.enqueue(answer.feedback)
            return result
        asked = max(0, self.begun - 1)
        ctx.messages[asked:] = drop_feedback(ctx.messages[asked:])
        if answer.undone:
            ctx.messages.append(ModelResponse(parts=[TextPart(answer.refusal)]))
        if not typed:
            put_reply(ctx.messages, answer.reply)
            result.data.output = answer.reply
        elif answer.unfinished is not None:
            raise answer.unfinished
        return result


@dataclass
class BroughtToolset(WrapperToolset):  # type: ignore[misc]
    """The tools of a run, whose calls are brought with the arguments that they are made with."""

    reflection: Reflection

    async def call_tool(self, *asked: Any) -> Any:
        """Bring a call."""
        name, tool_args, ctx, tool = asked

        async def make(arguments: dict[str, object]) -> object:
            return await self.wrapped.call_tool(name, arguments, ctx, tool)

        return await self.reflection.bring(ctx, ToolsetCall(tool, tool_args, make))


def read_agent(ctx: Any) -> str:
    """The agent's name; empty where it has none."""
    return getattr(ctx.agent, "name", None) or ""


def add_pitfalls(tool_def: Any, host: Host, *, agent: str) -> Any:
    """A tool as its model is shown it, with what is known to go wrong."""
    found = host.describe_pitfalls([tool_def.name], agent=agent)
    said = f"{tool_def.description or ''}\n\n{found}".strip()
    return replace(tool_def, description=said) if found else tool_def


def read_output(output: Any, called: Any) -> dict[str, object]:
    """What an output function is given, by name: the host has it without where there is one."""
    if isinstance(output, dict):
        return output
    given = called.args_as_dict() if called is not None else {"output": output}
    return dict.fromkeys(given, output) if len(given) == 1 else given


def drop_feedback(messages: list[Any]) -> list[Any]:
    """The messages without what we told the agent, and the replies that were written again."""
    kept: list[Any] = []
    for message in messages:
        parts = [part for part in message.parts if not _is_ours(part)]
        if len(parts) == len(message.parts):
            kept.append(message)
            continue
        if kept and kept[-1].kind == "response" and not kept[-1].tool_calls:
            kept.pop()
        if parts:
            kept.append(replace(message, parts=parts))
    return kept


def put_reply(messages: list[Any], text: object) -> None:
    """Have the messages say what the person is told: the next run goes on from there."""
    last = messages[-1]
    if last.kind == "response" and not last.tool_calls and last.text != text:
        parts = [part for part in last.parts if part.part_kind != "text"]
        messages[-1] = replace(last, parts=[*parts, TextPart(str(text))])


def _is_ours(part: Any) -> bool:
    if part.part_kind != "user-prompt":
        return False
    said = [part.content] if isinstance(part.content, str) else part.content
    return any(isinstance(each, str) and is_feedback(each) for each in said)


def read_message(ctx: Any) -> str:
    """What the person said: the prompt of the run, or the last one where a run goes on."""
    if ctx.prompt is not None:
        return _read_content(ctx.prompt)
    for message in reversed(ctx.messages):
        for part in message.parts:
            if part.part_kind == "user-prompt" and (said := _read_content(part.content)):
                return said
    return ""


def read_history(ctx: Any) -> History:
    """The conversation before the prompt, or around the last one where a run goes on."""
    messages = list(ctx.messages)
    if ctx.prompt is not None:
        return History(messages)
    kinds = [{part.part_kind for part in message.parts} for message in messages]
    asked = max((at for at, kind in enumerate(kinds) if "user-prompt" in kind), default=0)
    return History(messages[:asked], since=messages[asked:])


def _read_content(content: Any) -> str:
    parts = [content] if isinstance(content, str) else content
    return "\n".join(part for part in parts if isinstance(part, str) and not is_feedback(part))
