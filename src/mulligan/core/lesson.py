"""What is learned from failing calls: patterns, suggestions, repairs, lessons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from mulligan.core.call import ErrorClass


class LessonState(StrEnum):
    """Where a lesson stands in its life."""

    CANDIDATE = "candidate"
    ACTIVE = "active"
    QUARANTINED = "quarantined"
    RETIRED = "retired"


class Group(StrEnum):
    """Which side of the comparison an eligible case is on."""

    TREATED = "treated"
    CONTROL = "control"
    """Left alone, so that lift can be measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A group of failures with one fingerprint."""

    fingerprint: str
    tool: str
    error_class: ErrorClass
    template: str
    """The error's text with its values masked."""
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A structured change of a call's arguments, or a call to make first."""

    changes: Mapping[str, object] = field(default_factory=dict)
    drops: tuple[str, ...] = ()
    first: str | None = None
    """A tool to call before this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A patch, and the measured probability that a retry with it succeeds."""

    patch: Patch
    source: str
    """`schema`, `turn`, `memory`, `judge`."""
    probability: float
    n: int
    """How many outcomes the probability rests on."""
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A failed call that succeeded on a later try, and by which suggestion."""

    failed: str
    """Id of the failing call."""
    fixed: str
    """Id of the call that succeeded."""
    suggestion: Suggestion | None = None
    """`None`: the identical call, made again where that was safe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What was learned about a tool, and the evidence for it."""

    id: str
    version: int
    tool: str
    schema_hash: str
    when: str
    when_not: str = ""
    statement: str
    patch: Patch
    state: LessonState = LessonState.CANDIDATE
    helped: int = 0
    harmed: int = 0
    learned_at: datetime
