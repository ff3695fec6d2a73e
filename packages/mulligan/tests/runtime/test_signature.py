"""What a call was given, by name: less what is ours and what a framework fills."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

import pytest

from mulligan.runtime.signature import find_injected, hide_parameters, read_signature


class Colour(Enum):
    RED = "r"


def find(where: str, /, limit: int = 10, *more: str, day: str = "") -> None: ...


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [(("here",), {"limit": 3}), (("here", 3, "a"), {"day": "Friday"}), (("here",), {})],
)
def test_what_was_bound_can_be_called_again(
    args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    signature = read_signature(find)

    again = signature.unbind(signature.bind(args, kwargs))

    assert signature.bind(*again) == signature.bind(args, kwargs)


def test_a_methods_object_is_no_argument() -> None:
    class Finder:
        def find(self, where: str) -> None: ...

    finder, signature = Finder(), read_signature(Finder.find, left_out=["self"])

    assert signature.bind((finder, "here"), {}) == {"where": "here"}
    assert signature.find_left_out((finder, "here"), {}) == {"self": finder}


def book(people: int, key: str = "", when: str = "noon") -> None: ...


@pytest.mark.parametrize(
    ("args", "kwargs", "placed"),
    [
        ((4,), {}, ((4,), {}, None)),
        # By the signature that callers see, the second place is `when`.
        ((4, "one"), {}, ((4,), {"when": "one"}, None)),
        ((4,), {"key": ""}, ((4,), {}, None)),
        ((4,), {"key": None, "when": "one"}, ((4,), {"when": "one"}, None)),
        ((4,), {"key": "mine"}, ((4,), {}, "key")),
        ((4, "one", "mine"), {}, ((4,), {"when": "one"}, "key")),
    ],
)
def test_what_is_ours_is_taken_out_of_a_call_and_a_callers_own_value_is_told(
    args: tuple[object, ...], kwargs: dict[str, object], placed: object
) -> None:
    assert read_signature(book, ours=["key"]).place(args, kwargs) == placed


def test_one_parameter_given_twice_is_refused_as_python_does() -> None:
    with pytest.raises(TypeError, match="multiple values for argument 'when'"):
        read_signature(book, ours=["key"]).place((4, "one"), {"when": "two"})


def test_frameworks_see_no_parameter_that_is_hidden() -> None:
    def wrapper(*args: object, **kwargs: object) -> None: ...

    hide_parameters(wrapper, book, names=["key"])

    assert list(inspect.signature(wrapper).parameters) == ["people", "when"]
    assert set(wrapper.__annotations__) == {"people", "when", "return"}


def test_parameters_with_few_values_are_known_by_them() -> None:
    def paint(colour: Colour, how: Literal["wet", "dry"] | None, where: str) -> None: ...

    paint.__annotations__ = {"colour": Colour, "how": Literal["wet", "dry"] | None, "where": str}

    assert read_signature(paint).enums == {
        "colour": frozenset({"r"}),
        "how": frozenset({"wet", "dry"}),
    }


def test_a_builtin_without_a_signature_has_made_up_names() -> None:
    assert read_signature(type).bind((1, 2), {}) == {"args": (1, 2)}


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
