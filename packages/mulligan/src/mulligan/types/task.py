"""Work that is run many times, and how its instructions may get better."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from mulligan.process.user_functions import takes_arguments, takes_name
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Standing
from mulligan.types.interfaces import Check
from mulligan.types.limits import NO_LIMIT, Budget, require_budget
from mulligan.types.notes import Notes, Refinement, TaskRun, check_score
from mulligan.types.values import hide_fields
from mulligan_dates.text import is_blank


class Gate(StrEnum):
    """What a proposal must get past before it replaces what is there."""

    EVIDENCE = "evidence"
    """It is tried against the static definition, and keeps its place only if runs score better."""
    ACCEPT = "accept"
    """Nothing: every run that was accepted, or that is not checked, reflects, and the latest notes
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
    score: float | None = None
    """How good it was, from 0 to 1, where the work itself knows."""

    def __post_init__(self) -> None:
        if self.score is not None:
            check_score(self.score)
        if not all(isinstance(each, Finding) for each in self.findings):
            raise ConfigurationError(f"findings={self.findings!r}: use a tuple of Finding(…).")


class TaskCase(Struct, frozen=True, kw_only=True):
    """One input to evaluate a task on."""

    input: object
    expected: str = ""
    """What a good output is for this input; else what the task expects."""


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
    input: object = None
    """What the run was given beside the task, as it is."""
    contrast: tuple[TaskRun, ...] = ()
    """Earlier runs that went well beside some that did not, the best first."""


Proposal = Refinement | Mapping[str, object] | None
Strategy = Callable[[Experience], Proposal | Awaitable[Proposal]]
"""Proposes a refinement, also as a dict, or `None` when it has nothing to say. Sync or async."""

Score = Callable[..., float | Awaitable[float]]
"""How good an output is, from 0 to 1, sync or async; with a parameter `input` it gets that too."""


JUDGED = Budget(time=timedelta(seconds=30), tokens=500_000)


class Reflect(Struct, frozen=True, kw_only=True):
    """How a task's instructions may change, and what that may cost."""

    gate: Gate | Literal["evidence", "accept"] = Gate.EVIDENCE
    strategy: Strategy | None = None
    """`None`: a judge is asked."""
    judge: object = None
    """Who reflects: a judge, a model or its name, an agent, a function; else the task's judge, else
    the application's."""
    score: Score | None = None
    """`None`: from the verdict, tool errors, retries and cost; where none of these is known, by the
    judge, if the task says what it expects."""
    rubric: str = ""
    """What makes an output good. With one, the judge scores every run that was not rejected."""
    judged: Budget = JUDGED
    """What scoring by the judge may take: the time of one answer, the tokens of all in one process.
    Past that, runs are not scored."""
    every: int = 4
    """Runs between two proposals of a reflector without a record yet: fewer once its proposals have
    helped, many more once they have hurt."""
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
        self._check_functions()
        self._check_amounts()
        if not isinstance(self.timeout, timedelta):
            raise ConfigurationError(f"timeout={self.timeout!r}: use timedelta(seconds=…).")
        if self.timeout <= timedelta():
            raise ConfigurationError(f"timeout={self.timeout} leaves no time to reflect.")

    def _check_functions(self) -> None:
        for name in ("strategy", "score"):
            given = getattr(self, name)
            if given is not None and not callable(given):
                raise ConfigurationError(f"{name}={given!r} is no function.")
            if given and not (takes_arguments(given, 1) or takes_name(given, "input")):
                raise ConfigurationError(f"{name}={given!r} is no function of one argument.")
        if not isinstance(self.judged, Budget):
            raise ConfigurationError(f"judged={self.judged!r} is none: use Budget(tokens=…).")
        if not isinstance(self.rubric, str):
            raise ConfigurationError(f"rubric={self.rubric!r} is no text.")
        if isinstance(self.judge, int | float | bytes | list | tuple | dict | set):
            raise ConfigurationError(
                f"judge={self.judge!r} cannot judge: use a model or its name, or a function."
            )

    def _check_amounts(self) -> None:
        for name, least in (
            ("most_output", 1),
            ("every", 1),
            ("most_notes", 0),
            ("most_tokens", 0),
        ):
            most: object = getattr(self, name)
            if type(most) is not int or most < least:
                raise ConfigurationError(f"{name}={most!r}: use a number of at least {least}.")
        if type(self.most_cost) not in (int, float) or not self.most_cost > 0:
            raise ConfigurationError(f"most_cost={self.most_cost!r}: use a number above 0.")
        for name in ("paired", "background"):
            if not isinstance(getattr(self, name), bool):
                raise ConfigurationError(f"{name}={getattr(self, name)!r}: use True or False.")

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
        if not isinstance(self.description, str) or is_blank(self.description):
            raise ConfigurationError(f"description={self.description!r} is no text to work by.")
        if not isinstance(self.reflect, Reflect | bool | None):
            raise ConfigurationError(
                f"reflect={self.reflect!r} says nothing: use True, False or Reflect(…)."
            )
        checks: object = self.checks
        if not isinstance(checks, list | tuple) or not all(map(callable, checks)):
            raise ConfigurationError(f"checks={checks!r}: use a tuple of functions.")
        force_setattr(self, "checks", tuple(checks))
        for name in ("id", "model", "expected_output"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, str):
                raise ConfigurationError(f"{name}={given!r} is no text.")
        require_budget(self.budget)

    @property
    def identity(self) -> str:
        """The explicit id, else the SHA-256 of the description."""
        return self.id or _hash_text(self.description)

    @property
    def text(self) -> str:
        """The static definition, as at the end of every prompt."""
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


def require_task(task: object) -> Task:
    """The task, or a sentence about what is none."""
    if not isinstance(task, Task):
        raise ConfigurationError(f"{task!r} is no task: use Task(description=…).")
    return task


def _hash_text(text: str) -> str:
    # A lone surrogate has no bytes of its own; it must not keep a task from having a name.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
