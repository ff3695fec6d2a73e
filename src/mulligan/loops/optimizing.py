"""A search for better notes over runs that are recorded: it proposes, and the gate decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from mulligan.core.errors import ConfigurationError
from mulligan.core.happened.event import Happened
from mulligan.core.happened.task_event import NotesRejected, TaskReflected
from mulligan.core.notes import Ground, TaskRun
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.task import Reflect, Task
from mulligan.learning.task_selection import (
    ON_TRIAL,
    Candidate,
    find_front,
    pick_lesson,
    pick_parent,
)
from mulligan.loops.learning import Learning
from mulligan.loops.reflecting import ReflectedRun, reflect

FEWEST = 5
"""Scored runs without which there is nothing to search over."""
MOST_ROUNDS = ON_TRIAL
"""Proposals of one search: more would push each other out before a run has tried them."""
_RECORDED = 1_000

Tell = Callable[[int, str], None]
"""Gets the number of a round, and what came of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimized:
    """What came of one search."""

    ground: Ground
    runs: int
    """Recorded, scored runs that were searched over."""
    front: tuple[Candidate, ...]
    proposed: tuple[int, ...]
    """Versions that are on trial now."""
    rejected: tuple[str, ...]
    """Why the other rounds came to nothing."""


async def optimize(
    ground: Ground,
    *,
    settings: Reflect,
    rounds: int,
    using: Learning,
    tell: Tell = lambda _number, _said: None,
) -> Optimized:
    """Have notes proposed from what recorded runs show, and put them on trial."""
    if not 1 <= rounds <= MOST_ROUNDS:
        raise ConfigurationError(f"rounds={rounds}: a search takes 1 to {MOST_ROUNDS} rounds.")
    runs, task = await using.aside(partial(_read, ground, settings=settings, using=using))
    front = find_front(runs)
    heard: list[Happened] = []
    searching = replace(using, announce=partial(_announce, heard, using.announce))
    for number in range(rounds):
        before = len(heard)
        parent = pick_parent(front, turn=number)
        run, others = pick_lesson(runs, parent=parent, turn=number // len(front))
        told = ReflectedRun(
            ground=ground,
            settings=settings,
            run=run,
            seen=len(runs),
            recent=(run, *others),
            output=run.excerpt,
            parent=parent.version,
        )
        await reflect(task, told, using=searching)
        tell(number + 1, _describe(heard[before:], parent=parent))
    return Optimized(
        ground=ground,
        runs=len(runs),
        front=tuple(front),
        proposed=tuple(event.version for event in heard if isinstance(event, TaskReflected)),
        rejected=tuple(event.reason for event in heard if isinstance(event, NotesRejected)),
    )


def _read(ground: Ground, *, settings: Reflect, using: Learning) -> tuple[list[TaskRun], Task]:
    """The scored runs that are kept, and the task as its archive knows it."""
    archive = using.archive
    runs = [run for run in archive.list_runs(ground, limit=_RECORDED) if run.score is not None]
    if len(runs) < FEWEST:
        raise ConfigurationError(
            f"Task {ground.task} has {len(runs)} scored runs on record, and a search needs "
            f"{FEWEST}: run it with a score or checks, or rate its runs."
        )
    static = archive.list_versions(ground.task, tenant=ground.tenant)[-1].refinement
    task = Task(
        id=ground.task,
        description=static.description,
        expected_output=static.expected_output,
        model=ground.model,
        reflect=settings,
    )
    return runs, task


def _announce(heard: list[Happened], announce: Callable[[Happened], None], event: Happened) -> None:
    heard.append(event)
    announce(event)


def _describe(heard: list[Happened], *, parent: Candidate) -> str:
    for event in heard:
        if isinstance(event, TaskReflected):
            return f"version {event.version}, built on version {parent.version}, is on trial"
        if isinstance(event, NotesRejected):
            return f"nothing, built on version {parent.version}: {event.reason}"
    return "nothing"
