"""What the log is given, and what it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime

from mulligan.core.call import LogRow
from mulligan.core.failures.suggestion import Alike, Pattern
from mulligan.core.finding import FindingRow
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.rollup import Rollup, Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Rows the log gave up."""

    at: datetime
    reason: str
    """`overflow`, `refused`, `shutdown`; `damage`, when the log itself was found shortened."""
    successes: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What the log writes in one transaction."""

    rows: Sequence[LogRow]
    rollups: Mapping[Slot, Rollup] = field(default_factory=dict)
    patterns: Mapping[str, Pattern] = field(default_factory=dict)
    """Of failed rows, by their ids."""
    losses: Sequence[Loss] = ()
    findings: Sequence[FindingRow] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogQuery:
    """Which rows of the log are wanted. `None` and empty mean any."""

    id_prefix: str = ""
    tenant: str | None = None
    agent: str | None = None
    server: str | None = None
    tool: str | None = None
    outcome: str | None = None
    error_class: str | None = None
    turn: str | None = None
    turns: tuple[str, ...] = ()
    """Only rows of one of these turns."""
    parents: tuple[str, ...] = ()
    """Only rows whose parent is one of these."""
    since: datetime | None = None
    """This time included."""
    until: datetime | None = None
    """This time not included."""
    after: str = ""
    """Only rows with an id above this one: how a follower goes on."""
    below: str = ""
    """Only rows with an id under this one."""
    oldest_first: bool = False
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternQuery:
    """Which patterns are wanted. `None` means any; an empty tenant is one of its own."""

    since: datetime
    """Its hour included, like that of `until`."""
    until: datetime
    tenant: str | None = None
    tool: str | None = None
    limit: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternSeen:
    """A pattern, and when and to whom it happened."""

    pattern: Pattern
    first_at: datetime
    last_at: datetime
    agents: tuple[str, ...]
    example: str
    """Id of the newest call."""
    like: Alike | None = None
    """Where nobody can say what kind of error it is: the known pattern it is most like."""
