"""Whatever can write a text, found by what it is: the one place that knows agents and models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mulligan.hosts import langchain_writer, pydantic_ai_writer
from mulligan.process.user_functions import name_function, takes_arguments
from mulligan.types.adapter import Adapter, AgentWriter
from mulligan.types.errors import ConfigurationError

ADAPTERS: tuple[Adapter, ...] = (langchain_writer, pydantic_ai_writer)
"""Asked in this order: that of pydantic-ai takes whatever has an async `run`."""


def find_agent(source: object) -> AgentWriter | None:
    """A model by its name or as it is, or an agent of a known framework; `None`: it is neither."""
    if isinstance(source, AgentWriter):
        return source
    for adapter in ADAPTERS:
        if adapter.is_agent(source):
            return AgentWriter(adapter.build_writer(source), name=name_writer(source))
    return None


def find_writer(source: object, *, takes: str) -> AgentWriter | Callable[..., Any]:
    """The same, or a function, which `takes` what its loop gives to it."""
    found = None if isinstance(source, type) else find_agent(source)
    if found is not None:
        return found
    if callable(source) and not isinstance(source, type) and takes_arguments(source, 1):
        return source
    raise ConfigurationError(
        f"{describe_source(source)} cannot write. Pass a function that takes {takes}, sync or "
        "async; a pydantic-ai agent or model; a LangChain runnable; or a model's name such as "
        "'openai:gpt-5'."
    )


def describe_source(source: object) -> str:
    """What was given in the place of a writer or a judge."""
    if isinstance(source, type):
        return f"The class {source.__name__}"
    return name_function(source) if callable(source) else type(source).__name__


def name_writer(source: object) -> str:
    """What reports call it: a model's or an agent's name, else that of its class."""
    if isinstance(source, str):
        return source
    for name in ("name", "model_name", "__name__"):
        said = getattr(source, name, None)
        if isinstance(said, str) and said:
            return said
    return type(source).__name__
