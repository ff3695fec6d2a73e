"""What LangChain and LangGraph keep in the state of a graph, as a turn reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, HumanMessage


def read_id(state: Any) -> str:
    """The id of the turn in the state of a graph; empty where it keeps none."""
    return str(read_key(state, "mulligan_turn") or "")


def read_messages(state: Any) -> list[Any]:
    """The messages in the state of a graph."""
    return state if isinstance(state, list) else list(read_key(state, "messages") or ())


def find_asked(messages: list[Any]) -> int | None:
    """Where the person said what the run is about: last, and not in our words."""
    for at in reversed(range(len(messages))):
        if isinstance(messages[at], HumanMessage) and not is_feedback(messages[at]):
            return at
    return None


HIDDEN = "do-not-render-"
"""What LangChain's own chat pages know messages by that are not for the person."""


def build_feedback(text: str) -> HumanMessage:
    """What an agent is told about its last attempt. Models take it from nobody but the person in
    the middle of a conversation; until the run ends, pages tell it by its id or its metadata."""
    metadata = {"mulligan": "feedback"}
    return HumanMessage(text, id=f"{HIDDEN}{uuid4().hex}", response_metadata=metadata)


def list_feedback(messages: list[Any]) -> list[Any]:
    """What leaves a thread once its run has ended: what we told the agent, and the replies that
    this was about, which were written again."""
    left = []
    for at, each in enumerate(messages):
        if is_feedback(each):
            before = messages[at - 1] if at else None
            if isinstance(before, AIMessage) and not before.tool_calls:
                left.append(before)
            left.append(each)
    return [each for each in left if each.id]


def is_feedback(message: Any) -> bool:
    """Whether a message is what we told an agent about its last attempt."""
    return "mulligan" in (message.response_metadata or {})


def read_key(state: Any, name: str) -> Any:
    """What the state of a graph has under a name, of whichever form it is; else `None`."""
    if isinstance(state, Mapping):
        return state.get(name)
    return getattr(state, name, None)
