"""Agents and models of pydantic-ai as writers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from typing import Any

from mulligan.types.adapter import Assignment, StepTools, WriteText
from mulligan.types.errors import ConfigurationError, MissingExtraError, OutOfStepsError


def is_agent(source: object) -> bool:
    """Whether it names a model, is one, or has an async `run`, as agents and what wraps them do."""
    return (
        isinstance(source, str)
        or is_model(source)
        or inspect.iscoroutinefunction(getattr(source, "run", None))
    )


def build_writer(source: object) -> WriteText:
    """A writer from an agent, a model, or the name of one."""
    plain = isinstance(source, str) or is_model(source)
    return _build_agent_writer(_build_agent(source) if plain else source)


def _build_agent_writer(agent: Any) -> WriteText:
    """The agent's own tools count as steps; with none left it runs without them."""

    async def write(asked: Assignment) -> str:
        ai = _import_pydantic_ai()
        steps = asked.steps
        usage = ai.RunUsage()
        # What merely has a `run` keeps its tools, as it knows of no other.
        bare = steps == 0 and hasattr(agent, "override")
        with agent.override(tools=[], toolsets=[]) if bare else nullcontext():
            try:
                result = await agent.run(
                    asked.prompt,
                    usage=usage,
                    usage_limits=ai.UsageLimits(tool_calls_limit=steps),
                    **_build_extras(agent, asked.tools),
                )
            except ai.UsageLimitExceeded as error:
                raise OutOfStepsError(
                    f"All {steps} tool steps are used. Answer with what is known by now."
                ) from error
            finally:
                asked.spend(tokens=usage.total_tokens)
        asked.spend(money=_compute_price(result))
        return str(result.output)

    return write


def _build_extras(agent: Any, tools: StepTools) -> dict[str, Any]:
    """Tools beside the agent's own, and a listener that makes every call a step.

    Only for agents of the library itself: what merely has a `run` may not know of either.
    """
    if not isinstance(agent, import_module("pydantic_ai.agent").AbstractAgent):
        return {}
    extras: dict[str, Any] = {"capabilities": [_make_listener(tools)]}
    if tools.functions:
        offered = import_module("pydantic_ai.toolsets").FunctionToolset()
        for name, function in tools.functions.items():
            offered.add_function(function, name=name)
        extras["toolsets"] = [offered]
    return extras


def _make_listener(tools: StepTools) -> Any:
    base: Any = import_module("pydantic_ai.capabilities").AbstractCapability

    class ToolSteps(base):  # type: ignore[misc]
        """Brings each call to the steps of a text."""

        async def wrap_tool_execute(
            self, _: Any, *, call: Any, args: Any, handler: Callable[[Any], Any], **__: Any
        ) -> object:
            arguments = args if isinstance(args, dict) else {"arguments": args}
            return await tools.make(call.tool_name, arguments=arguments, run=lambda: handler(args))

    return ToolSteps()


def _build_agent(model: object) -> Any:
    library = _import_pydantic_ai()
    try:
        return library.Agent(model)
    except Exception as wrong:
        from mulligan.judge import name_provider  # late: only an error needs it

        # Each provider's library has errors of its own. They say which name or key is missing.
        raise ConfigurationError(
            f"The model {model!r} cannot write: {name_provider(model) or wrong}"
        ) from wrong


def is_model(source: object) -> bool:
    """Whether it is a model, told by its classes: the library may not be there."""
    return any(
        kind.__name__ == "Model" and kind.__module__.startswith("pydantic_ai.")
        for kind in type(source).__mro__
    )


def _compute_price(result: Any) -> float:
    """What a run cost in dollars, as far as the price of its model is known."""
    total = 0.0
    for message in result.new_messages():
        try:
            total += float(message.cost().total_price)
        except Exception:  # noqa: BLE001, S112 - a request, or a model without a listed price
            continue
    return total


def _import_pydantic_ai() -> Any:
    try:
        return import_module("pydantic_ai")
    except ModuleNotFoundError as missing:
        raise MissingExtraError(need="A model as a writer", extra="judge") from missing
