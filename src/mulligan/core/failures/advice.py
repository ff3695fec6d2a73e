"""What an agent is told to do about a failed call."""

from __future__ import annotations

from enum import StrEnum

from mulligan.core.runtime.dataclass import dataclass


class Decision(StrEnum):
    """What to do about a failed call."""

    RETRY = "retry"
    """The same again: nothing was wrong with the call."""
    REPAIR = "repair"
    """The agent can mend it with what it has."""
    LOOK_UP = "look_up"
    """The agent must find something out first."""
    ASK = "ask"
    """Only the person can say."""
    STOP = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A decision about a failed call, with the reason for it."""

    decision: Decision
    why: str
    first: str | None = None
    """The tool to look it up with, where one is known."""
    ask: str | None = None
    """What to ask the person."""
