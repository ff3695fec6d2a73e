"""Things that happened, one frozen record each. Subscribers get them as they happen."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from mulligan.types.action import State
from mulligan.types.call import LogRow
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import Confidence, FindingSeen, Standing
from mulligan.types.lesson import LessonState
from mulligan.types.notes import Refinement
from mulligan.types.reply import Critique, Draft, OnFail
from mulligan.types.values import hide_fields


class Happened(Struct, frozen=True, kw_only=True):
    """A thing that happened, whatever it was."""


class CallLogged(Happened, frozen=True, kw_only=True):
    """A call ended, and its redacted row went to the log."""

    row: LogRow


class CallRetried(Happened, frozen=True, kw_only=True):
    """A failed call is about to be made again."""

    call: str
    tool: str
    error_class: ErrorClass
    try_number: int
    """Of the try to come."""
    wait: timedelta


class CallRepaired(Happened, frozen=True, kw_only=True):
    """A call that had failed succeeded on a later try."""

    call: str
    tool: str
    tries: int
    by: str = ""
    """Where the correction came from; empty: the same call, made again."""


class CallFlagged(Happened, frozen=True, kw_only=True):
    """What was known spoke against a call before it was made."""

    call: str
    tool: str
    rules: tuple[str, ...]
    """Of the findings; never their text."""
    made: bool
    """False: its tool lets no such call through."""
    failed: bool | None
    """Whether it failed; `None` while that is unknown."""


class RowsDropped(Happened, frozen=True, kw_only=True):
    """The log gave up rows, and counted them."""

    reason: str
    count: int
    at: datetime


class ActionMoved(Happened, frozen=True, kw_only=True):
    """An action reached a new state in the journal."""

    action: str
    state: State
    at: datetime
    tool: str
    agent: str = ""
    tenant: str = ""
    turn: str | None = None


class ActionUndone(Happened, frozen=True, kw_only=True):
    """An effect was undone and verified: what was shown of it can go."""

    action: str
    call: str | None
    tool: str
    turn: str | None
    attempt: int


class AttemptReviewed(Happened, frozen=True, kw_only=True):
    """An attempt was reviewed: its standing, and what was found, by rule, severity and tool."""

    turn: str
    attempt: int
    agent: str
    tenant: str = ""
    standing: Standing
    confidence: Confidence | None
    found: tuple[FindingSeen, ...] = ()


class AskOutcome(StrEnum):
    """The result of asking a judge. All but the first mean: no verdict."""

    ANSWERED = "answered"
    UNREADABLE = "unreadable"
    """What it said could not be read, also when asked once more."""
    LATE = "late"
    DOWN = "down"
    NOT_ASKED = "not_asked"
    """It failed too often of late, so it was left alone."""
    NOT_ASKABLE = "not_askable"
    """The question does not fit its prompt: a mistake in the code that asks."""


class JudgeAsked(Happened, frozen=True, kw_only=True):
    """A judge was asked a question, and what that took."""

    purpose: str
    model: str
    prompt: str
    """Name and version of the prompt: `review_actions 1`. The name alone if it was not used."""
    outcome: AskOutcome
    duration: timedelta
    requests: int = 0
    """Answers the model gave: 2 after a re-ask."""
    input_tokens: int = 0
    output_tokens: int = 0


class RemarkDropped(Happened, frozen=True, kw_only=True):
    """A remark of a judge was left out, in whole or in part, or made a warning."""

    rule: str
    part: str
    """`finding`, `correction` or `severity`."""
    why: str
    """Kind of the fact it contradicts; `call`: it spoke of one that is not the attempt's; `empty`:
    it said nothing; `outcome`: that is right, and only the way to it was not good."""


class LessonLearned(Happened, frozen=True, kw_only=True):
    """A lesson has a new version: first seen, proven, quarantined or retired."""

    lesson: str
    version: int
    tool: str
    state: LessonState
    why: str


class TextStep(Happened, frozen=True, kw_only=True):
    """A step on the way of one text: a reply or a draft."""

    id: str = ""
    """Of the whole, the same in all its steps; empty outside an application."""


class ReplyChecked(TextStep, frozen=True, kw_only=True):
    """One try of a reply was checked."""

    turn: str
    number: int
    standing: Standing
    rules: tuple[str, ...]
    """Of its findings; never their text."""


class ReplySettled(TextStep, frozen=True, kw_only=True):
    """A reply was sent, as good as it got."""

    turn: str
    iterations: int
    standing: Standing
    bound_reached: bool
    """Sent although it was rejected: needs attention."""
    rules: tuple[str, ...]
    withheld: OnFail | None = None
    """Not sent: a check kept it back, and the fallback went out."""


class RewriteRateMoved(Happened, frozen=True, kw_only=True):
    """The share of replies that are written again has left its band, or is back in it."""

    rate: float
    """Of the latest replies of this process."""
    replies: int
    """How many those are."""
    healthy: bool
    """Whether it is within the band now."""
    rules: tuple[str, ...]
    """That rejected most of their first tries, the most frequent first."""


class Thought(TextStep, frozen=True, kw_only=True):
    """The draft loop said where it is: after the first draft, and before every revision."""

    text: str


@hide_fields("arguments")
class ToolCalled(TextStep, frozen=True, kw_only=True):
    """A writer called a tool."""

    tool: str
    arguments: Mapping[str, object]
    step: int


@hide_fields("result")
class ToolAnswered(TextStep, frozen=True, kw_only=True):
    """A tool that a writer called has answered, or failed."""

    tool: str
    step: int
    result: object = None
    error: str = ""
    """The kind of the failure; empty when there was none."""


class Reflected(TextStep, frozen=True, kw_only=True):
    """A draft was criticised. Without a critique there is no verdict, and that is no pass."""

    draft: Draft
    critique: Critique | None
    revising: bool


class Responded(TextStep, frozen=True, kw_only=True):
    """The draft loop gave its answer."""

    draft: Draft
    critique: Critique | None
    accepted: bool
    tokens: int = 0
    """Taken in all, as far as writer and critics reported it; so is the money."""
    money: float = 0.0


class TaskRan(Happened, frozen=True, kw_only=True):
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


class TaskReflected(Happened, frozen=True, kw_only=True):
    """A run was reflected on, and the result is in the task versions as a new version."""

    task: str
    """Its id, or the hash of its description."""
    original: str
    """The description that the task's owner wrote."""
    notes: Refinement
    """All that was written."""
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


class NotesMoved(Happened, frozen=True, kw_only=True):
    """A version of a task's notes has another place now."""

    task: str
    model: str
    version: int
    at: datetime


class NotesProposed(NotesMoved, frozen=True, kw_only=True):
    """A new version is on trial."""

    parent: int
    changes: tuple[str, ...]


class NotesPromoted(NotesMoved, frozen=True, kw_only=True):
    """A version became champion."""

    probability: float
    """That it is better than what was champion before."""
    n: int


class NotesRolledBack(NotesMoved, frozen=True, kw_only=True):
    """A champion lost its place, and version 0 is champion again."""

    reason: str


class NotesRetired(NotesMoved, frozen=True, kw_only=True):
    """A version gets no more runs."""

    reason: str


class NotesRejected(Happened, frozen=True, kw_only=True):
    """A reflection had no result: the task versions are unchanged."""

    task: str
    """Its id, or the hash of its description."""
    description: str
    reason: str
    at: datetime
