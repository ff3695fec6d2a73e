"""Mulligan gives an AI agent a second shot.

Names are handed on when they are first used, so that `import mulligan` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mulligan.app.mulligan import Mulligan
    from mulligan.runtime.hold import Held
    from mulligan.runtime.turn import Done
    from mulligan.settings import Settings
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
    from mulligan.types.limits import Retention
    from mulligan.types.turn import Turn

_HOMES = {
    "Action": "mulligan.types.action",
    "AlreadyDoneError": "mulligan.types.errors",
    "Call": "mulligan.types.call",
    "Confidence": "mulligan.types.finding",
    "ConflictError": "mulligan.types.errors",
    "Correction": "mulligan.types.finding",
    "Done": "mulligan.runtime.turn",
    "Effect": "mulligan.types.effect",
    "Execution": "mulligan.types.call",
    "Finding": "mulligan.types.finding",
    "Held": "mulligan.runtime.hold",
    "Mode": "mulligan.types.effect",
    "Mulligan": "mulligan.app.mulligan",
    "MulliganError": "mulligan.types.errors",
    "NothingDone": "mulligan.types.errors",
    "Outcome": "mulligan.types.call",
    "Record": "mulligan.types.call",
    "Repeat": "mulligan.types.effect",
    "Retention": "mulligan.types.limits",
    "Settings": "mulligan.settings",
    "Severity": "mulligan.types.finding",
    "Standing": "mulligan.types.finding",
    "State": "mulligan.types.action",
    "Turn": "mulligan.types.turn",
    "UnfinishedRunError": "mulligan.types.errors",
    "Verdict": "mulligan.types.finding",
}

__all__ = [
    "Action", "AlreadyDoneError", "Call", "Confidence", "ConflictError", "Correction", "Done",
    "Effect", "Execution", "Finding", "Held", "Mode", "Mulligan", "MulliganError", "NothingDone",
    "Outcome",
    "Record", "Repeat", "Retention", "Settings", "Severity", "Standing", "State", "Turn",
    "UnfinishedRunError", "Verdict",
]  # fmt: skip


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'mulligan' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
