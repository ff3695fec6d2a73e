"""What happened to a reply or a draft. Loaded by those who have texts written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mulligan.core.finding import Standing
from mulligan.core.happened.event import Happened
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.text import Critique, Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyChecked(Happened):
    """One try of a reply was checked."""

    turn: str
    number: int
    standing: Standing
    rules: tuple[str, ...]
    """Of its findings; never their text."""
    id: str = ""
    """Of the whole, the same in all its steps; empty outside an application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplySettled(Happened):
    """A reply is on its way, as good as it got."""

    turn: str
    iterations: int
    standing: Standing
    bound_reached: bool
    """Sent although it was rejected: for somebody to look at."""
    rules: tuple[str, ...]
    id: str = ""
    """Of the whole, the same in all its steps; empty outside an application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought(Happened):
    """The draft loop said what it does next."""

    text: str
    id: str = ""
    """Of the whole, the same in all its steps; empty outside an application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled(Happened):
    """A writer called a tool."""

    tool: str
    arguments: Mapping[str, object] = field(repr=False)
    step: int
    id: str = ""
    """Of the whole, the same in all its steps; empty outside an application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswered(Happened):
    """A tool that a writer called has answered, or failed."""

    tool: str
    step: int
    result: object = field(default=None, repr=False)
    error: str = ""
    """The kind of the failure; empty when there was none."""
    id: str = ""
    """Of the whole, the same in all its steps; empty outside an application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflected(Happened):
    """A draft was criticised. Without a critique nobody could say, and that is no pass."""

    draft: Draft
    critique: Critique | None
    revising: bool
    id: str = ""
    """Of the whole, the same in all its steps; empty outside an application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Responded(Happened):
    """The draft loop gave its answer."""

    draft: Draft
    critique: Critique | None
    accepted: bool
    tokens: int = 0
    """Taken in all, as far as the writer reported it; so is the money."""
    money: float = 0.0
    id: str = ""
    """Of the whole, the same in all its steps; empty outside an application."""
