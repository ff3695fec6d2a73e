"""Work that is run many times, and what was learned about its instructions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A description and an expected output that are run many times."""

    description: str
    expected_output: str = ""
    id: str | None = None

    @property
    def identity(self) -> str:
        """The explicit id, else the SHA-256 of the description."""
        return self.id or hashlib.sha256(self.description.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What was learned about a task's instructions: one version in its archive."""

    task: str
    version: int
    """0 is the static definition, and never goes away."""
    parent: int | None = None
    description: str = ""
    expected_output: str = ""
    observations: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    at: datetime
