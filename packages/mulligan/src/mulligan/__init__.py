"""Mulligan gives an AI agent a second shot.

Names are handed on when they are first used, so that `import mulligan` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mulligan.app.mulligan import Mulligan
    from mulligan.loops.tasks import TaskDone
    from mulligan.runtime.context import OpenTurn
    from mulligan.runtime.declaration import Arguments, Failures, Remote, Review, Undoing
    from mulligan.runtime.hold import Held
    from mulligan.runtime.turn import Done
    from mulligan.settings import Memory, Redaction, Settings, Webhook
    from mulligan.types.action import Action, State
    from mulligan.types.call import Call, Execution, Outcome, Record
    from mulligan.types.effect import Effect, Mode, Repeat
    from mulligan.types.errors import (
        AlreadyDoneError,
        ConflictError,
        MulliganError,
        NothingDone,
        UnfinishedRunError,
    )
    from mulligan.types.finding import Confidence, Correction, Finding, Severity, Standing, Verdict
    from mulligan.types.limits import Backoff, Budget, JudgeLimits, Retention
    from mulligan.types.notes import Refinement
    from mulligan.types.task import Experience, Ran, Reflect, Task
    from mulligan.types.turn import Turn

    replay: Callable[..., Any]

_HOMES = {
    "Action": "mulligan.types.action",
    "AlreadyDoneError": "mulligan.types.errors",
    "Arguments": "mulligan.runtime.declaration",
    "Backoff": "mulligan.types.limits",
    "Budget": "mulligan.types.limits",
    "Call": "mulligan.types.call",
    "Confidence": "mulligan.types.finding",
    "ConflictError": "mulligan.types.errors",
    "Correction": "mulligan.types.finding",
    "Done": "mulligan.runtime.turn",
    "Effect": "mulligan.types.effect",
    "Execution": "mulligan.types.call",
    "Experience": "mulligan.types.task",
    "Failures": "mulligan.runtime.declaration",
    "Finding": "mulligan.types.finding",
    "Held": "mulligan.runtime.hold",
    "JudgeLimits": "mulligan.types.limits",
    "Memory": "mulligan.settings",
    "Mode": "mulligan.types.effect",
    "Mulligan": "mulligan.app.mulligan",
    "MulliganError": "mulligan.types.errors",
    "NothingDone": "mulligan.types.errors",
    "OpenTurn": "mulligan.runtime.context",
    "Outcome": "mulligan.types.call",
    "Ran": "mulligan.types.task",
    "Record": "mulligan.types.call",
    "Redaction": "mulligan.settings",
    "Refinement": "mulligan.types.notes",
    "Reflect": "mulligan.types.task",
    "Remote": "mulligan.runtime.declaration",
    "Repeat": "mulligan.types.effect",
    "Retention": "mulligan.types.limits",
    "Review": "mulligan.runtime.declaration",
    "Settings": "mulligan.settings",
    "Severity": "mulligan.types.finding",
    "Standing": "mulligan.types.finding",
    "State": "mulligan.types.action",
    "Task": "mulligan.types.task",
    "TaskDone": "mulligan.loops.tasks",
    "Turn": "mulligan.types.turn",
    "Undoing": "mulligan.runtime.declaration",
    "UnfinishedRunError": "mulligan.types.errors",
    "Verdict": "mulligan.types.finding",
    "Webhook": "mulligan.settings",
}

__all__ = [
    "Action", "AlreadyDoneError", "Arguments", "Backoff", "Budget", "Call", "Confidence",
    "ConflictError", "Correction", "Done", "Effect", "Execution", "Experience", "Failures",
    "Finding", "Held", "JudgeLimits", "Memory", "Mode", "Mulligan", "MulliganError", "NothingDone",
    "OpenTurn", "Outcome", "Ran", "Record", "Redaction", "Refinement", "Reflect", "Remote",
    "Repeat", "Retention", "Review", "Settings", "Severity", "Standing", "State", "Task",
    "TaskDone", "Turn", "Undoing", "UnfinishedRunError", "Verdict", "Webhook",
]  # fmt: skip

_EXTRAS = {"replay": "mulligan_replay"}
"""Functions of packages of their own; each is the main one of the extra by its name."""


def __getattr__(name: str) -> object:
    if name in _EXTRAS:
        return _load_extra(name)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'mulligan' has no attribute {name!r}")
    return getattr(import_module(home), name)


def _load_extra(name: str) -> object:
    try:
        return getattr(import_module(_EXTRAS[name]), name)
    except ModuleNotFoundError as missing:
        if missing.name != _EXTRAS[name]:
            raise
        from mulligan.types.errors import MissingExtraError

        raise MissingExtraError(need=f"mulligan.{name}", extra=name) from missing


def __dir__() -> list[str]:
    return sorted(__all__)
