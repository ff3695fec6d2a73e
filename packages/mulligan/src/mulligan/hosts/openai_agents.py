"""openai-agents: every run through this runner is a turn, with the agents that it is handed to."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial, wraps
from typing import Any, Self

from agents import (
    FunctionTool,
    ModelBehaviorError,
    Runner,
    RunState,
    ToolOutputFileContent,
    ToolOutputImage,
    ToolOutputText,
    default_tool_error_function,
)
from agents.agent import AgentBase
from agents.tool import maybe_invoke_function_tool_failure_error_function as handle_failure
from msgspec import Struct
from openai.types.responses import ResponseCompletedEvent, ResponseFunctionToolCall
from pydantic import ValidationError

from mulligan.runtime.context import carry, read_context
from mulligan.types.adapter import (
    NOT_MADE,
    Answer,
    Host,
    HostCall,
    HostRun,
    read_arguments,
    read_written,
)
from mulligan.types.errors import ConfigurationError, HeldError, NothingDone, RunningLoopError
from mulligan.types.finding import is_feedback
from mulligan.types.turn import History

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


RICH = (ToolOutputText, ToolOutputImage, ToolOutputFileContent)
"""Parts that a model is shown as they are, such as an image."""

_unseen: set[str] = set()
"""Tools whose calls the host makes elsewhere, once it was said."""


class BroughtTools(Struct, frozen=True):
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
        if tool._is_agent_tool and not self.host.is_declared(tool.name):  # noqa: SLF001 - nothing public tells
            return tool
        wrapped = copy.copy(tool)
        wrapped.on_invoke_tool = partial(bring_call, tool)
        asked = HostCall(
            tool=tool.name, arguments={}, make=refuse, function=_find_inside(tool, "the_func")
        )
        if self.run.may_hold(asked):
            wrapped.needs_approval = partial(ask_approval, tool)
        pitfalls = self.host.describe_pitfalls([tool.name], agent=agent.name)
        if pitfalls:
            wrapped.description = f"{tool.description}\n\n{pitfalls}"
        return wrapped


def bring_calls(host: Host, run: HostRun) -> AbstractContextManager[None]:
    """Agents that are started in here make their calls through this run."""
    return carry(read_context().put(BroughtTools, BroughtTools(host, run)))


_get_all_tools = AgentBase.get_all_tools


@wraps(_get_all_tools)
async def list_tools(agent: Any, run_context: Any) -> list[Any]:
    """As the host lists them before it asks the model, for whichever agent has its turn."""
    tools: list[Any] = await _get_all_tools(agent, run_context)
    under_way = read_context().of(BroughtTools)
    if under_way is None:
        return tools
    read = not under_way.host.options.get("written_calls") or agent.name in _warned
    if not read and not hasattr(agent.model, "makes_written_calls"):
        _warned.add(agent.name)
        _report.warning(
            "Calls that the model of %s writes are not read: `Agent(model=runner.wrap_model(…))`.",
            agent.name,
        )
    return [under_way.wrap(tool, agent) for tool in tools]


# The one place that all of them go through: those of MCP servers, of agents that are handed over to
# and of agents that are called as tools, which cannot be reached from the first agent.
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
        called = await under_way.run.call(call)
    except (HeldError, *NOT_MADE) as told:
        return str(told)
    except Exception as error:  # noqa: BLE001 - it is raised again where the tool's author wants it
        return await tell(error, tool=tool, ctx=ctx, advice=under_way.host.read_advice(error))
    as_made = [output for value, output in outputs if value is called.result]
    parts = as_made[0] if as_made and isinstance(as_made[0], list) else as_made
    if called.note and parts and all(isinstance(part, RICH) for part in parts):
        return [*parts, ToolOutputText(text=called.note)]
    return as_made[0] if as_made and not called.note else called.join_note()


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
        output = await bare.on_invoke_tool(ctx, json.dumps(dict(arguments)))
        outputs.clear()
        outputs.append((read_value(output), output))
        return outputs[0][0]

    return HostCall(
        tool=tool.name,
        arguments=given,
        make=make,
        check=partial(check_arguments, tool),
        id=call_id,
        approved=ctx.is_tool_approved(tool.name, call_id),
        schema=tool.params_json_schema,
        description=tool.description,
        function=_find_inside(tool, "the_func"),
    )


async def check_arguments(tool: Any, arguments: Mapping[str, object]) -> None:
    """Raise what the host says of arguments that the function of a tool does not take.

    It says so with an error that a tool may raise as well, after it has done something.
    """
    model = getattr(_find_inside(tool, "schema"), "params_pydantic_model", None)
    if model is None:
        # Not made of a function: it tells once it is called.
        return
    try:
        model(**json.loads(json.dumps(dict(arguments))))
    except ValidationError as error:
        refused = ModelBehaviorError(f"Invalid JSON input for tool {tool.name}: {error}")
        raise refused from error


def _find_inside(tool: Any, name: str) -> Any:
    """What the host has made a tool of: its function or its schema. Nothing public tells."""
    invoke = getattr(tool.on_invoke_tool, "_invoke_tool_impl", None)
    known = inspect.getclosurevars(invoke).nonlocals if inspect.isfunction(invoke) else {}
    return known.get(name)


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


def read_value(output: Any) -> object:
    """What a tool returned; one of an MCP server, out of the text that it came in."""
    text = output.get("text") if isinstance(output, dict) and output.get("type") == "text" else None
    return read_written(text) if isinstance(text, str) else output


def _require_run(tool: Any) -> BroughtTools:
    under_way = read_context().of(BroughtTools)
    if under_way is None:
        raise ConfigurationError(
            f"A call of {tool.name} was begun by a runner of Mulligan. Let it go on there: "
            "`await m.for_openai_agents().run(agent, state)`."
        )
    return under_way


EVERYTHING = 1_000_000_000
"""More items than a session has: asked for less, it may keep to a limit of its own."""


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
        live: bool | None = None,
        **options: Any,
    ) -> ReviewedStream:
        """As `Runner.run_streamed`; events come once they are reviewed, or `live` at once."""
        if live is None:
            live = not self._host.options.get("hold_back", True)
        reviewed = ReviewedRun(self._host, starting_agent, input, options)
        return ReviewedStream(reviewed, live=live)

    def wrap_model(self, model: Any) -> Any:
        """A model of an agent, for `written_calls`: what it only writes are calls of its own."""
        return wrap_model(model, self._host)


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
                # What an attempt gave is not read before it was reviewed.
                result, self._result = self._result, None
                over = await reviewed.is_over(result)
                self._result = result
        for event in kept:
            yield event

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self._result is None:
            raise AttributeError(f"{name} is there once `stream_events()` was gone through.")
        return getattr(self._result, name)


class ReviewedRun:
    """One run under way, with as many attempts as it takes."""

    def __init__(self, host: Host, agent: Any, asked: Any, options: dict[str, Any]) -> None:
        self.agent = agent
        self.input = asked
        self.options = dict(options)
        self._host = host
        self._first = agent, asked, options.get("previous_response_id")
        self._saved = 0
        """How many items of the session are older than the attempt that is going on."""
        self._dropped: list[Any] = []
        """What rejected attempts have used."""

    async def __aenter__(self) -> Self:
        session, state = self.options.get("session"), self.input
        resumed = isinstance(state, RunState)
        given = self.options.get("context")
        if resumed and given is None:
            given = getattr(state._context, "context", None)  # noqa: SLF001 - it has no other way
        before = list(await session.get_items(EVERYTHING)) if session is not None else []
        for name in () if resumed else ("conversation_id", "previous_response_id"):
            word = await self._host.take_word(self.options.get(name) or "")
            if word:
                self.input = [{"role": "developer", "content": word}, *list_items(self.input)]
        self._first = (self.agent, self.input, self._first[2])
        config = self.options.get("run_config") or {}
        grouped = config.get("group_id") if isinstance(config, dict) else config.group_id
        named = getattr(session, "session_id", "") or self.options.get("conversation_id")
        thread = named or grouped
        self.run = self._host.open(
            read_message(self.input) or (read_message(before) if resumed else ""),
            agent=self.agent.name,
            given=given,
            history=self._read_history(before),
            thread=str(thread or ""),
            kept=self._is_kept(),
        )
        for each in (self.agent, *getattr(self.agent, "handoffs", ())):
            told = getattr(each, "instructions", None)
            self.run.add_instructions(told if isinstance(told, str) else "")
        if not self.agent.mcp_servers:
            self.run.note_tools(len(self.agent.tools))
        # What it made before it waited, such as a call without its output, goes with its attempt.
        self._saved = min(find_asked(before) + 1, len(before)) if resumed else len(before)
        if resumed:
            await bring_decisions(state, self.run)
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        # A session keeps what was said, and may go on after a failure.
        await self.run.leave(failed=kind is not None and not self._is_kept())

    def bring_calls(self) -> AbstractContextManager[None]:
        """Agents that are started in here make their calls through this run."""
        return bring_calls(self._host, self.run)

    async def is_over(self, result: Any) -> bool:
        """Review the result of an attempt; where something was wrong, the next one is prepared."""
        if result.interruptions:
            return True
        answer = await self.run.review(result.final_output)
        if answer.feedback:
            await self._go_on(result, answer)
            self._dropped.append(result.context_wrapper.usage)
            return False
        typed = not isinstance(result.final_output, str)
        fails = answer.unfinished if typed else None
        if answer.undone:
            await self._end_rejected(result, answer.refusal)
        else:
            changed = fails is not None or (not typed and answer.reply != result.final_output)
            await self._end_accepted(result, answer.refusal if changed else "")
        if fails is not None:
            raise fails
        if not typed:
            result.final_output = answer.reply
        for usage in self._dropped:
            result.context_wrapper.usage.add(usage)
        return True

    async def _go_on(self, result: Any, answer: Answer) -> None:
        """What is asked next: the same without the rejected attempt, or only for another reply."""
        kept = self.options.get("conversation_id") is not None
        # What a server keeps for good must not look like the person's words.
        role = "developer" if kept or self._is_chained() else "user"
        told = [{"role": role, "content": answer.feedback}]
        if not answer.undone:
            self.agent = result.last_agent
            if self._is_chained():
                self.options["previous_response_id"] = result.last_response_id
            kept = kept or self._is_chained() or self.options.get("session") is not None
            self.input = told if kept else [*result.to_input_list(), *told]
            return
        self.agent, first, self.options["previous_response_id"] = self._first
        await self._keep_dropped(result)
        await self._put_into_session(lambda _: [])
        if isinstance(first, RunState):
            # What was said before the interruption is in the session since then.
            kept = kept or self.options.get("session") is not None
            first = result.input
        self.input = told if kept else [*list_items(first), *told]

    async def _end_rejected(self, result: Any, told: str) -> None:
        """Have the next run go on from what was asked, and what the person is told."""
        first, said = self._first[1], {"role": "assistant", "content": told}
        resumed = isinstance(first, RunState)
        await self._keep_dropped(result)
        # What a resumed run was asked is older than it.
        await self._put_into_session(lambda _: [*([] if resumed else list_items(first)), said])
        asked = drop_feedback(list_items(result.input)) if resumed else list_items(first)
        result.input, result.new_items = [*asked, said], []
        for thread in self._name_kept(result):
            await self._host.keep_word(thread, told)

    async def _end_accepted(self, result: Any, reply: str) -> None:
        """The same without what we told the agent, and with another reply, if there is one."""
        corrected = bool(self._dropped) or isinstance(self._first[1], RunState)
        if corrected:
            result.input = drop_feedback(list_items(result.input))
        if corrected or reply:
            await self._put_into_session(lambda items: put_reply(drop_feedback(items), reply))

    async def _keep_dropped(self, result: Any) -> None:
        items = list_made(result.new_items)
        await self.run.keep_dropped(json.dumps(items, default=str).encode())

    async def _put_into_session(self, change: Callable[[list[Any]], list[Any]]) -> None:
        """Change what the session has of this run; it takes items only from its end."""
        session = self.options.get("session")
        if session is None:
            return
        items = (await session.get_items(EVERYTHING))[self._saved :]
        changed = change(items)
        if changed == items:
            return
        for _ in items:
            await session.pop_item()
        await session.add_items(changed)

    def _name_kept(self, result: Any) -> list[str]:
        """What a later run names that goes on from what only the server keeps."""
        named = self.options.get("conversation_id")
        last = result.last_response_id if self._is_chained() else None
        return [each for each in (named, last) if each]

    def _read_history(self, before: list[Any]) -> History:
        """The conversation of the session and of the input, and what a run did before it waited."""
        state, since = self.input, []
        if isinstance(state, RunState):
            since = list_made(state._generated_items)  # noqa: SLF001 - as above
        items = [*before, *list_items(_read_input(state))]
        asked = find_asked(items)
        # What a server keeps is only there.
        whole = not (self._is_chained() or self.options.get("conversation_id"))
        return History(items[:asked], since=[*items[asked:], *since], whole=whole)

    def _is_chained(self) -> bool:
        """Whether the server knows what was said, as of the response that is named."""
        return self._first[2] is not None or bool(self.options.get("auto_previous_response_id"))

    def _is_kept(self) -> bool:
        """Whether a later run may go on from what was said, also after a failure."""
        named = ("conversation_id", "previous_response_id", "auto_previous_response_id")
        asked = [self.options.get(name) for name in named]
        return self.options.get("session") is not None or any(asked)


def read_message(asked: Any) -> str:
    """What the person said last, and not what we told the agent since."""
    items = list_items(_read_input(asked))
    return "\n".join(_join_texts(item) for item in items[find_asked(items) :][:1])


def find_asked(items: list[Any]) -> int:
    """Where the person said what a run is about; behind the end where they said nothing."""
    for at in reversed(range(len(items))):
        said = _join_texts(items[at]) if items[at].get("role") == "user" else ""
        if said and not is_feedback(said):
            return at
    return len(items)


def drop_feedback(items: list[Any]) -> list[Any]:
    """The items without what we told the agent, and the replies that were written again."""
    kept: list[Any] = []
    for item in items:
        if item.get("role") == "user" and is_feedback(_join_texts(item)):
            drop_reply(kept)
        else:
            kept.append(item)
    return kept


def put_reply(items: list[Any], text: str) -> list[Any]:
    """The items with what the person is told at the end; as they are where there is no text."""
    if text:
        drop_reply(items)
        items.append({"role": "assistant", "content": text})
    return items


def drop_reply(items: list[Any]) -> None:
    """Take out the reply at the end, and the reasoning that a model does not take without it."""
    if items and items[-1].get("role") == "assistant":
        items.pop()
        while items and items[-1].get("type") == "reasoning":
            items.pop()


def _read_input(asked: Any) -> Any:
    return asked._original_input if isinstance(asked, RunState) else asked  # noqa: SLF001 - it has no other way


def _join_texts(item: Any) -> str:
    content = item.get("content")
    parts = [{"text": content}] if isinstance(content, str) else content or []
    return "\n".join(str(part["text"]) for part in parts if part.get("text"))


def list_made(items: Iterable[Any]) -> list[Any]:
    """What a run has made, as items; a call that awaits approval is none yet."""
    return [each.to_input_item() for each in items if each.type != "tool_approval_item"]


def list_items(asked: Any) -> list[Any]:
    """What a run was asked, as items."""
    return [{"role": "user", "content": asked}] if isinstance(asked, str) else list(asked)
