"""Calls of openai-agents: the tools of a run, brought to it in the place of the host's own."""

from __future__ import annotations

import copy
import inspect
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any

from agents import (
    FunctionTool,
    ModelBehaviorError,
    ToolOutputFileContent,
    ToolOutputImage,
    ToolOutputText,
    default_tool_error_function,
)
from agents.agent import AgentBase
from agents.tool import maybe_invoke_function_tool_failure_error_function as handle_failure
from pydantic import ValidationError

from mulligan.adapters.openai_agents_model import warn_of_unwrapped
from mulligan.core.adapter import NOT_MADE, Host, HostCall, HostRun
from mulligan.core.errors import ConfigurationError, HeldError, NothingDone
from mulligan.core.runtime.dataclass import dataclass

RICH = (ToolOutputText, ToolOutputImage, ToolOutputFileContent)

_report = logging.getLogger("mulligan")
_unseen: set[str] = set()
"""Tools whose calls the host makes elsewhere, once it was said."""


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


_under_way: ContextVar[BroughtTools | None] = ContextVar("mulligan_openai_agents", default=None)


@contextmanager
def bring_calls(host: Host, run: HostRun) -> Iterator[None]:
    """Agents that are started in here make their calls through this run."""
    token = _under_way.set(BroughtTools(host, run))
    try:
        yield
    finally:
        _under_way.reset(token)


_get_all_tools = AgentBase.get_all_tools


@wraps(_get_all_tools)
async def list_tools(agent: Any, run_context: Any) -> list[Any]:
    """As the host lists them before it asks the model, for whichever agent has its turn."""
    tools: list[Any] = await _get_all_tools(agent, run_context)
    under_way = _under_way.get()
    if under_way is None:
        return tools
    if under_way.host.options.get("written_calls"):
        warn_of_unwrapped(agent)
    return [under_way.wrap(tool, agent) for tool in tools]


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
        called = await under_way.run.call(call)
    except (HeldError, *NOT_MADE) as told:
        return str(told)
    except Exception as error:  # noqa: BLE001 - it is raised again where the tool's author wants it
        return await tell(error, tool=tool, ctx=ctx, advice=under_way.host.read_advice(error))
    as_made = [output for value, output in outputs if value is called.result]
    if as_made and called.note and is_rich(as_made[0]):
        parts = as_made[0] if isinstance(as_made[0], list) else as_made
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


def is_rich(output: Any) -> bool:
    """Whether an output is of parts that a model is shown as they are, such as an image."""
    parts = output if isinstance(output, list) else [output]
    return bool(parts) and all(isinstance(part, RICH) for part in parts)


def _require_run(tool: Any) -> BroughtTools:
    under_way = _under_way.get()
    if under_way is None:
        raise ConfigurationError(
            f"A call of {tool.name} was begun by a runner of Mulligan. Let it go on there: "
            "`await m.for_openai_agents().run(agent, state)`."
        )
    return under_way
