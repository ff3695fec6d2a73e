"""What a run teaches: a strategy proposes, the checks look, and only then is anything written.

A search over runs that are recorded proposes too, and the gate decides.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.checks.notes import Proposed, screen
from mulligan.learning.task_selection import (
    ON_TRIAL,
    Candidate,
    Change,
    build_standings,
    choose_best,
    find_front,
    make_room,
    pick_lesson,
    pick_parent,
)
from mulligan.learning.task_versions import ask_judge, choose_contrasting, describe_changes
from mulligan.loops.learning import Learning
from mulligan.process.event_loop import await_value, run_with_timeout
from mulligan.types.errors import ConfigurationError, StaleNotesError
from mulligan.types.events import (
    Happened,
    NotesPromoted,
    NotesProposed,
    NotesRejected,
    NotesRetired,
    NotesRolledBack,
    TaskReflected,
)
from mulligan.types.interfaces import Archive
from mulligan.types.notes import ON_TOP, Ground, Notes, NotesState, Refinement, TaskRun
from mulligan.types.task import Experience, Reflect, Strategy, Task

_APPENDS = 1_000
"""How often another process may be faster before a proposal is given up."""
_LATEST = 40
"""Versions that are looked at where every run adds one."""

_report = logging.getLogger("mulligan")


class ReflectedRun(Struct, frozen=True, kw_only=True):
    """A run that is worth reflecting on."""

    ground: Ground
    settings: Reflect
    run: TaskRun
    seen: int
    """How many runs the ground has seen, this one included."""
    recent: tuple[TaskRun, ...]
    """The latest runs, this one first."""
    output: str
    """What the run produced, less secrets, within the reflector's budget."""
    parent: int | None = None
    """What to build on; `None`: what does best so far."""


async def reflect(task: Task, told: ReflectedRun, *, using: Learning) -> None:
    """Let the task's strategy propose, and put what it says on trial.

    Whatever goes wrong writes nothing: it is told as a `NotesRejected`, and the run is over.
    """
    try:
        strategy = find_strategy(task, settings=told.settings, using=using)
        if strategy is None:
            _reject(task, "no model is there to reflect with: name one in reflect=…", using=using)
            return
        versions = await using.aside(partial(_load_versions, task, told, using=using))
        parent = await using.aside(partial(_choose_parent, told, versions, archive=using.archive))
        asked = _ask(strategy, _build_experience(task, told, parent=parent), using=using)
        refinement = await run_with_timeout(asked, within=told.settings.timeout)
        kept, left_out = _screen(task, refinement, using=using)
        trouble = _find_trouble(kept, left_out, versions=versions)
        if trouble is None and kept is not None:
            by = name_reflector(task, settings=told.settings, using=using)
            notes = await using.aside(
                partial(_append, told, kept, parent=parent, by=by, using=using)
            )
            await using.aside(partial(_enter, notes, told=told, left_out=left_out, using=using))
    except ConfigurationError as error:
        trouble = str(error)
    except TimeoutError:
        trouble = f"no answer came within {told.settings.timeout.total_seconds():g} s"
    except Exception as error:  # noqa: BLE001 - a user's strategy or archive may raise anything
        trouble = f"it failed with {type(error).__name__}"
    if trouble is not None:
        _reject(task, trouble, using=using)


def find_strategy(task: Task, *, settings: Reflect, using: Learning) -> Strategy | None:
    """The task's own strategy, else its judge's: the reflection's, the task's, the application's.

    A deterministic task has no model at work, so one must be named for its reflection.
    """
    if settings.strategy is not None:
        return settings.strategy
    fallback = None if task.deterministic else task.judge or using.judge
    chosen = settings.judge or fallback
    return None if chosen is None else ask_judge(using.open_judge(chosen))


def name_reflector(task: Task, *, settings: Reflect, using: Learning) -> str:
    """Whose record a proposal counts for: a model's name, or a strategy's."""
    own = settings.strategy
    if own is not None:
        named = own if hasattr(own, "__qualname__") else type(own)
        return f"{named.__module__}.{named.__qualname__}"
    fallback = None if task.deterministic else task.judge or using.judge
    chosen = settings.judge or fallback
    if isinstance(chosen, str):
        return chosen
    for name in ("name", "model_name"):
        found = getattr(chosen, name, None)
        if isinstance(found, str) and found:
            return found
    return "" if chosen is None else type(chosen).__name__


def take_over(ground: Ground, *, using: Learning) -> None:
    """A new model, or an edited text, where no proof is asked for: go on with what was on top."""
    archive = using.archive
    for other in reversed(archive.list_grounds(ground.task)):
        top = build_standings(archive.list_scorecards(other), ()).on_top
        if top and other.tenant == ground.tenant:
            archive.move(ground, version=top, state=NotesState.CHAMPION, was=None)
            return


def enrol(ground: Ground, versions: dict[int, Notes], *, using: Learning) -> None:
    """A new model, or an edited text: what is proven elsewhere goes on trial, then the newest."""
    archive = using.archive
    proven = [
        card.version
        for other in archive.list_grounds(ground.task)
        if other.tenant == ground.tenant
        for card in archive.list_scorecards(other)
        if card.state in ON_TOP
    ]
    wanted = dict.fromkeys([*reversed(proven), *sorted(versions, reverse=True)])
    for version in [number for number in wanted if number and number in versions][:ON_TRIAL]:
        archive.move(ground, version=version, state=NotesState.TRIAL, was=None)


def begin(task: Task, ground: Ground, *, using: Learning) -> None:
    """Open a task's archive with its static definition."""
    static = Refinement(description=task.description, expected_output=task.expected_output)
    try:
        using.archive.append(
            Notes(
                task=ground.task,
                tenant=ground.tenant,
                version=0,
                refinement=static,
                model=ground.model,
                at=using.clock(),
            )
        )
    except StaleNotesError:
        # Another process ran the task for the first time, too, and was a moment faster.
        return


def build_change_event(ground: Ground, change: Change, *, at: datetime) -> Happened:
    """A change of standing as the event that tells it."""
    where: dict[str, Any] = {"task": ground.task, "model": ground.model, "at": at}
    if change.state is NotesState.CHAMPION:
        return NotesPromoted(
            version=change.version, probability=change.probability, n=change.n, **where
        )
    if change.was is NotesState.CHAMPION:
        return NotesRolledBack(version=change.version, reason=change.reason, **where)
    return NotesRetired(version=change.version, reason=change.reason, **where)


def apply(change: Change, *, ground: Ground, using: Learning) -> None:
    """Make a change, unless another process was faster, and tell it."""
    moved = using.archive.move(ground, version=change.version, state=change.state, was=change.was)
    if moved:
        using.announce(build_change_event(ground, change, at=using.clock()))


def _load_versions(task: Task, told: ReflectedRun, *, using: Learning) -> dict[int, Notes]:
    """The versions by number, never none: a new archive begins with 0, whatever is proposed."""
    ground = told.ground
    # Where every run adds one there are soon thousands, and only the last ones matter.
    limit = None if told.settings.gated else _LATEST
    look = partial(using.archive.list_versions, ground.task, tenant=ground.tenant, limit=limit)
    known = look()
    if not known:
        begin(task, ground, using=using)
        known = look()
    return {notes.version: notes for notes in known}


def _choose_parent(told: ReflectedRun, versions: Mapping[int, Notes], *, archive: Archive) -> Notes:
    """What a proposal builds on: what does best so far; where all are accepted, what is on top."""
    if told.parent is not None and told.parent in versions:
        return versions[told.parent]
    standings = build_standings(archive.list_scorecards(told.ground), versions.values())
    number = choose_best(standings) if told.settings.gated else standings.on_top
    return versions[number] if number in versions else versions[max(versions)]


def _build_experience(task: Task, told: ReflectedRun, *, parent: Notes) -> Experience:
    return Experience(
        task=task,
        output=told.output,
        standing=told.run.standing,
        prior=parent if parent.version else None,
        runs=told.seen,
        contrast=choose_contrasting(told.recent[1:]),
    )


async def _ask(strategy: Strategy, experience: Experience, *, using: Learning) -> Refinement | None:
    """The strategy's answer. A plain function may wait for a model, so it is called aside."""
    answer: Refinement | Awaitable[Refinement | None] | None
    if inspect.iscoroutinefunction(strategy):
        answer = strategy(experience)
    else:
        answer = await using.aside(partial(_call, strategy, experience))
    return await await_value(answer)


def _call(strategy: Strategy, experience: Experience) -> object:
    try:
        return strategy(experience)
    except StopIteration as error:
        # No future can hold one, so whoever waits for it would wait for ever.
        raise RuntimeError("StopIteration") from error


def _screen(
    task: Task, refinement: Refinement | None, *, using: Learning
) -> tuple[Refinement | None, tuple[str, ...]]:
    """What may be tried of a proposal, less secrets, and what was left out of it and why."""
    if refinement is None:
        return None, ()
    screened = screen(Proposed(task=task, refinement=refinement))
    said = screened.kept
    if said is not None:
        said = Refinement(
            description=using.scrub(said.description),
            expected_output=using.scrub(said.expected_output),
            observations=tuple(map(using.scrub, said.observations)),
            suggestions=tuple(map(using.scrub, said.suggestions)),
        )
    left_out = tuple(f"{finding.rule}: {finding.issue}" for finding in screened.findings)
    return said, left_out


def _find_trouble(
    refinement: Refinement | None, left_out: tuple[str, ...], *, versions: Mapping[int, Notes]
) -> str | None:
    """Why nothing is to be written, or `None`."""
    if refinement is None:
        return "; ".join(left_out) or "it had nothing to say"
    if any(refinement == notes.refinement for notes in versions.values()):
        return "notes.repeated: The reflection says what an earlier version said."
    return None


def _enter(notes: Notes, *, told: ReflectedRun, left_out: tuple[str, ...], using: Learning) -> None:
    """Tell of a new version, and give it its place."""
    using.announce(
        TaskReflected(
            task=notes.task,
            description=notes.refinement.description,
            left_out=left_out,
            version=notes.version,
            first=notes.version == 1,
            runs=notes.runs,
            at=notes.at,
            run=told.run.id,
        )
    )
    settle = _put_on_trial if told.settings.gated else _put_on_top
    settle(notes, ground=told.ground, using=using)


def _append(
    told: ReflectedRun, refinement: Refinement, *, parent: Notes, by: str, using: Learning
) -> Notes:
    """Append under the next number, also while other processes append theirs."""
    ground, archive = told.ground, using.archive
    for _ in range(_APPENDS):
        [newest] = archive.list_versions(ground.task, tenant=ground.tenant, limit=1)
        notes = Notes(
            task=ground.task,
            tenant=ground.tenant,
            version=newest.version + 1,
            parent=parent.version,
            refinement=refinement,
            changes=describe_changes(parent.advice, refinement),
            model=ground.model,
            runs=told.seen,
            by=by,
            at=using.clock(),
        )
        try:
            archive.append(notes)
        except StaleNotesError:
            continue
        return notes
    raise StaleNotesError(f"Task {ground.task}: others appended {_APPENDS} versions meanwhile.")


def _put_on_trial(notes: Notes, *, ground: Ground, using: Learning) -> None:
    archive = using.archive
    versions = archive.list_versions(ground.task, tenant=ground.tenant)
    standings = build_standings(archive.list_scorecards(ground), versions)
    for change in make_room(standings):
        apply(change, ground=ground, using=using)
    archive.move(ground, version=notes.version, state=NotesState.TRIAL, was=None)
    using.announce(
        NotesProposed(
            task=notes.task,
            model=notes.model,
            version=notes.version,
            parent=notes.parent or 0,
            changes=notes.changes,
            at=notes.at,
        )
    )


def _put_on_top(notes: Notes, *, ground: Ground, using: Learning) -> None:
    """Let the newest replace what was there, unless a person has pinned a version meanwhile."""
    archive = using.archive
    archive.move(ground, version=notes.version, state=NotesState.CHAMPION, was=None)
    for version in build_standings(archive.list_scorecards(ground), ()).on_trial:
        archive.move(ground, version=version, state=NotesState.RETIRED, was=NotesState.TRIAL)


def _reject(task: Task, reason: str, *, using: Learning) -> None:
    _report.warning("A reflection on task %s was left out: %s.", task.identity, reason.rstrip("."))
    using.announce(
        NotesRejected(
            task=task.identity,
            description=task.description,
            reason=reason,
            at=using.clock(),
        )
    )


FEWEST = 5
"""Scored runs without which there is nothing to search over."""
MOST_ROUNDS = ON_TRIAL
"""Proposals of one search: more would push each other out before a run has tried them."""
_RECORDED = 1_000

Tell = Callable[[int, str], None]
"""Gets the number of a round, and what came of it."""


class Optimized(Struct, frozen=True, kw_only=True):
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
    runs, task = await using.aside(partial(_read_runs, ground, settings=settings, using=using))
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
        tell(number + 1, _describe_proposals(heard[before:], parent=parent))
    return Optimized(
        ground=ground,
        runs=len(runs),
        front=tuple(front),
        proposed=tuple(event.version for event in heard if isinstance(event, TaskReflected)),
        rejected=tuple(event.reason for event in heard if isinstance(event, NotesRejected)),
    )


def _read_runs(ground: Ground, *, settings: Reflect, using: Learning) -> tuple[list[TaskRun], Task]:
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


def _describe_proposals(heard: list[Happened], *, parent: Candidate) -> str:
    for event in heard:
        if isinstance(event, TaskReflected):
            return f"version {event.version}, built on version {parent.version}, is on trial"
        if isinstance(event, NotesRejected):
            return f"nothing, built on version {parent.version}: {event.reason}"
    return "nothing"
