"""Work that is run many times, and how its instructions may get better."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from enum import StrEnum
from typing import Literal

from msgspec import Struct

from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Standing
from mulligan.types.interfaces import Check
from mulligan.types.limits import NO_LIMIT, Budget
from mulligan.types.notes import Notes, Refinement, TaskRun
from mulligan.types.values import hide_fields


class Gate(StrEnum):
    """What a proposal must get past before it replaces what is there."""

    EVIDENCE = "evidence"
    """It is tried against the static definition, and keeps its place only if runs score better."""
    ACCEPT = "accept"
    """Nothing: every run that was accepted, or that nobody checks, reflects, and the latest notes
    replace the ones before."""


class Ran(Struct, frozen=True, kw_only=True):
    """What a run may return instead of its bare output, where more is known about it."""

    output: object
    findings: tuple[Finding, ...] = ()
    reviewed: bool = True
    """False: a reviewer that was asked gave no answer."""
    tool_errors: int = 0
    retries: int = 0
    tokens: int | None = None
    money: float = 0.0
    """In whatever unit the task's budget is."""


class Experience(Struct, frozen=True, kw_only=True):
    """What a strategy gets to think about."""

    task: Task
    output: str
    """Of the run that was just made, less secrets; what is left out of a long one is marked."""
    standing: Standing
    prior: Notes | None
    """The notes to build on, or `None` where the static text is all there is."""
    runs: int
    """How many runs were made so far, this one included."""
    contrast: tuple[TaskRun, ...] = ()
    """Earlier runs that went well beside some that did not, the best first."""


Strategy = Callable[[Experience], Refinement | Awaitable[Refinement | None] | None]
"""Proposes a refinement, or `None` when it has nothing to say. Sync or async."""

Score = Callable[[object], float]
"""How good an output is, from 0 to 1."""


class Reflect(Struct, frozen=True, kw_only=True):
    """How a task's instructions may change, and what that may cost."""

    gate: Gate | Literal["evidence", "accept"] = Gate.EVIDENCE
    strategy: Strategy | None = None
    """`None`: a judge is asked."""
    judge: object = None
    """Who reflects: a judge, a model or its name, an agent, a function; else the task's judge, else
    the application's."""
    score: Score | None = None
    """`None`: from the verdict, tool errors, retries and cost."""
    every: int = 4
    """Runs between two proposals of a reflector that nobody knows yet: fewer once its proposals
    have helped, many more once they have hurt."""
    paired: bool = False
    """The work may be made twice on one input (it changes nothing outside): what is not yet proven
    runs beside the static text, the better output goes out, and far fewer runs tell them apart."""
    most_output: int = 4_000
    """Tokens of an output that the reflector is shown; a longer one is cut in the middle."""
    most_notes: int = 5
    """Observations, and suggestions, that are put before a task."""
    most_tokens: int = 800
    """Room for everything that is put before a task."""
    most_cost: float = 1.5
    """Tokens and time that notes may take, as a multiple of what the static text takes."""
    timeout: timedelta = timedelta(seconds=30)
    """How long a strategy may think; what comes later is left out."""
    background: bool = False
    """Hand the output out first. Leaving `async with m:` waits for what is still being thought."""

    def __post_init__(self) -> None:
        if self.gate not in tuple(Gate):
            raise ConfigurationError(f"gate={self.gate!r} is no gate: use 'evidence' or 'accept'.")
        if type(self.most_output) is not int or self.most_output < 1:
            raise ConfigurationError(f"most_output={self.most_output!r} leaves nothing to see.")
        if type(self.every) is not int or self.every < 1:
            raise ConfigurationError(f"every={self.every} cannot be: reflect every 1 run or more.")
        if not isinstance(self.timeout, timedelta):
            raise ConfigurationError(f"timeout={self.timeout!r}: use timedelta(seconds=…).")
        if self.timeout <= timedelta():
            raise ConfigurationError(f"timeout={self.timeout} leaves no time to reflect.")

    @property
    def gated(self) -> bool:
        """Whether a proposal is tried before it takes a place."""
        return self.gate == Gate.EVIDENCE


@hide_fields("judge")
class Task(Struct, frozen=True, kw_only=True):
    """A description and an expected output that are run many times."""

    description: str
    expected_output: str = ""
    id: str | None = None
    reflect: Reflect | bool = False
    """`True`: with every setting as it is by default."""
    checks: tuple[Check[object], ...] = ()
    """What an output must pass to be accepted."""
    model: str = ""
    """What it runs on. Evidence is kept for each model."""
    judge: object = None
    """The same, for this task."""
    deterministic: bool = False
    """No model does the work, so a model that reflects must be named in `reflect`."""
    budget: Budget = NO_LIMIT
    """What one run may take, with the one beside it. Work that hangs ends with a `TimeoutError`,
    which counts as any failed run; past the tokens or the money nothing is run beside it."""

    def __post_init__(self) -> None:
        if not isinstance(self.description, str):
            raise ConfigurationError(f"description={self.description!r} is no text to work by.")
        if not isinstance(self.reflect, Reflect | bool | None):
            raise ConfigurationError(
                f"reflect={self.reflect!r} says nothing: use True, False or Reflect(…)."
            )
        if not isinstance(self.budget, Budget):
            raise ConfigurationError(f"budget={self.budget!r} is none: use Budget(time=…).")

    @property
    def identity(self) -> str:
        """The explicit id, else the SHA-256 of the description."""
        return self.id or _hash_text(self.description)

    @property
    def text(self) -> str:
        """The static definition, as it stands at the end of every prompt."""
        if not self.expected_output:
            return f"## Task\n\n{self.description}"
        return f"## Task\n\n{self.description}\n\n## Expected output\n\n{self.expected_output}"

    @property
    def definition(self) -> str:
        """The SHA-256 of the static text: what evidence was gathered about."""
        return _hash_text(self.text)

    @property
    def settings(self) -> Reflect | None:
        """How it reflects, or `None` when it does not."""
        if isinstance(self.reflect, Reflect):
            return self.reflect
        return Reflect() if self.reflect else None


def _hash_text(text: str) -> str:
    # A lone surrogate has no bytes of its own; it must not keep a task from having a name.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
