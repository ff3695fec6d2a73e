"""What LangChain and LangGraph keep in the state of a graph, as a turn reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import HumanMessage


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


def is_feedback(message: Any) -> bool:
    """Whether a message is what we told an agent about its last attempt."""
    return "mulligan" in (message.response_metadata or {})


def read_key(state: Any, name: str) -> Any:
    """What the state of a graph has under a name, of whichever form it is; else `None`."""
    if isinstance(state, Mapping):
        return state.get(name)
    return getattr(state, name, None)
