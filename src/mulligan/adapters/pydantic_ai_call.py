"""One call of pydantic-ai: as it is made, and what came of it, in the host's own form."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic_ai import ToolReturn

from mulligan.core.adapter import Called
from mulligan.core.runtime.dataclass import dataclass


@dataclass(slots=True)
class ToolsetCall:
    """One call, and what came of it in the host's own form."""

    tool: Any
    arguments: dict[str, object]
    handler: Callable[[dict[str, object]], Awaitable[object]]
    misfit: Misfit | None = None
    came: object = None
    value: object = None

    @property
    def function(self) -> object:
        """What the host calls, where it is one of this process."""
        tool = self.tool
        while hasattr(tool, "source_tool"):
            tool = tool.source_tool
        schema = getattr(getattr(tool, "call_func", None), "__self__", None)
        return getattr(schema, "function", None)

    async def make(self, arguments: Mapping[str, object]) -> object:
        """Make it, with values of the types that the tool takes."""
        given = dict(arguments)
        if self.misfit is not None:
            given = await self.misfit.validate(given)
        self.came = await self.handler(given)
        self.value = self.came.return_value if isinstance(self.came, ToolReturn) else self.came
        return self.value

    def read(self, called: Called) -> object:
        """The host's own result, with what the agent is to know beside it."""
        told = called.join_note()
        if isinstance(self.came, ToolReturn) and called.result is self.value:
            return replace(self.came, return_value=told)
        return told


@dataclass(frozen=True, slots=True)
class Misfit:
    """A call whose arguments the host would not take."""

    given: Mapping[str, object]
    error: Exception
    validate: Callable[[dict[str, object]], Awaitable[dict[str, object]]]

    async def check(self, arguments: Mapping[str, object]) -> None:
        """Raise what the host says of these, or of others in their place."""
        if arguments == self.given:
            raise self.error
        await self.validate(dict(arguments))
