"""The context of the task loop. Apart from the loop, which most applications never load."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from msgspec import Struct, field

from mulligan.process.user_functions import ANSWERS_WITHIN, call_aside, run_with_timeout
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import Happened
from mulligan.types.interfaces import Clock, Judge, TaskVersions

if TYPE_CHECKING:
    from mulligan.learning.task_selection import ReflectorRecord
    from mulligan.types.limits import Meter
    from mulligan.types.notes import Ground

Aside = Callable[..., Coroutine[Any, Any, Any]]
"""Calls a blocking function without blocking the event loop."""


def refuse_others(source: object) -> Judge:
    """The default: opens no models, so the judge must be one already."""
    if hasattr(source, "ask"):
        return cast("Judge", source)
    said = repr(source) if isinstance(source, str) else type(source).__name__
    raise ConfigurationError(f"judge={said} is not a judge. Pass one, or use m.run_task.")


class Afterwards:
    """Background work that outlives a run, on the event loop that started it."""

    def __init__(self) -> None:
        self._going: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Start it on the running loop, without waiting for it."""
        task = asyncio.get_running_loop().create_task(work, name="mulligan-afterwards")
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    async def finish(self) -> None:
        """Wait for everything that was started on this loop."""
        here = asyncio.get_running_loop()
        while going := [task for task in list(self._going) if task.get_loop() is here]:
            await asyncio.wait(going)


class ReflectorMemory:
    """What one process caches between runs."""

    def __init__(self) -> None:
        self.records: dict[tuple[Ground, str], ReflectorRecord] = {}
        """A reflector's record on other tasks, as of its last proposal."""
        self.asked: dict[Ground, int] = {}
        """The number of runs when a reflector was last asked."""
        self.judged: dict[Ground, Meter] = {}
        """What scoring by a judge has taken."""
        self.warned: set[str] = set()
        """Tasks whose runs cannot be scored, and whose owners were told so."""


class Learning(Struct, frozen=True, kw_only=True):
    """What the loop needs for any task."""

    task_versions: TaskVersions
    clock: Clock
    announce: Callable[[Happened], None]
    scrub: Callable[[str], str]
    """Prose less secrets."""
    judge: Judge | None = None
    """The application's, for tasks that name none."""
    open_judge: Callable[[object], Judge] = refuse_others
    """Makes a judge of a model, its name, an agent or a function; a judge is returned as it is."""
    tenant: str = ""
    model: str = ""
    """The application's, for tasks that name none."""
    seed: int = 0
    """With the same seed and the same task versions, the same version is chosen."""
    aside: Aside = call_aside
    afterwards: Afterwards = field(default_factory=Afterwards)
    make_id: Callable[[], str] = field(default_factory=lambda: lambda: uuid4().hex)
    """Names a run, so that a person can say how good it was."""
    memory: ReflectorMemory = field(default_factory=ReflectorMemory)
    monotonic: Callable[[], float] = time.monotonic

    async def ask_versions(self, question: Callable[[], Any]) -> Any:
        """What task versions answer, which may be a user's own: beside the loop, and bounded."""
        return await run_with_timeout(self.aside(question), within=ANSWERS_WITHIN)
