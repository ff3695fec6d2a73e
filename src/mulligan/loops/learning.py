"""What the loop over tasks works with. Apart from the loop, which most applications never load."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from mulligan.core.errors import ConfigurationError
from mulligan.core.event import Happened
from mulligan.core.interfaces import Archive, Clock, Judge
from mulligan.loops.afterwards import Afterwards

Aside = Callable[..., Awaitable[Any]]
"""Calls a function that may wait for a disk, without holding the event loop up."""


def refuse_name(name: str) -> Judge:
    """For those who open no models: a judge must be one already."""
    raise ConfigurationError(f"judge={name!r} is a name: pass a judge, or use m.run_task.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """What the loop works with, whatever the task."""

    archive: Archive
    clock: Clock
    announce: Callable[[Happened], None]
    scrub: Callable[[str], str]
    """Prose less secrets."""
    judge: Judge | None = None
    """The application's, for tasks that name none."""
    judge_named: Callable[[str], Judge] = refuse_name
    """Opens a judge by the name of its model."""
    tenant: str = ""
    model: str = ""
    """The application's, for tasks that name none."""
    seed: int = 0
    """With the same seed and the same archive, the same version is chosen."""
    aside: Aside = asyncio.to_thread
    afterwards: Afterwards = field(default_factory=Afterwards)
    monotonic: Callable[[], float] = time.monotonic
