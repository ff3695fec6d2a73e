"""Calls of an application's tools in what a model wrote, for models that can only write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from mulligan.core.errors import ConfigurationError
from mulligan.learning.shape.lenient import Meant, read_meant
from mulligan.learning.shape.schema import read_schema
from mulligan.turns.calls.tool import Tool

SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")
"""Where the providers' definitions of tools have the schema of the arguments."""

Offered = (
    Mapping[str, Mapping[str, object]] | Iterable[str | Mapping[str, Any] | Callable[..., Any]]
)
"""Tools by their schemas, or each by its name, its function or a provider's definition."""


def read_calls(written: object, *, tools: Offered | None, declared: Iterable[Tool]) -> list[Meant]:
    """The calls that a model meant; without `tools`, of all that were declared."""
    known = {tool.declaration.tool: tool for tool in declared}
    if tools is None:
        schemas = {name: tool.load_schema() for name, tool in known.items()}
    elif isinstance(tools, Mapping):
        schemas = dict(tools)
    elif isinstance(tools, str):
        raise ConfigurationError(f"tools={tools!r} is text; it is a list: tools=[{tools!r}].")
    else:
        schemas = dict(_list_schemas(tools, known))
    return read_meant(
        written, {name: read_schema(schema, tool=name) for name, schema in schemas.items()}
    )


def _list_schemas(
    tools: Iterable[str | Mapping[str, Any] | Callable[..., Any]], known: Mapping[str, Tool]
) -> Iterator[tuple[str, Mapping[str, object]]]:
    for each in tools:
        if isinstance(each, Mapping):
            yield _read_definition(each)
            continue
        declaration = getattr(each, "mulligan", None)
        name = each if isinstance(each, str) else getattr(declaration, "tool", None)
        if name not in known:
            raise ConfigurationError(
                f"{each!r} is no tool of this application. Name one that @m.tool declared, pass "
                "the function it made, or a definition with name and parameters."
            )
        yield str(name), known[str(name)].load_schema()


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
