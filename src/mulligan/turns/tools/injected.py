"""Parameters that a framework fills, known by their types without importing any framework."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator

from mulligan.core.runtime.late_pattern import compile_late
from mulligan.turns.tools.signature import is_object, list_parameters

_INJECTED = frozenset(
    {
        ("pydantic_ai", "RunContext"),
        ("langgraph", "ToolRuntime"),
        ("langchain", "ToolRuntime"),
        ("langchain_core", "InjectedToolArg"),  # and with it InjectedState, InjectedToolCallId, …
        ("langchain_core", "RunnableConfig"),
        ("langchain_core", "BaseCallbackManager"),
        ("agents", "RunContextWrapper"),  # and with it ToolContext
        ("fastmcp", "Context"),
        ("mcp", "Context"),
        ("uncalled_for", "Dependency"),  # FastMCP's Depends(…), as a default
        ("google", "ToolContext"),
        ("strands", "ToolContext"),
        ("llama_index", "Context"),
        ("workflows", "Context"),
    }
)
"""The package and the class by which known frameworks hand a tool what no model is to see."""

_ALTERNATIVES = (typing.Union, types.UnionType, typing.Annotated)
_NAMES = compile_late(r"[A-Za-z_]\w*")


def find_injected(function: Callable[..., object]) -> frozenset[str]:
    """The parameters that a known framework fills, and the object that a method belongs to."""
    parameters = list_parameters(function) or []
    hints = _read_full_hints(function)
    found = {p.name for p in parameters if _is_injected(p, hints.get(p.name, p.annotation))}
    return frozenset(found | {p.name for p in parameters[:1] if is_object(p)})


def _read_full_hints(function: Callable[..., object]) -> dict[str, object]:
    """Annotations with all that is noted in them; of each that cannot be resolved, its names."""
    try:
        return typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError, AttributeError, ValueError):
        known = getattr(inspect.unwrap(function), "__globals__", {})
        said = getattr(function, "__annotations__", {})
        return {
            name: tuple(known[word] for word in _NAMES.findall(hint) if word in known)
            if isinstance(hint, str)
            else hint
            for name, hint in said.items()
        }


def _is_injected(parameter: inspect.Parameter, hint: object) -> bool:
    kinds = [*_list_classes(hint), type(parameter.default)]
    return any(
        (kind.__module__.partition(".")[0], kind.__name__) in _INJECTED
        for each in kinds
        for kind in each.__mro__
    )


def _list_classes(hint: object) -> Iterator[type]:
    """The classes that a value may have by its annotation, and those of the notes on it."""
    origin = typing.get_origin(hint)
    if isinstance(hint, tuple) or origin in _ALTERNATIVES:
        for part in hint if isinstance(hint, tuple) else typing.get_args(hint):
            yield from _list_classes(part)
        yield from map(type, getattr(hint, "__metadata__", ()))
    elif isinstance(origin or hint, type):
        yield typing.cast("type", origin or hint)
