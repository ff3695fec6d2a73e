"""Things that happened, one frozen record each. Subscribers get them as they happen."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from mulligan.core.action import State
from mulligan.core.call import LogRow
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.lesson import LessonState
from mulligan.core.finding import Confidence, FindingSeen, Standing
from mulligan.core.runtime.dataclass import dataclass

JUDGE_ASKED = "judge.asked"
"""The row of a question that a judge gave no answer to: nobody else would notice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """A thing that happened, whatever it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLogged(Happened):
    """A call ended, and its redacted row went to the log."""

    row: LogRow


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRetried(Happened):
    """A failed call is about to be made again."""

    call: str
    tool: str
    error_class: ErrorClass
    try_number: int
    """Of the try to come."""
    wait: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRepaired(Happened):
    """A call that had failed succeeded on a later try."""

    call: str
    tool: str
    tries: int
    by: str = ""
    """Where the correction came from; empty: the same call, made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFlagged(Happened):
    """What was known spoke against a call before it was made."""

    call: str
    tool: str
    rules: tuple[str, ...]
    """Of the findings; never their text."""
    made: bool
    """False: its tool lets no such call through."""
    failed: bool | None
    """Whether it failed; `None` while nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsDropped(Happened):
    """The log gave up rows, and counted them."""

    reason: str
    count: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionMoved(Happened):
    """An action reached a new state in the journal."""

    action: str
    state: State
    at: datetime
    tool: str
    agent: str = ""
    tenant: str = ""
    turn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionUndone(Happened):
    """An effect was taken back and read back: what was shown of it can go."""

    action: str
    call: str | None
    tool: str
    turn: str | None
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptReviewed(Happened):
    """An attempt was reviewed: how it stands, and what was found, by rule, severity and tool."""

    turn: str
    attempt: int
    agent: str
    tenant: str = ""
    standing: Standing
    confidence: Confidence | None
    found: tuple[FindingSeen, ...] = ()


class AskOutcome(StrEnum):
    """What came of asking a judge. All but the first mean that it could not say."""

    ANSWERED = "answered"
    UNREADABLE = "unreadable"
    """What it said could not be read, also when asked once more."""
    LATE = "late"
    DOWN = "down"
    NOT_ASKED = "not_asked"
    """It failed too often of late, so it was left alone."""
    NOT_ASKABLE = "not_askable"
    """The question does not fit its prompt: a mistake in the code that asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAsked(Happened):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkDropped(Happened):
    """A remark of a judge was left out, in whole or in part, or made a warning."""

    rule: str
    part: str
    """`finding`, `correction` or `severity`."""
    why: str
    """Kind of the fact it contradicts; `call`: it spoke of one that is not the attempt's; `empty`:
    it said nothing; `outcome`: that is right, and only the way to it was not good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonLearned(Happened):
    """A lesson has a new version: first seen, proven, quarantined or retired."""

    lesson: str
    version: int
    tool: str
    state: LessonState
    why: str
