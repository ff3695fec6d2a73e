"""Tools as a model is offered them: by name, by function, by definition or by schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from mulligan.core.errors import ConfigurationError

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
