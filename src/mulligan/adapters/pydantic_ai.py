"""pydantic-ai: every run of an agent with this capability is a turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_ai import ApprovalRequired, CallDeferred, DeferredToolRequests, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessagesTypeAdapter, ToolCallPart
from pydantic_graph import End

from mulligan.core.adapter import Host, HostCall, HostRun
from mulligan.core.errors import HeldError, NothingDone

CANNOT = {
    "hold_back": (
        "Events are given out step by step, and what the last step said is reviewed after it. Use "
        "`run` or `iter` where the answer must wait."
    )
}


def build(host: Host) -> Reflection:
    """A capability: `Agent(…, capabilities=[m.for_pydantic_ai()])`."""
    return Reflection(host)


class Reflection(AbstractCapability):  # type: ignore[misc]
    """Reviews what a run did before its output is given, and has it go on where that was wrong."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.run: HostRun | None = None
        self.begun = 0
        """How many messages there were before the model's first answer."""
        self.plain: dict[str, Any] = {}
        """Tools as they were before anything was said under their descriptions."""
        self.misfits: dict[str, Misfit] = {}
        """Calls whose arguments the host would not take, by its ids."""

    async def for_run(self, _: Any) -> Reflection:
        """One for each run, with what is its own."""
        return Reflection(self.host)

    async def prepare_tools(self, ctx: Any, tool_defs: list[Any]) -> list[Any]:
        """Say what is known to go wrong, under the descriptions."""
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
            read_message(ctx), agent=read_agent(ctx), given=ctx, thread=thread
        )
        failed = True
        try:
            result = await handler()
            failed = False
        finally:
            await self.run.leave(failed=failed)
        return result

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Note where the first attempt begins."""
        self.begun = self.begun or len(ctx.messages)
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
        """Let a call through whose arguments do not fit: what it fails with can be mended."""
        try:
            return await rest["handler"](args)
        except (ValidationError, ModelRetry) as error:
            given = read_arguments(args)
            if given is None or self.run is None:
                raise
            self.misfits[call.tool_call_id] = Misfit(given, error, validate=rest["handler"])
            return given

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Bring a call; what is said about it reaches the model in the host's own way."""
        if self.run is None:
            return await handler(args)
        try:
            misfit = self.misfits.pop(call.tool_call_id, None)
            make = misfit.fit(handler) if misfit is not None else handler
            plain = self.plain.get(tool_def.name, tool_def)
            called = await self.run.call(
                read_call(ctx, call=call, tool_def=plain, args=args, handler=make)
            )
        except HeldError as held:
            if held.decided or not may_defer(ctx):
                return str(held)
            raise ApprovalRequired({"mulligan": held.action, "why": str(held)}) from None
        except (CallDeferred, ApprovalRequired, ModelRetry):
            raise
        except Exception as error:
            advice = self.host.read_advice(error)
            if not advice or type(error).__module__.startswith("pydantic_ai"):
                raise
            told = f"{error}\n\n{advice}"
            if ctx.last_attempt:
                return told
            raise ModelRetry(told) from error
        return add_note(called.result, called.note)

    async def after_node_run(self, ctx: Any, *, node: Any, result: Any) -> Any:  # noqa: ARG002
        """Review at the end; where something was wrong, the run does not end there."""
        if self.run is None or not isinstance(result, End):
            return result
        if isinstance(result.data.output, DeferredToolRequests):
            return result
        answer = await self.run.review(result.data.output)
        if answer.feedback:
            if answer.undone:
                await self.run.keep_dropped(
                    ModelMessagesTypeAdapter.dump_json(ctx.messages[self.begun :])
                )
                del ctx.messages[self.begun :]
            ctx.enqueue(answer.feedback)
        elif isinstance(result.data.output, str):
            result.data.output = answer.reply
        return result


@dataclass(frozen=True, slots=True)
class Misfit:
    """A call whose arguments the host would not take, so that its tool was not entered."""

    given: Mapping[str, object]
    error: Exception
    validate: Callable[[dict[str, object]], Awaitable[dict[str, object]]]

    def fit(self, handler: Any) -> Any:
        """The tool as it is called with arguments that fit; with those that came it refuses."""

        async def call(arguments: dict[str, object]) -> object:
            if arguments == self.given:
                raise NothingDone(str(self.error)) from self.error
            return await handler(await self.validate(arguments))

        return call


def read_agent(ctx: Any) -> str:
    """The agent's name; empty where it has none."""
    return getattr(ctx.agent, "name", None) or ""


def add_pitfalls(tool_def: Any, host: Host, *, agent: str) -> Any:
    """A tool as its model is shown it, with what is known to go wrong."""
    found = host.describe_pitfalls([tool_def.name], agent=agent)
    said = f"{tool_def.description or ''}\n\n{found}".strip()
    return replace(tool_def, description=said) if found else tool_def


def read_arguments(args: Any) -> dict[str, object] | None:
    """Arguments as a model wrote them, by name; `None` where they are not even that."""
    try:
        read = json.loads(args) if isinstance(args, str) else args
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def read_call(ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> HostCall:
    """A call in no framework's words."""

    async def make(arguments: Mapping[str, object]) -> object:
        return await handler(dict(arguments))

    return HostCall(
        tool=tool_def.name,
        arguments=args,
        make=make,
        id=call.tool_call_id,
        approved=True if ctx.tool_call_approved else None,
        schema=tool_def.parameters_json_schema,
        description=tool_def.description or "",
    )


def may_defer(ctx: Any) -> bool:
    """Whether the agent may end with calls that wait, and whoever runs it knows of that."""
    output_type = getattr(ctx.agent, "output_type", ())
    inside = get_args(output_type) or output_type
    kinds = inside if isinstance(inside, (list, tuple)) else (inside,)
    return DeferredToolRequests in kinds


def read_message(ctx: Any) -> str:
    """What the person said: the prompt of the run, or the last one where a run goes on."""
    if ctx.prompt is not None:
        return _read_content(ctx.prompt)
    for message in reversed(ctx.messages):
        for part in message.parts:
            if part.part_kind == "user-prompt":
                return _read_content(part.content)
    return ""


def add_note(result: object, note: str) -> object:
    """A result with what its agent is to know beside it."""
    if not note:
        return result
    return f"{result}\n\n{note}" if isinstance(result, str) else {"result": result, "note": note}


def _read_content(content: Any) -> str:
    parts = [content] if isinstance(content, str) else content
    return "\n".join(part for part in parts if isinstance(part, str))
