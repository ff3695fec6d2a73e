"""What happened to the instructions of a task. Loaded by those who have tasks."""

from __future__ import annotations

from datetime import datetime

from mulligan.core.finding import Standing
from mulligan.core.happened.event import Happened
from mulligan.core.runtime.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRan(Happened):
    """A task was run once, well or not."""

    task: str
    """Its id, or the hash of its description."""
    model: str
    version: int
    """Of the notes it ran with; 0 is the static text alone."""
    standing: Standing
    rules: tuple[str, ...]
    """Of the findings; never their text."""
    score: float | None
    tokens: int | None
    beside: bool
    """Whether it is the static text's run beside another on the same input."""
    error: str = ""
    """The kind of what the work raised; empty when it did not."""
    at: datetime
    id: str
    """Of the run: `m.rate(id, up=…)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReflected(Happened):
    """A run was reflected on, and what came of it is in the archive as a new version."""

    task: str
    """Its id, or the hash of its description."""
    description: str
    """The refined instructions; empty where the notes leave them as they are."""
    left_out: tuple[str, ...]
    """Lines of the proposal that may not reach a run, each with the rule it breaks."""
    version: int
    first: bool
    """Whether it is the first reflection this task ever had."""
    runs: int
    """How many runs were made so far."""
    at: datetime
    run: str = ""
    """The id of the run that was reflected on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesProposed(Happened):
    """A new version is on trial."""

    task: str
    model: str
    version: int
    parent: int
    changes: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesPromoted(Happened):
    """A version became champion."""

    task: str
    model: str
    version: int
    probability: float
    """That it is better than what was champion before."""
    n: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesRolledBack(Happened):
    """A champion lost its place, and version 0 is champion again."""

    task: str
    model: str
    version: int
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesRetired(Happened):
    """A version gets no more runs."""

    task: str
    model: str
    version: int
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesRejected(Happened):
    """A reflection came to nothing: the archive is as it was."""

    task: str
    """Its id, or the hash of its description."""
    description: str
    reason: str
    at: datetime
