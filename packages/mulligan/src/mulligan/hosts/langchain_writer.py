"""Runnables of LangChain as writers: chat models, chains, and graphs that act."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from mulligan.types.adapter import Assignment, StepTools, WriteText

_HOMES = ("langchain", "langgraph")


def is_agent(source: object) -> bool:
    """Whether it is a runnable: it has `ainvoke`, and a class of LangChain or LangGraph."""
    if not hasattr(source, "ainvoke"):
        return False
    return any(kind.__module__.startswith(_HOMES) for kind in type(source).__mro__)


def build_writer(source: Any) -> WriteText:
    """A writer that invokes it; the calls of its tools are steps.

    A chat model is given the tools of an assignment. A graph or a chain has those it was built
    with, and where no step is left it cannot be run without them: that try comes to nothing.
    """

    async def write(asked: Assignment) -> str:
        runnable = _add_tools(source, asked.tools)
        # A graph takes a state; whatever else takes the prompt itself.
        is_graph = any(kind.__module__.startswith("langgraph") for kind in type(runnable).__mro__)
        given = {"messages": [("user", asked.prompt)]} if is_graph else asked.prompt
        return read_text(
            await runnable.ainvoke(given, config={"callbacks": [_make_listener(asked)]})
        )

    return write


def read_text(answer: Any) -> str:
    """The text of whatever a runnable answers: text, a message, or a state with messages."""
    if isinstance(answer, Mapping):
        if answer.get("messages"):
            return read_text(answer["messages"][-1])
        named = [answer[name] for name in ("output", "text", "answer") if name in answer]
        return read_text(named[0]) if named else json.dumps(dict(answer), default=str)
    text = getattr(answer, "text", None)
    if isinstance(text, str):
        return str(text)
    return answer if isinstance(answer, str) else str(getattr(answer, "content", answer))


def _add_tools(source: Any, tools: StepTools) -> Any:
    """A chat model with tools is a small agent; everything else has the tools it has."""
    if not tools.functions or not hasattr(source, "bind_tools"):
        return source
    structured = import_module("langchain_core.tools").StructuredTool
    offered = [
        structured.from_function(
            **{"coroutine" if asyncio.iscoroutinefunction(function) else "func": function},
            name=name,
            description=function.__doc__ or name,
        )
        for name, function in tools.functions.items()
    ]
    return import_module("langchain.agents").create_agent(source, tools=offered)


def _make_listener(asked: Assignment) -> Any:
    base: Any = import_module("langchain_core.callbacks").AsyncCallbackHandler

    class CallbackSteps(base):  # type: ignore[misc]
        """Tells each call of a tool as a step, and what the models took."""

        raise_error = True
        """Out of steps, the run ends."""

        def __init__(self) -> None:
            self.going: dict[Any, tuple[str, int]] = {}

        async def on_tool_start(
            self, serialized: Any, input_str: str, *, run_id: Any, **rest: Any
        ) -> None:
            arguments = rest.get("inputs") or {"input": input_str}
            name = (serialized or {}).get("name") or rest.get("name") or "tool"
            self.going[run_id] = (name, asked.tools.begin(name, arguments=arguments))

        async def on_tool_end(self, output: Any, *, run_id: Any, **_: Any) -> None:
            if run_id in self.going:
                name, step = self.going.pop(run_id)
                asked.tools.end(name, step=step, result=getattr(output, "content", output))

        async def on_tool_error(self, error: BaseException, *, run_id: Any, **_: Any) -> None:
            if run_id in self.going:
                name, step = self.going.pop(run_id)
                asked.tools.end(name, step=step, error=type(error).__name__)

        async def on_llm_end(self, response: Any, **_: Any) -> None:
            made = [
                getattr(each, "message", None) for some in response.generations for each in some
            ]
            usages = [getattr(message, "usage_metadata", None) or {} for message in made]
            asked.spend(tokens=sum(usage.get("total_tokens", 0) for usage in usages))

    return CallbackSteps()
