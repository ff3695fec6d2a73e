"""An application found by its name, and what a command has it do; and a process that only looks
after what others leave: recovery, late review, retention, lessons.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from msgspec import Struct

from mulligan.app.housekeeping import Swept
from mulligan.app.mulligan import Mulligan
from mulligan.app.wiring import GUARD, Loaded, Parts
from mulligan.extensions import load_object
from mulligan.insights.insights import Insights
from mulligan.runtime.context import carry, leave_turns, read_context
from mulligan.runtime.recovery import ActionInspector
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError, StoreError

LEARNED_EVERY = timedelta(hours=1)
"""How often lessons are drawn, by one of all workers."""

PAUSE = 600.0
"""Seconds between one look at whether that is due and the next."""

MOST_PASSES = 20
"""Passes of one round: what one pass leaves to another is there at the next."""

STALE = 300.0
"""Seconds after which a worker whose passes do not end counts as ill: a judge may be slow."""

GRACE = 20.0
"""Seconds that stopping waits for a pass: less than the thirty that most systems wait to kill."""


class WorkDone(Struct, frozen=True, kw_only=True):
    """The result of one round."""

    recovered: int
    """Actions that have moved on, to their end or to a person."""
    swept: Swept | None
    """`None`: another process has swept within the hour, or does so now."""
    lessons: int | None
    """Versions that were written; `None`: others have seen to it, or nothing is remembered."""
    open_actions: int
    """Actions that need attention."""


class WorkerHealth(Struct, frozen=True, kw_only=True):
    """How a worker is."""

    healthy: bool
    why: str
    """One sentence, also where all is well."""
    passes: int
    seconds_since_pass: float | None


class UpkeepWorker:
    """Does for an application, which may be at work elsewhere, what needs no turn.

    Any number of them may run: each action is one's by the journal's leases and versions, sweeping
    and learning by the store's duties.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def list_tools(self) -> list[str]:
        """The tools whose calls it can look after."""
        return sorted(tool.declaration.tool for tool in self._parts.toolbox)

    async def run_once(self) -> WorkDone:
        """Take up what is due now, and leave the rest to the next round."""
        parts = self._parts
        parts.announce()
        before = now = await asyncio.to_thread(self._read_open)
        for _ in range(MOST_PASSES):
            with leave_turns():
                await parts.recovery.run()
            last, now = now, await asyncio.to_thread(self._read_open)
            if now == last:
                break
        swept = await asyncio.to_thread(parts.housekeeping.sweep_if_due)
        lessons = await asyncio.to_thread(self._learn)
        moved = [name for name, version in before.items() if now.get(name) != version]
        return WorkDone(recovered=len(moved), swept=swept, lessons=lessons, open_actions=len(now))

    async def run(self, stop: asyncio.Event, *, grace: float = GRACE) -> None:
        """Work until told to stop; a pass that is going on then is let come to its end.

        Passes begin every two seconds, and at once where the store tells of something to take up.
        """
        parts = self._parts
        parts.announce()
        parts.begin_recovery()
        try:
            while not stop.is_set():
                # A store that is away is tried again; passes that fail are counted by themselves.
                with suppress(StoreError):
                    await asyncio.to_thread(self._learn)
                with suppress(TimeoutError):  # not stopped: look again
                    await asyncio.wait_for(stop.wait(), PAUSE)
        finally:
            parts.recovery_thread.stop_passes()
            await parts.timer.stop(within=grace)

    def check_health(self) -> WorkerHealth:
        """Whether passes come to an end, and a good one."""
        tally = self._parts.timer.tally
        since = time.monotonic() - (tally.ended or 0.0)
        why = "Passes finish."
        if tally.ended is None:
            why = "No pass has finished yet."
        elif tally.failed:
            why = f"The last {tally.failed} passes failed: check that the store can be reached."
        elif since > STALE:
            why = f"No pass has finished for {since:.0f} seconds."
        return WorkerHealth(
            healthy=tally.ended is not None and not tally.failed and since <= STALE,
            why=why,
            passes=tally.made,
            seconds_since_pass=None if tally.ended is None else round(since, 1),
        )

    def _read_open(self) -> dict[str, int]:
        """How far each open action has come."""
        found = self._parts.store.journal.list_open_actions(limit=2**31 - 1)
        return {action.id: action.version for action in found}

    def _learn(self) -> int | None:
        memory = self._parts.memory
        return None if memory is None else memory.consolidate(every=LEARNED_EVERY)


def load_code(name: str, *, option: str, example: str = "family.agent:m") -> object:
    """What `module:name` names; a module that runs its agent when it is imported is refused."""
    with carry(read_context().put(Loaded, Loaded(name.partition(":")[0]))):
        return load_object(name, option=option, example=example)


def load_application(name: str) -> Mulligan:
    """The `Mulligan` that `module:name` names, imported from the current folder or the path."""
    found = load_code(name, option="--app")
    if not isinstance(found, Mulligan):
        raise ConfigurationError(
            f"--app {name!r} is {type(found).__name__}, not a Mulligan. "
            "Name the object whose @m.tool declared the tools."
        )
    if found._parts.closed.is_set():  # noqa: SLF001 - the application of a command, and its own
        raise ConfigurationError(f"Importing {name.partition(':')[0]} closes {name!r}. {GUARD}")
    return found


@contextmanager
def open_insights(app: str, settings: Settings) -> Iterator[tuple[Insights, Mulligan | None]]:
    """The store as the application that is named sees it, or as it is where none is named."""
    if not app:
        with Insights.open(settings) as insights:
            yield insights, None
        return
    application = load_application(app)
    try:
        insights = application.insights
        named = settings.tenant
        yield (insights.keep_to(named) if named else insights), application
    finally:
        application.close()


def build_inspector(application: Mulligan) -> ActionInspector:
    """What looks at actions with the functions of an application's tools."""
    return application._parts.inspector  # noqa: SLF001 - its own surface


def build_worker(application: Mulligan) -> UpkeepWorker:
    """An application as one that looks after what others leave."""
    return UpkeepWorker(application._parts)  # noqa: SLF001 - as above
