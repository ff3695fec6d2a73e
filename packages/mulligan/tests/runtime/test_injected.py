from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import pytest

from mulligan.runtime.signature import find_injected

if TYPE_CHECKING:
    from somewhere import Deps

T = TypeVar("T")


def from_package(module: str, name: str, *bases: type) -> Any:
    """A class as a framework has it: known by where it comes from and what it is called."""
    return type(name, bases or (object,), {"__module__": module})


class RunContext(Generic[T]):
    __module__ = "pydantic_ai._run_context"


ToolRuntime = from_package("langgraph.prebuilt.tool_node", "ToolRuntime")
InjectedToolArg = from_package("langchain_core.tools.base", "InjectedToolArg")
InjectedState = from_package("langgraph.prebuilt.tool_node", "InjectedState", InjectedToolArg)
RunContextWrapper = from_package("agents.run_context", "RunContextWrapper")
ToolContext = from_package("agents.tool_context", "ToolContext", RunContextWrapper)
Context = from_package("fastmcp.server.context", "Context")
Dependency = from_package("uncalled_for.base", "Dependency")
Stranger = from_package("their.contexts", "RunContext")


def pydantic_ai(ctx: RunContext[int], day: str) -> None: ...
def langchain(day: str, runtime: ToolRuntime) -> None: ...
def noted(day: str, state: Annotated[dict[str, int], InjectedState]) -> None: ...
def noted_with(day: str, state: Annotated[dict[str, int], InjectedState()]) -> None: ...
def openai(wrapper: ToolContext, day: str) -> None: ...
def fastmcp(day: str, ctx: Context | None = None) -> None: ...
def depends(day: str, db: object = Dependency()) -> None: ...
def unresolved(ctx: RunContext[Deps], day: Deps) -> None: ...


class Office:
    def send(self, day: str) -> None: ...


@pytest.mark.parametrize(
    ("tool", "found"),
    [
        (pydantic_ai, {"ctx"}),
        (langchain, {"runtime"}),
        (noted, {"state"}),
        (noted_with, {"state"}),
        (openai, {"wrapper"}),
        (fastmcp, {"ctx"}),
        (depends, {"db"}),
        (unresolved, {"ctx"}),
        (Office.send, {"self"}),
        (Office().send, set()),
        (type, set()),
    ],
)
def test_what_a_known_framework_fills_is_found_by_its_type(
    tool: Callable[..., object], found: set[str]
) -> None:
    assert find_injected(tool) == found


def test_what_only_looks_like_a_frameworks_is_an_argument() -> None:
    def send(ctx: Stranger, contexts: list[Context], context: str) -> None: ...

    assert find_injected(send) == frozenset()
