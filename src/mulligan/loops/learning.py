"""What the loop over tasks works with. Apart from the loop, which most applications never load."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

from mulligan.core.errors import ConfigurationError
from mulligan.core.event import Happened
from mulligan.core.interfaces import Archive, Clock, Judge
from mulligan.loops.afterwards import Afterwards

Aside = Callable[..., Awaitable[Any]]
"""Calls a function that may wait for a disk, without holding the event loop up."""


def refuse_others(source: object) -> Judge:
    """For those who open no models: a judge must be one already."""
    if hasattr(source, "ask"):
        return cast("Judge", source)
    said = repr(source) if isinstance(source, str) else type(source).__name__
    raise ConfigurationError(f"judge={said} is no judge yet: pass one, or use m.run_task.")


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
    open_judge: Callable[[object], Judge] = refuse_others
    """Makes a judge of a model, its name, an agent or a function; one that it is stays."""
    tenant: str = ""
    model: str = ""
    """The application's, for tasks that name none."""
    seed: int = 0
    """With the same seed and the same archive, the same version is chosen."""
    aside: Aside = asyncio.to_thread
    afterwards: Afterwards = field(default_factory=Afterwards)
    monotonic: Callable[[], float] = time.monotonic
