"""LangChain's `create_agent`, with a chat model that follows a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from bench.hosts.drivers import Conversation, Ran, Step, Tools
from mulligan import Mulligan
from mulligan.hosts.langchain import CANNOT as LACKS

CANNOT = {"test_a_stream_shows_nothing_that_was_not_reviewed": LACKS["hold_back"]}


class ScriptedChat(BaseChatModel):  # type: ignore[misc]
    """Answers in turn, and notes what it was shown."""

    steps: list[Any]
    """A step, or several calls at once."""
    ran: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:  # noqa: ARG002
        """It knows its script, and no tools."""
        return self

    def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
        texts = [str(each.content or getattr(each, "tool_calls", "")) for each in messages]
        self.ran.shown.append("\n".join(texts))
        step = self.steps.pop(0)
        return ChatResult(generations=[ChatGeneration(message=build_message(step))])


def build_message(step: Step | list[Step]) -> AIMessage:
    """A step as the model says it."""
    if isinstance(step, str):
        return AIMessage(step)
    calls: list[Any] = step if isinstance(step, list) else [step]
    made = [{"name": name, "args": args, "id": f"call-{uuid4().hex}"} for name, args in calls]
    return AIMessage("", tool_calls=made)


async def run(
    m: Mulligan | None, tools: Tools, message: str, script: Sequence[Step], **options: Any
) -> Ran:
    """One run of an agent on a message."""
    saver, ran = InMemorySaver(), Ran()
    agent = build_agent(m, tools, script, ran=ran, saver=saver, options=options)
    ended = await agent.ainvoke({"messages": [("user", message)]}, _IN_THREAD)
    return read_end(ended, ran, saver)


async def converse(m: Mulligan, tools: Tools, talk: Conversation) -> list[Ran]:
    """A thread of a checkpointer."""
    saver, runs = InMemorySaver(), list[Ran]()
    for message, script in talk:
        ran = Ran()
        agent = build_agent(m, tools, script, ran=ran, saver=saver)
        ended = await agent.ainvoke({"messages": [("user", message)]}, _IN_THREAD)
        runs.append(read_end(ended, ran, saver))
    return runs


stream = run


async def go_on(m: Mulligan, tools: Tools, ran: Ran, script: Sequence[Step]) -> Ran:
    """Go on with the graph, from its checkpoint."""
    saver, later = ran.waits, Ran()
    agent = build_agent(m, tools, script, ran=later, saver=saver, options={})
    ended = await agent.ainvoke(Command(resume="somebody has decided"), _IN_THREAD)
    return read_end(ended, later, saver)


def build_agent(
    m: Mulligan | None,
    tools: Tools,
    script: Sequence[Any],
    *,
    ran: Ran,
    saver: Any = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """An agent whose model follows a script."""
    return create_agent(
        ScriptedChat(steps=list(script), ran=ran),
        list(tools),
        name="planner",
        middleware=[] if m is None else [m.for_langchain(**options or {})],
        checkpointer=saver,
    )


def read_end(ended: Any, ran: Ran, saver: Any = None) -> Ran:
    """What came of a run."""
    if ended.get("__interrupt__"):
        ran.waits = saver
    else:
        ran.reply = str(ended["messages"][-1].text)
    return ran


_IN_THREAD: Any = {"configurable": {"thread_id": "story"}}
