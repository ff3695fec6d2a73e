"""What the loop over tasks works with. Apart from the loop, which most applications never load."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from msgspec import Struct, field

from mulligan.types.errors import ConfigurationError
from mulligan.types.events import Happened
from mulligan.types.interfaces import Archive, Clock, Judge

if TYPE_CHECKING:
    from mulligan.learning.task_selection import ReflectorRecord
    from mulligan.types.notes import Ground

Aside = Callable[..., Awaitable[Any]]
"""Calls a function that may wait for a disk, without holding the event loop up."""


def refuse_others(source: object) -> Judge:
    """For those who open no models: a judge must be one already."""
    if hasattr(source, "ask"):
        return cast("Judge", source)
    said = repr(source) if isinstance(source, str) else type(source).__name__
    raise ConfigurationError(f"judge={said} is no judge yet: pass one, or use m.run_task.")


class Afterwards:
    """Work that goes on after a run has handed out its output, on the loop that it was begun on."""

    def __init__(self) -> None:
        self._going: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Start it on the loop that runs now; nobody waits for it yet."""
        task = asyncio.get_running_loop().create_task(work, name="mulligan-afterwards")
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    async def finish(self) -> None:
        """Wait for everything that was begun on this loop."""
        here = asyncio.get_running_loop()
        while going := [task for task in list(self._going) if task.get_loop() is here]:
            await asyncio.wait(going)


class ReflectorMemory:
    """What one process need not look up for every run."""

    def __init__(self) -> None:
        self.records: dict[tuple[Ground, str], ReflectorRecord] = {}
        """What other tasks say of a reflector, as of its last proposal."""
        self.asked: dict[Ground, int] = {}
        """After how many runs a reflector was last asked, whatever it said."""
        self.warned: set[str] = set()
        """Tasks whose runs nobody can score, and whose owners were told so."""


class Learning(Struct, frozen=True, kw_only=True):
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
    make_id: Callable[[], str] = field(default_factory=lambda: lambda: uuid4().hex)
    """Names a run, so that a person can say how good it was."""
    memory: ReflectorMemory = field(default_factory=ReflectorMemory)
    monotonic: Callable[[], float] = time.monotonic
