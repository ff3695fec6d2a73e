"""Things that happened, one frozen record each. Subscribers get them as they happen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from mulligan.core.action import State
from mulligan.core.call import ErrorClass, LogRow


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLogged:
    """A call ended, and its redacted row went to the log."""

    row: LogRow


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRetried:
    """A failed call is about to be made again."""

    call: str
    tool: str
    error_class: ErrorClass
    try_number: int
    """Of the try to come."""
    wait: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRepaired:
    """A call that had failed succeeded on a later try."""

    call: str
    tool: str
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsDropped:
    """The log gave up rows, and counted them."""

    reason: str
    count: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionMoved:
    """An action reached a new state in the journal."""

    action: str
    state: State
    at: datetime


Event = CallLogged | CallRetried | CallRepaired | RowsDropped | ActionMoved
