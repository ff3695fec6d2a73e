"""Reflection on runs: a strategy proposes notes, checks screen them, and only then are they stored.

A search over recorded runs proposes notes too. The gate decides about all of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
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
from mulligan.learning.task_versions import (
    ask_judge,
    choose_contrasting,
    describe_changes,
    read_refinement,
)
from mulligan.loops.learning import Learning
from mulligan.process.user_functions import call_function
from mulligan.types.display import Spend
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
from mulligan.types.interfaces import TaskVersions
from mulligan.types.notes import ON_TOP, Ground, Notes, NotesState, Refinement, TaskRun
from mulligan.types.task import Experience, Reflect, Strategy, Task

_APPENDS = 1_000
"""Lost races with other processes before a proposal is given up."""
_LATEST = 40
"""Versions that are read where every run adds one."""

_report = logging.getLogger("mulligan")


class ReflectedRun(Struct, frozen=True, kw_only=True):
    """A run to reflect on."""

    ground: Ground
    settings: Reflect
    run: TaskRun
    seen: int
    """The number of runs on this ground, this one included."""
    recent: tuple[TaskRun, ...]
    """The latest runs, this one first."""
    output: str
    """The run's output without secrets, within the reflector's budget."""
    parent: int | None = None
    """The version to build on; `None`: the best so far."""
    input: object = None
    """What the run was given."""
    spend: Spend | None = None
    """Told the tokens that the reflection took."""


async def reflect(task: Task, told: ReflectedRun, *, using: Learning) -> None:
    """Let the task's strategy propose notes, and put them on trial.

    An error writes nothing: it is reported as `NotesRejected`, and the run's output is untouched.
    """
    try:
        strategy = find_strategy(task, settings=told.settings, using=using, spend=told.spend)
        if strategy is None:
            _reject(task, "there is no model to reflect with: name one in reflect=…", using=using)
            return
        versions = await using.ask_versions(partial(_load_versions, task, told, using=using))
        parent = await using.ask_versions(
            partial(_choose_parent, told, versions, task_versions=using.task_versions)
        )
        refinement = await call_function(
            strategy,
            _build_experience(task, told, parent=parent),
            within=told.settings.timeout,
            read=read_refinement,
        )
        kept, left_out = _screen(task, refinement, using=using)
        trouble = _find_trouble(kept, left_out, versions=versions)
        if trouble is None and kept is not None:
            by = name_reflector(task, settings=told.settings, using=using)
            notes = await using.ask_versions(
                partial(_append, told, kept, parent=parent, by=by, using=using)
            )
            await using.ask_versions(
                partial(_enter, task, notes, told=told, left_out=left_out, using=using)
            )
    except ConfigurationError as error:
        trouble = str(error)
    except TimeoutError:
        trouble = f"no answer came within {told.settings.timeout.total_seconds():g} s"
    except Exception as error:  # noqa: BLE001 - a user's strategy or task_versions may raise anything
        trouble = f"it failed with {type(error).__name__}"
    if trouble is not None:
        _reject(task, trouble, using=using)


def find_strategy(
    task: Task,
    *,
    settings: Reflect,
    using: Learning,
    spend: Spend | None = None,
) -> Strategy | None:
    """The task's own strategy, else one by a judge."""
    if settings.strategy is not None:
        return settings.strategy
    chosen = choose_judge(task, settings=settings, using=using)
    return None if chosen is None else ask_judge(using.open_judge(chosen), spend=spend)


def choose_judge(task: Task, *, settings: Reflect, using: Learning) -> object:
    """The judge that reflection names, else the task's or the application's; of a deterministic
    task, which uses no model, the named one alone."""
    return settings.judge or (None if task.deterministic else task.judge or using.judge)


def name_reflector(task: Task, *, settings: Reflect, using: Learning) -> str:
    """The name that a proposal is credited to: a model's, or a strategy's."""
    own = settings.strategy
    if own is not None:
        named = own if hasattr(own, "__qualname__") else type(own)
        return f"{named.__module__}.{named.__qualname__}"
    chosen = choose_judge(task, settings=settings, using=using)
    if isinstance(chosen, str):
        return chosen
    for name in ("name", "model_name"):
        found = getattr(chosen, name, None)
        if isinstance(found, str) and found:
            return found
    return "" if chosen is None else type(chosen).__name__


def take_over(ground: Ground, *, using: Learning) -> None:
    """After a new model or an edited text, without a gate: keep the version that was on top."""
    task_versions = using.task_versions
    for other in reversed(task_versions.list_grounds(ground.task)):
        top = build_standings(task_versions.list_scorecards(other), ()).on_top
        if top and other.tenant == ground.tenant:
            task_versions.move(ground, version=top, state=NotesState.CHAMPION, was=None)
            return


def enrol(ground: Ground, versions: dict[int, Notes], *, using: Learning) -> None:
    """After a new model or an edited text: versions proven elsewhere go on trial, newest last."""
    task_versions = using.task_versions
    proven = [
        card.version
        for other in task_versions.list_grounds(ground.task)
        if other.tenant == ground.tenant
        for card in task_versions.list_scorecards(other)
        if card.state in ON_TOP
    ]
    wanted = dict.fromkeys([*reversed(proven), *sorted(versions, reverse=True)])
    for version in [number for number in wanted if number and number in versions][:ON_TRIAL]:
        task_versions.move(ground, version=version, state=NotesState.TRIAL, was=None)


def begin(task: Task, ground: Ground, *, using: Learning) -> None:
    """Create a task's version 0 from its static definition."""
    static = Refinement(description=task.description, expected_output=task.expected_output)
    try:
        using.task_versions.append(
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
        # Another process created version 0 first.
        return


def build_change_event(ground: Ground, change: Change, *, at: datetime) -> Happened:
    """The event that reports a change of standing."""
    where: dict[str, Any] = {"task": ground.task, "model": ground.model, "at": at}
    if change.state is NotesState.CHAMPION:
        return NotesPromoted(
            version=change.version, probability=change.probability, n=change.n, **where
        )
    if change.was is NotesState.CHAMPION:
        return NotesRolledBack(version=change.version, reason=change.reason, **where)
    return NotesRetired(version=change.version, reason=change.reason, **where)


def apply(change: Change, *, ground: Ground, using: Learning) -> None:
    """Apply a change, unless another process was first, and report it."""
    moved = using.task_versions.move(
        ground, version=change.version, state=change.state, was=change.was
    )
    if moved:
        using.announce(build_change_event(ground, change, at=using.clock()))


def _load_versions(task: Task, told: ReflectedRun, *, using: Learning) -> dict[int, Notes]:
    """The versions by number, never empty: a new task starts with version 0."""
    ground = told.ground
    # Where every run adds a version there are soon thousands, and only the last ones matter.
    limit = None if told.settings.gated else _LATEST
    look = partial(
        using.task_versions.list_versions, ground.task, tenant=ground.tenant, limit=limit
    )
    known = look()
    if not known:
        begin(task, ground, using=using)
        known = look()
    return {notes.version: notes for notes in known}


def _choose_parent(
    told: ReflectedRun, versions: Mapping[int, Notes], *, task_versions: TaskVersions
) -> Notes:
    """The version a proposal builds on: the best so far; without a gate, the one on top."""
    if told.parent is not None and told.parent in versions:
        return versions[told.parent]
    standings = build_standings(task_versions.list_scorecards(told.ground), versions.values())
    number = choose_best(standings) if told.settings.gated else standings.on_top
    return versions[number] if number in versions else versions[max(versions)]


def _build_experience(task: Task, told: ReflectedRun, *, parent: Notes) -> Experience:
    return Experience(
        task=task,
        output=told.output,
        standing=told.run.standing,
        prior=parent if parent.version else None,
        runs=told.seen,
        input=told.input,
        contrast=choose_contrasting(told.recent[1:]),
    )


def _screen(
    task: Task, refinement: Refinement | None, *, using: Learning
) -> tuple[Refinement | None, tuple[str, ...]]:
    """The acceptable part of a proposal without secrets, and what was left out and why."""
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
    """Why nothing is stored, or `None`."""
    if refinement is None:
        return "; ".join(left_out) or "it proposed nothing"
    if any(refinement == notes.refinement for notes in versions.values()):
        return "notes.repeated: The reflection says what an earlier version said."
    return None


def _enter(
    task: Task, notes: Notes, *, told: ReflectedRun, left_out: tuple[str, ...], using: Learning
) -> None:
    """Report a new version, and give it its place."""
    using.announce(
        TaskReflected(
            task=notes.task,
            original=task.description,
            notes=notes.refinement,
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
    ground, task_versions = told.ground, using.task_versions
    for _ in range(_APPENDS):
        [newest] = task_versions.list_versions(ground.task, tenant=ground.tenant, limit=1)
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
            task_versions.append(notes)
        except StaleNotesError:
            continue
        return notes
    raise StaleNotesError(
        f"Task {ground.task}: other processes appended {_APPENDS} versions meanwhile."
    )


def _put_on_trial(notes: Notes, *, ground: Ground, using: Learning) -> None:
    task_versions = using.task_versions
    versions = task_versions.list_versions(ground.task, tenant=ground.tenant)
    standings = build_standings(task_versions.list_scorecards(ground), versions)
    for change in make_room(standings):
        apply(change, ground=ground, using=using)
    task_versions.move(ground, version=notes.version, state=NotesState.TRIAL, was=None)
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
    """Make the newest version champion, unless a person has pinned a version meanwhile."""
    task_versions = using.task_versions
    task_versions.move(ground, version=notes.version, state=NotesState.CHAMPION, was=None)
    for version in build_standings(task_versions.list_scorecards(ground), ()).on_trial:
        task_versions.move(ground, version=version, state=NotesState.RETIRED, was=NotesState.TRIAL)


def _reject(task: Task, reason: str, *, using: Learning) -> None:
    _report.warning("A reflection on task %s was skipped: %s.", task.identity, reason.rstrip("."))
    using.announce(
        NotesRejected(
            task=task.identity,
            description=task.description,
            reason=reason,
            at=using.clock(),
        )
    )


FEWEST = 5
"""Scored runs that a search needs at least."""
MOST_ROUNDS = ON_TRIAL
"""Proposals of one search: more would displace each other before a run has tried them."""
_RECORDED = 1_000

Tell = Callable[[int, str], None]
"""Called with the number of a round and its result."""


class Optimized(Struct, frozen=True, kw_only=True):
    """The result of one search."""

    ground: Ground
    runs: int
    """Recorded, scored runs that were searched."""
    front: tuple[Candidate, ...]
    proposed: tuple[int, ...]
    """Versions that are on trial now."""
    rejected: tuple[str, ...]
    """Why the other rounds produced nothing."""


async def optimize(
    ground: Ground,
    *,
    settings: Reflect,
    rounds: int,
    using: Learning,
    tell: Tell = lambda _number, _said: None,
    recorded: tuple[Task, Sequence[TaskRun]] | None = None,
) -> Optimized:
    """Propose notes from recorded runs, and put them on trial.

    `recorded` are runs of a task's static text that are in no store. They count for no version.
    """
    if not 1 <= rounds <= MOST_ROUNDS:
        raise ConfigurationError(f"rounds={rounds}: a search takes 1 to {MOST_ROUNDS} rounds.")
    read = partial(_read_runs, ground, settings=settings, using=using)
    if recorded is not None:
        read = partial(_take_runs, ground, *recorded, using=using)
    runs, task = await using.ask_versions(read)
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


def _take_runs(
    ground: Ground, task: Task, runs: Sequence[TaskRun], *, using: Learning
) -> tuple[list[TaskRun], Task]:
    """Runs that were recorded elsewhere; a task that never ran here begins with version 0."""
    if not using.task_versions.list_versions(ground.task, tenant=ground.tenant, limit=1):
        begin(task, ground, using=using)
    return _require_runs(task.identity, runs), task


def _require_runs(task: str, runs: Sequence[TaskRun]) -> list[TaskRun]:
    scored = [run for run in runs if run.score is not None]
    if len(scored) < FEWEST:
        raise ConfigurationError(
            f"Task {task} has {len(scored)} scored runs on record, and a search needs "
            f"{FEWEST}: run it with a score or checks, or rate its runs."
        )
    return scored


def _read_runs(ground: Ground, *, settings: Reflect, using: Learning) -> tuple[list[TaskRun], Task]:
    """The recorded scored runs, and the task as its stored versions describe it."""
    task_versions = using.task_versions
    runs = _require_runs(ground.task, task_versions.list_runs(ground, limit=_RECORDED))
    static = task_versions.list_versions(ground.task, tenant=ground.tenant)[-1].refinement
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
            return f"nothing proposed on version {parent.version}: {event.reason}"
    return "nothing"
