"""One request of one person to one agent, and the tries it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from types import MappingProxyType

from mulligan.core.errors import ConfigurationError
from mulligan.core.finding import Correction, Verdict
from mulligan.core.history import NO_HISTORY, History
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.instants import require_aware

NOTHING_KNOWN: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One request of one person to one agent, with what is known about it."""

    id: str
    message: str = field(default="", repr=False)
    """What the person said, in their words."""
    now: datetime
    """When they said it; aware, never naive."""
    timezone: str | None = None
    """The person's IANA zone. `None` means unknown, and then nothing is resolved in it."""
    agent: str = ""
    context: str = ""
    """What the agent is trying to do, for the log: a phrase, not the person's message."""
    tenant: str = ""
    principal: str = ""
    """Who asked, where one application serves many."""
    known: Mapping[str, object] = field(default_factory=lambda: NOTHING_KNOWN, repr=False)
    """Things the application knows: a home address, a calendar."""
    vouched: bool = True
    """Whether the message is known to be the person's. Words that only a client or an agent reports
    can speak against a call, and never for it."""
    history: History = field(default=NO_HISTORY, repr=False, compare=False)
    """The conversation before it."""

    def __post_init__(self) -> None:
        require_aware(self.now, name="now")
        for name in ("agent", "context", "tenant", "principal"):
            if not isinstance(getattr(self, name), str):
                raise ConfigurationError(
                    f"{name} must be text, not {type(getattr(self, name)).__name__}. "
                    f"Pass {name}='…' or leave it out."
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try of a turn."""

    number: int
    """1, or 2 after a correction."""
    correction: Correction | None = None
    """What the agent was told before this try."""
    calls: tuple[str, ...] = ()
    """Ids of the calls made, in the order they were made."""
    verdict: Verdict | None = None
