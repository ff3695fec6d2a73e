"""What an adapter of a framework is, and what its agents are given: all that its author reads.

An adapter is one module in `mulligan.adapters`, with the two functions of `Adapter`. It is found
there by itself. It translates and decides nothing; the framework is imported only once one of its
agents is used, and where it is not installed, `MissingExtraError` says which extra brings it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol


class Assignment(Protocol):
    """One draft to be written, as an agent is told of it."""

    @property
    def prompt(self) -> str:
        """The question; for a revision also the draft, and what was said of it."""

    @property
    def steps(self) -> int:
        """How many calls of its own tools the agent may make; 0 means: run it without them."""

    def spend(self, *, tokens: int = 0, money: float = 0.0) -> None:
        """Report what a run took, also one that failed: budgets are held against it."""


WriteDraft = Callable[[Assignment], Awaitable[str]]
"""Writes one draft. `OutOfStepsError` when the agent wants more tools than it may call; whatever
else it raises is the draft's failure."""


class Adapter(Protocol):
    """A framework whose agents can write drafts. A module is one, by having these functions."""

    def is_agent(self, source: object) -> bool:
        """Whether this is an agent of the framework. Told by its class, without an import."""

    def build_writer(self, source: object) -> WriteDraft:
        """A writer that runs the agent."""
