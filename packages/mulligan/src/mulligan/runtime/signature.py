"""What a function's signature tells about its arguments: which a framework fills, and what a model
is offered.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from msgspec import Struct, field

from mulligan.codec import read_hints
from mulligan.types.errors import ConfigurationError


class Signature(Struct, frozen=True, kw_only=True):
    """Names for positional arguments, and the parameters whose values are one of a few."""

    positional: tuple[str, ...]
    """As a caller sees them: those that are ours to fill are not among them."""
    positional_only: tuple[str, ...]
    rest: str
    """The name of `*args`."""
    takes_rest: bool
    enums: Mapping[str, frozenset[str]]
    ours: Mapping[str, object] = field(default_factory=dict)
    """Parameters that we fill, each with its default; no caller knows of them."""
    left_out: frozenset[str] = frozenset()
    """Parameters that the framework or Python fills, such as `self`: no part of what was asked."""
    first_of_ours: int | None = None
    """How many positional parameters come before the first of ours; `None`: it has no place."""

    def place(
        self, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> tuple[tuple[object, ...], dict[str, object], str | None]:
        """Put a call by the signature that callers see into that of the function, less what is ours
        to fill; and a parameter of ours that the caller gave a value of its own."""
        brought = [
            name
            for name in self.ours
            if name in kwargs and not _says_nothing(kwargs.pop(name), self.ours[name])
        ]
        first = self.first_of_ours
        if first is None or len(args) <= first:
            return args, kwargs, next(iter(brought), None)
        named = self.positional[first:]
        for name, value in zip(named, args[first:], strict=False):
            if name in kwargs:
                raise TypeError(f"got multiple values for argument {name!r}")
            kwargs[name] = value
        if len(args) > first + len(named):
            brought.append(next(iter(self.ours)))
        return args[:first], kwargs, next(iter(brought), None)

    def bind(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Mapping[str, object]:
        """The arguments by name; defaults that were not passed stay out."""
        if not args and not self.left_out:
            return kwargs
        bound: dict[str, object] = dict(zip(self.positional, args, strict=False))
        if len(args) > len(self.positional):
            bound[self.rest] = args[len(self.positional) :]
        bound.update(kwargs)
        for name in self.left_out:
            bound.pop(name, None)
        return bound

    def find_left_out(
        self, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> dict[str, object]:
        """What a call was given beside what was asked: its object, its framework's context."""
        if not self.left_out:
            return {}
        given = {**dict(zip(self.positional, args, strict=False)), **kwargs}
        return {name: given[name] for name in self.left_out if name in given}

    def unbind(
        self, arguments: Mapping[str, object]
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        """Arguments by name as a call takes them; names that only positions have come first."""
        kwargs = dict(arguments)
        rest = kwargs.pop(self.rest, ()) if self.takes_rest else ()
        extra = tuple(rest) if isinstance(rest, (list, tuple)) else ()
        by_place = self.positional if extra else self.positional_only
        args = tuple(kwargs.pop(name) for name in by_place if name in kwargs)
        return (*args, *extra), kwargs


def read_signature(
    function: Callable[..., object],
    *,
    ours: Collection[str] = (),
    left_out: Collection[str] = (),
) -> Signature:
    """Read a function's parameters; a callable without a signature gets made-up names."""
    parameters = list_parameters(function) or []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]
    defaults = {p.name: p.default for p in parameters}
    return Signature(
        positional=tuple(name for name in names if name not in ours),
        positional_only=tuple(p.name for p in parameters if p.kind is p.POSITIONAL_ONLY),
        rest=rest[0] if rest else "args",
        takes_rest=bool(rest),
        enums=_read_enums(function),
        ours={name: defaults.get(name) for name in ours},
        left_out=frozenset(left_out),
        first_of_ours=next((at for at, name in enumerate(names) if name in ours), None),
    )


def list_parameters(function: Callable[..., object]) -> list[inspect.Parameter] | None:
    """A function's parameters; `None` where it does not say, as some built-ins."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def hide_parameters(
    wrapper: Callable[..., object], function: Callable[..., object], *, names: Collection[str]
) -> None:
    """Take parameters out of what frameworks read of a wrapper, and models are then shown."""
    parameters = list_parameters(function)
    if not names or parameters is None:
        return
    shown = [p for p in parameters if p.name not in names]
    signature = inspect.signature(function).replace(parameters=shown)
    wrapper.__signature__ = signature  # type: ignore[attr-defined]
    said: Mapping[str, object] = getattr(function, "__annotations__", {})
    wrapper.__annotations__ = {name: hint for name, hint in said.items() if name not in names}


def is_object(parameter: inspect.Parameter) -> bool:
    """Whether a first parameter is the object that a method belongs to."""
    placed = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    return placed and parameter.name in ("self", "cls")


def _says_nothing(value: object, default: object) -> bool:
    """Whether a value is what a framework passes of itself, and not a caller's own value."""
    if value is None or value is default or value == "":
        return True
    return type(value) is type(default) and value == default


def _read_enums(function: Callable[..., object]) -> dict[str, frozenset[str]]:
    found = {name: _list_members(hint) for name, hint in read_hints(function).items()}
    return {name: members for name, members in found.items() if members and name != "return"}


def _list_members(hint: object) -> frozenset[str]:
    """The strings a `Literal` or an `Enum` admits, also inside a union."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return frozenset(m.value for m in hint if isinstance(m.value, str))
    if typing.get_origin(hint) is typing.Literal:
        return frozenset(a for a in typing.get_args(hint) if isinstance(a, str))
    parts: list[frozenset[str]] = [_list_members(part) for part in typing.get_args(hint)]
    return frozenset().union(*parts)


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
_NAMES = re.compile(r"[A-Za-z_]\w*")


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


SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")
"""Where the providers' definitions of tools have the schema of the arguments."""

Offered = (
    Mapping[str, Mapping[str, object]] | Iterable[str | Mapping[str, Any] | Callable[..., Any]]
)
"""Tools by their schemas, or each by its name, its function or a provider's definition."""


Schemas = Mapping[str, Mapping[str, object]]
"""Of the arguments of tools, by the tools' names."""


def read_offered(tools: Offered | None, *, declared: Schemas) -> Schemas:
    """The tools that are meant; `None` is all that were declared."""
    if tools is None:
        return declared
    if isinstance(tools, Mapping):
        return tools
    if isinstance(tools, str):
        raise ConfigurationError(f"tools={tools!r} is text; it is a list: tools=[{tools!r}].")
    return dict(_list_schemas(tools, declared))


def _list_schemas(
    tools: Iterable[str | Mapping[str, Any] | Callable[..., Any]], declared: Schemas
) -> Iterator[tuple[str, Mapping[str, object]]]:
    for each in tools:
        if isinstance(each, Mapping):
            yield _read_definition(each)
            continue
        declaration = getattr(each, "mulligan", None)
        name = each if isinstance(each, str) else getattr(declaration, "tool", None)
        if name not in declared:
            raise ConfigurationError(
                f"{each!r} is no tool of this application. Name one that @m.tool declared, pass "
                "the function it made, or a definition with name and parameters."
            )
        yield str(name), declared[str(name)]


def _read_definition(given: Mapping[str, Any]) -> tuple[str, Mapping[str, object]]:
    """A tool as requests to a model define it, also inside `{"type": "function", …}`."""
    inner = given.get("function")
    said = inner if isinstance(inner, Mapping) else given
    schema: Mapping[str, object] = next(
        (said[key] for key in SCHEMA_KEYS if isinstance(said.get(key), Mapping)), {}
    )
    if not isinstance(said.get("name"), str):
        raise ConfigurationError(
            f"A definition of a tool has a name and parameters; {sorted(map(str, given))} has none."
        )
    return said["name"], schema
