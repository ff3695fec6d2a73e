"""openai-agents: every run through this runner is a turn, with the agents that it is handed to."""

from __future__ import annotations

import asyncio
import copy
import json
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, Self

from agents import FunctionTool, ModelBehaviorError, Runner, RunState, default_tool_error_function
from agents.agent import AgentBase
from agents.tool import maybe_invoke_function_tool_failure_error_function as handle_failure

from mulligan.core.adapter import Answer, Host, HostCall, HostRun
from mulligan.core.errors import ConfigurationError, HeldError, NothingDone, RunningLoopError

EVERYTHING = 1_000_000_000
"""More items than a session has: asked for less, it may keep to a limit of its own."""

_report = logging.getLogger("mulligan")
_unseen: set[str] = set()
"""BroughtTools whose calls the host makes elsewhere, once it was said."""


def build(host: Host) -> ReviewedRunner:
    """A runner: `await m.for_openai_agents().run(agent, "…")`."""
    return ReviewedRunner(host)


class ReviewedRunner:
    """Runs agents as the host's `Runner` does, and takes what that takes."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def run(self, starting_agent: Any, input: Any, **options: Any) -> Any:  # noqa: A002
        """As `Runner.run`: from a message, or a `RunState` that waited for a person."""
        async with ReviewedRun(self._host, starting_agent, input, options) as reviewed:
            while True:
                with reviewed.bring_calls():
                    result = await Runner.run(reviewed.agent, reviewed.input, **reviewed.options)
                if await reviewed.is_over(result):
                    return result

    def run_sync(self, starting_agent: Any, input: Any, **options: Any) -> Any:  # noqa: A002
        """As `Runner.run_sync`, on a thread where no event loop runs."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return self._host.run_sync(partial(self.run, starting_agent, input, **options))
        raise RunningLoopError("An event loop runs on this thread: `await run(…)` instead.")

    def run_streamed(
        self,
        starting_agent: Any,
        input: Any,  # noqa: A002
        *,
        live: bool = False,
        **options: Any,
    ) -> ReviewedStream:
        """As `Runner.run_streamed`; events come once they are reviewed, or `live` at once."""
        reviewed = ReviewedRun(self._host, starting_agent, input, options)
        return ReviewedStream(reviewed, live=live)


class ReviewedStream:
    """A streamed run. What the host's own result has, this has once the events have come."""

    def __init__(self, reviewed: ReviewedRun, *, live: bool) -> None:
        self._reviewed = reviewed
        self._live = live
        self._result: Any = None

    async def stream_events(self) -> AsyncIterator[Any]:
        """The events: of the attempt that stands, or `live` of all of them."""
        async with self._reviewed as reviewed:
            over = False
            while not over:
                with reviewed.bring_calls():
                    self._result = Runner.run_streamed(
                        reviewed.agent, reviewed.input, **reviewed.options
                    )
                kept = []
                async for event in self._result.stream_events():
                    if self._live:
                        yield event
                    else:
                        kept.append(event)
                over = await reviewed.is_over(self._result)
        for event in kept:
            yield event

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self._result is None:
            raise AttributeError(f"{name} is there once `stream_events()` was gone through.")
        return getattr(self._result, name)


class ReviewedRun:
    """One run on its way, with as many attempts as it takes."""

    def __init__(self, host: Host, agent: Any, asked: Any, options: dict[str, Any]) -> None:
        self.agent = agent
        self.input = asked
        self.options = dict(options)
        self._host = host
        self._first = agent, asked, options.get("previous_response_id")
        self._saved = 0
        """How many items the session had before."""
        self._dropped: list[Any] = []
        """What rejected attempts have used."""

    async def __aenter__(self) -> Self:
        session, state = self.options.get("session"), self.input
        resumed = isinstance(state, RunState)
        given = self.options.get("context")
        if resumed and given is None:
            given = getattr(state._context, "context", None)  # noqa: SLF001 - it has no other way
        self.run = self._host.open(
            read_message(self.input), agent=self.agent.name, given=given, thread=self._find_thread()
        )
        self._saved = len(await session.get_items(EVERYTHING)) if session is not None else 0
        if resumed:
            await bring_decisions(state, self.run)
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        await self.run.leave(failed=kind is not None)

    @contextmanager
    def bring_calls(self) -> Iterator[None]:
        """Agents that are started in here make their calls through this run."""
        token = _under_way.set(BroughtTools(self._host, self.run))
        try:
            yield
        finally:
            _under_way.reset(token)

    async def is_over(self, result: Any) -> bool:
        """Review what came of an attempt; where something was wrong, the next one is prepared."""
        if result.interruptions:
            return True
        answer = await self.run.review(result.final_output)
        if answer.feedback:
            await self._go_on(result, answer)
            self._dropped.append(result.context_wrapper.usage)
            return False
        if isinstance(result.final_output, str):
            result.final_output = answer.reply
        for usage in self._dropped:
            result.context_wrapper.usage.add(usage)
        return True

    async def _go_on(self, result: Any, answer: Answer) -> None:
        """What is asked next: the same without the rejected attempt, or only for another reply."""
        told = [{"role": "user", "content": answer.feedback}]
        kept = self.options.get("conversation_id") is not None
        if not answer.undone:
            self.agent = result.last_agent
            if self._is_chained():
                self.options["previous_response_id"] = result.last_response_id
            kept = kept or self._is_chained() or self.options.get("session") is not None
            self.input = told if kept else [*result.to_input_list(), *told]
            return
        self.agent, first, self.options["previous_response_id"] = self._first
        items = [
            each.to_input_item() for each in result.new_items if each.type != "tool_approval_item"
        ]
        await self.run.keep_dropped(json.dumps(items, default=str).encode())
        await self._restore_session()
        if isinstance(first, RunState):
            # What was said before the interruption is in the session since then.
            kept = kept or self.options.get("session") is not None
            first = result.input
        self.input = told if kept else [*list_items(first), *told]

    def _is_chained(self) -> bool:
        """Whether the server knows what was said, as of the response that is named."""
        return self._first[2] is not None or bool(self.options.get("auto_previous_response_id"))

    async def _restore_session(self) -> None:
        session = self.options.get("session")
        if session is not None:
            for _ in range(len(await session.get_items(EVERYTHING)) - self._saved):
                await session.pop_item()

    def _find_thread(self) -> str:
        session = getattr(self.options.get("session"), "session_id", "")
        config = self.options.get("run_config") or {}
        grouped = config.get("group_id") if isinstance(config, dict) else config.group_id
        return str(session or self.options.get("conversation_id") or grouped or "")


@dataclass(frozen=True, slots=True)
class BroughtTools:
    """The tools of all agents of one run, whose calls are brought to it."""

    host: Host
    run: HostRun

    def wrap(self, tool: Any, agent: Any) -> Any:
        """The tool for the host; what an agent does that is called as one is brought by itself."""
        if not isinstance(tool, FunctionTool):
            if tool.name not in _unseen:
                _unseen.add(tool.name)
                _report.warning("%s is no function tool: its calls are not seen here.", tool.name)
            return tool
        if tool._is_agent_tool:  # noqa: SLF001 - nothing public tells
            return tool
        wrapped = copy.copy(tool)
        wrapped.on_invoke_tool = partial(bring_call, tool)
        if self.run.may_hold(tool.name):
            wrapped.needs_approval = partial(ask_approval, tool)
        pitfalls = self.host.describe_pitfalls([tool.name], agent=agent.name)
        if pitfalls:
            wrapped.description = f"{tool.description}\n\n{pitfalls}"
        return wrapped


_under_way: ContextVar[BroughtTools | None] = ContextVar("mulligan_openai_agents", default=None)

_get_all_tools = AgentBase.get_all_tools


@wraps(_get_all_tools)
async def list_tools(agent: Any, run_context: Any) -> list[Any]:
    """As the host lists them before it asks the model, for whichever agent has its turn."""
    tools: list[Any] = await _get_all_tools(agent, run_context)
    under_way = _under_way.get()
    return tools if under_way is None else [under_way.wrap(tool, agent) for tool in tools]


# The one place that all of them go through: those of MCP servers, of agents that are handed over to
# and of agents that are called as tools, which nobody could reach from the first agent.
AgentBase.get_all_tools = list_tools


async def ask_approval(tool: Any, *asked: Any) -> bool:
    """What the host asks before it makes a call: ours, then the tool's own."""
    ctx, arguments, call_id = asked
    under_way = _require_run(tool)
    held = await under_way.run.hold(
        read_call(tool, ctx, given=arguments, call_id=call_id, outputs=[])
    )
    if held is not None and not held.decided:
        return True
    own = tool.needs_approval
    return bool(await own(*asked) if callable(own) else own)


async def bring_call(tool: Any, *asked: Any) -> Any:
    """Bring a call; what is said about it is what the model reads."""
    ctx, arguments = asked
    under_way = _require_run(tool)
    given = read_arguments(arguments)
    if given is None:
        return await tool.on_invoke_tool(ctx, arguments)
    outputs: list[tuple[object, Any]] = []
    call = read_call(tool, ctx, given=given, call_id=ctx.tool_call_id, outputs=outputs)
    try:
        try:
            called = await under_way.run.call(call)
        except HeldError as held:
            if held.decided or not call.approved:
                raise
            # The host let it through without asking us, as after "always": it is asked now.
            called = await under_way.run.call(call)
    except HeldError as held:
        return str(held)
    except Exception as error:  # noqa: BLE001 - it is raised again where the tool's author wants it
        return await tell(error, tool=tool, ctx=ctx, advice=under_way.host.read_advice(error))
    as_made = [output for value, output in outputs if value is called.result]
    return add_note(as_made[0] if as_made and not called.note else called.result, called.note)


async def tell(error: Exception, *, tool: Any, ctx: Any, advice: str) -> str:
    """What the model reads of a failure: the tool's own words for it, and what would help."""
    handles = hasattr(tool.on_invoke_tool, "__agents_bind_function_tool__")
    own = await handle_failure(function_tool=tool, context=ctx, error=error) if handles else None
    if own is None and (handles or not advice):
        raise error
    if not advice:
        return str(own)
    fixed = own is None or own == default_tool_error_function(ctx, error)
    return f"{error if fixed else own}\n\n{advice}"


def read_call(
    tool: Any, ctx: Any, *, given: Mapping[str, Any], call_id: str, outputs: list[Any]
) -> HostCall:
    """A call in no framework's words; its value goes to the outputs, with what it came in."""
    # A copy whose failures are raised: the host's own would make a sentence of them.
    bare = copy.copy(tool)
    bare._failure_error_function, bare._use_default_failure_error_function = None, False  # noqa: SLF001

    async def make(arguments: Mapping[str, object]) -> object:
        try:
            output = await bare.on_invoke_tool(ctx, json.dumps(dict(arguments)))
        except ModelBehaviorError as error:
            raise NothingDone(str(error)) from error
        outputs.clear()
        outputs.append((read_value(output), output))
        return outputs[0][0]

    return HostCall(
        tool=tool.name,
        arguments=given,
        make=make,
        id=call_id,
        approved=ctx.is_tool_approved(tool.name, call_id),
        schema=tool.params_json_schema,
        description=tool.description,
    )


async def bring_decisions(state: Any, run: HostRun) -> None:
    """Tell the journal what was decided in the host, and the host what was decided elsewhere."""
    for item in state.get_interruptions():
        given = read_arguments(item.arguments or "")
        if given is None:
            continue
        said = state._context.is_tool_approved(item.name, item.call_id)  # noqa: SLF001 - see above
        call = HostCall(
            tool=item.name, arguments=given, make=refuse, id=item.call_id, approved=said
        )
        try:
            if await run.is_released(call) and said is None:
                state.approve(item)
        except HeldError as held:
            if held.decided and said is None:
                state.reject(item, rejection_message=str(held))


async def refuse(_: Mapping[str, object]) -> object:
    """Makes no call: it is only asked about."""
    raise NothingDone("It was only asked about.")


def read_arguments(text: str) -> dict[str, Any] | None:
    """Arguments as a model wrote them, by name; `None` where they are not even that."""
    try:
        read = json.loads(text) if text.strip() else {}
    except ValueError:
        return None
    return read if isinstance(read, dict) else None


def read_value(output: Any) -> object:
    """What a tool returned; one of an MCP server, out of the text that it came in."""
    text = output.get("text") if isinstance(output, dict) and output.get("type") == "text" else None
    if not isinstance(text, str):
        return output
    try:
        read = json.loads(text)
    except ValueError:
        return text
    return read if isinstance(read, (dict, list)) else text


def read_message(asked: Any) -> str:
    """What the person said last."""
    if isinstance(asked, RunState):
        asked = asked._original_input  # noqa: SLF001 - it has no other way
    for item in reversed(list_items(asked)):
        if item.get("role") == "user":
            content = item.get("content")
            parts = [{"text": content}] if isinstance(content, str) else content or []
            return "\n".join(str(part["text"]) for part in parts if part.get("text"))
    return ""


def list_items(asked: Any) -> list[Any]:
    """What a run was asked, as items."""
    return [{"role": "user", "content": asked}] if isinstance(asked, str) else list(asked)


def add_note(result: object, note: str) -> object:
    """A result with what its agent is to know beside it."""
    if not note:
        return result
    return f"{result}\n\n{note}" if isinstance(result, str) else {"result": result, "note": note}


def _require_run(tool: Any) -> BroughtTools:
    under_way = _under_way.get()
    if under_way is None:
        raise ConfigurationError(
            f"A call of {tool.name} was begun by a runner of Mulligan. Let it go on there: "
            "`await m.for_openai_agents().run(agent, state)`."
        )
    return under_way
