"""Agents and models of pydantic-ai as writers; any async callable is one already."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from importlib import import_module
from typing import Any, cast

from mulligan.core.adapter import Assignment, WriteText
from mulligan.core.errors import ConfigurationError, MissingExtraError, OutOfStepsError


def is_agent(source: object) -> bool:
    """Whether it has an async `run`, as agents of pydantic-ai and what wraps them do."""
    return inspect.iscoroutinefunction(getattr(source, "run", None))


def build_writer(source: object) -> WriteText:
    """A writer from an async callable, a pydantic-ai agent, or the name of a model."""
    if isinstance(source, str):
        return _build_agent_writer(_build_agent(source))
    if is_agent(source):
        return _build_agent_writer(source)
    if callable(source):
        return cast("WriteText", source)
    raise ConfigurationError(
        f"{type(source).__name__} cannot write drafts. Pass an async function of a brief, "
        "a pydantic-ai agent, or a model's name such as 'openai:gpt-5'."
    )


def _build_agent_writer(agent: Any) -> WriteText:
    """The agent's own tools count as steps; with none left it runs without them."""

    async def write(asked: Assignment) -> str:
        ai = _import_pydantic_ai()
        steps = asked.steps
        usage = ai.RunUsage()
        with nullcontext() if steps else agent.override(tools=[], toolsets=[]):
            try:
                result = await agent.run(
                    asked.prompt,
                    usage=usage,
                    usage_limits=ai.UsageLimits(tool_calls_limit=steps),
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


def build_asker(model: str) -> Callable[[str], Awaitable[tuple[str, int]]]:
    """Asks the model of that name with a prompt; what it answers, and the tokens that took."""
    agent = _build_agent(model)

    async def ask(prompt: str) -> tuple[str, int]:
        usage = _import_pydantic_ai().RunUsage()
        result = await agent.run(prompt, usage=usage)
        return str(result.output), usage.total_tokens

    return ask


def _build_agent(model: str) -> Any:
    library = _import_pydantic_ai()
    try:
        return library.Agent(model)
    except Exception as wrong:
        # Each provider's library has errors of its own. They say which name or key is missing.
        raise ConfigurationError(f"The model {model!r} cannot write: {wrong}") from wrong


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
        raise MissingExtraError(need="A model as a writer of drafts", extra="judge") from missing
