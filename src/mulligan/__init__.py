"""Mulligan gives an AI agent a second shot.

Names are handed on when they are first used, so that `import mulligan` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mulligan.app.mulligan import Mulligan
    from mulligan.app.settings import Settings
    from mulligan.core.action import Action, State
    from mulligan.core.call import Call, Execution, Outcome
    from mulligan.core.effect import Effect, Mode, Repeat
    from mulligan.core.errors import (
        AlreadyDoneError,
        ConflictError,
        MulliganError,
        NothingDone,
        UnfinishedRunError,
    )
    from mulligan.core.finding import (
        Confidence,
        Correction,
        Finding,
        Severity,
        Standing,
        Verdict,
    )
    from mulligan.core.record import Record
    from mulligan.core.storage.retention import Retention
    from mulligan.core.turn import Turn
    from mulligan.runtime.hold import Held
    from mulligan.runtime.turn import Done

_HOMES = {
    "Action": "mulligan.core.action",
    "AlreadyDoneError": "mulligan.core.errors",
    "Call": "mulligan.core.call",
    "Confidence": "mulligan.core.finding",
    "ConflictError": "mulligan.core.errors",
    "Correction": "mulligan.core.finding",
    "Done": "mulligan.runtime.turn",
    "Effect": "mulligan.core.effect",
    "Execution": "mulligan.core.call",
    "Finding": "mulligan.core.finding",
    "Held": "mulligan.runtime.hold",
    "Mode": "mulligan.core.effect",
    "Mulligan": "mulligan.app.mulligan",
    "MulliganError": "mulligan.core.errors",
    "NothingDone": "mulligan.core.errors",
    "Outcome": "mulligan.core.call",
    "Record": "mulligan.core.record",
    "Repeat": "mulligan.core.effect",
    "Retention": "mulligan.core.storage.retention",
    "Settings": "mulligan.app.settings",
    "Severity": "mulligan.core.finding",
    "Standing": "mulligan.core.finding",
    "State": "mulligan.core.action",
    "Turn": "mulligan.core.turn",
    "UnfinishedRunError": "mulligan.core.errors",
    "Verdict": "mulligan.core.finding",
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
