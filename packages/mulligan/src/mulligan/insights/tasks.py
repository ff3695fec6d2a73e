"""What was learned about tasks: the versions, how each did, and what a person may decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from mulligan.insights.filters import ActOrder, ViewFilter, ViewRequest
from mulligan.insights.reader import StoreReader
from mulligan.learning.task_selection import build_standings
from mulligan.learning.task_versions import (
    ReflectorSummary,
    Result,
    compare,
    export,
    find,
    list_results,
    pin,
    roll_back,
    summarize,
    unpin,
)
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import TaskVersions
from mulligan.types.notes import Ground, Notes, NotesState


class TaskSummary(Struct, frozen=True, kw_only=True):
    """One task on one ground: its active version, and how many runs it had."""

    ground: Ground
    versions: int
    on_top: int
    """The version that is pinned, else the champion; 0 is the static definition."""
    pinned: bool
    """Whether a person put it there."""
    runs: int
    """Of the versions that are still kept."""
    mean: float | None
    """Of that version's scores."""


class TaskHistory(Struct, frozen=True, kw_only=True):
    """Every version of a task, and how each did on one ground."""

    ground: Ground
    versions: tuple[Notes, ...]
    results: tuple[Result, ...]

    @property
    def on_top(self) -> int:
        """The version that is pinned, else the champion."""
        return build_standings([result.card for result in self.results], ()).on_top

    def find_result(self, version: int) -> Result | None:
        """How one version did, if it was ever tried."""
        return next((each for each in self.results if each.card.version == version), None)


class TaskList:
    """Queries about tasks, and decisions about their versions.

    A task is named by its identity or the beginning of it. Of several grounds, the one that was
    run on last is meant, unless a model is named.
    """

    def __init__(self, task_versions: TaskVersions) -> None:
        self._task_versions = task_versions

    def list_tasks(self) -> list[TaskSummary]:
        """Every task that was run, on each ground it was run on."""
        return [self.summarize(ground) for ground in self._task_versions.list_grounds()]

    def summarize(self, ground: Ground) -> TaskSummary:
        """One task on one ground."""
        found = list_results(self._task_versions, ground)
        standings = build_standings([result.card for result in found], ())
        top = standings.on_top
        return TaskSummary(
            ground=ground,
            versions=len(self._task_versions.list_versions(ground.task, tenant=ground.tenant)),
            on_top=top,
            pinned=standings.pinned is not None,
            runs=sum(result.card.runs for result in found),
            mean=next((result.mean for result in found if result.card.version == top), None),
        )

    def read_history(self, task: str, *, model: str | None = None) -> TaskHistory:
        """One task with all its versions."""
        ground = self.require_ground(task, model=model)
        versions = self._task_versions.list_versions(ground.task, tenant=ground.tenant)
        found = tuple(list_results(self._task_versions, ground))
        return TaskHistory(ground=ground, versions=tuple(reversed(versions)), results=found)

    def diff(self, task: str, *, one: int, other: int) -> list[str]:
        """What differs between the notes of two versions, as lines of a unified diff."""
        ground = self.require_ground(task)
        before, after = (find(self._task_versions, ground, version=each) for each in (one, other))
        return compare(before, after)

    def pin(self, task: str, *, version: int | None, model: str | None = None) -> Ground:
        """Give a version every run from now on; `None` lets runs decide again."""
        ground = self.require_ground(task, model=model)
        if version is None:
            unpin(self._task_versions, ground)
        else:
            pin(self._task_versions, ground, version=version)
        return ground

    def roll_back(self, task: str, *, model: str | None = None) -> int | None:
        """Retire the active version and return to version 0. The version retired, if any."""
        return roll_back(self._task_versions, self.require_ground(task, model=model))

    def clear(self, task: str) -> int:
        """Forget a task, on every ground. Returns how many versions went."""
        ground = self.require_ground(task)
        return self._task_versions.clear(ground.task, tenant=ground.tenant)

    def list_reflectors(self) -> list[ReflectorSummary]:
        """Who proposed notes, and how often that helped, over all tasks of each tenant."""
        tenants = dict.fromkeys(ground.tenant for ground in self._task_versions.list_grounds())
        return [
            each for tenant in tenants for each in summarize(self._task_versions, tenant=tenant)
        ]

    def export(self, task: str) -> dict[str, Any]:
        """Everything that is kept about a task but its runs."""
        ground = self.require_ground(task)
        return export(self._task_versions, ground.task, tenant=ground.tenant)

    def require_ground(self, task: str, *, model: str | None = None) -> Ground:
        """Where a task was run; an error says what else has to be named."""
        near = [g for g in self._task_versions.list_grounds() if task and g.task.startswith(task)]
        meant = [g for g in near if g.task == task] or near
        names = {g.task for g in meant}
        if len(names) != 1:
            found = f"{len(names)} tasks start so" if names else "no such task was run"
            raise ConfigurationError(f"{task!r}: {found}. `mulligan tasks list` has them.")
        tenants = sorted({g.tenant for g in meant})
        if len(tenants) > 1:
            raise ConfigurationError(
                f"{task!r} was run for {len(tenants)} tenants: name one of {tenants}."
            )
        models = sorted({g.model for g in meant})
        if model not in (None, *models):
            raise ConfigurationError(f"{task!r} was never run on {model!r}, only on {models}.")
        return max((g for g in meant if model in (None, g.model)), key=self._read_last_run)

    def _read_last_run(self, ground: Ground) -> float:
        latest = self._task_versions.list_runs(ground, limit=1)
        return latest[0].at.timestamp() if latest else 0.0


class TasksView(Struct, frozen=True, kw_only=True):
    """Every task that was run, on each ground."""

    asked: ViewFilter
    rows: tuple[TaskSummary, ...]


class TaskVersion(Struct, frozen=True, kw_only=True):
    """One version of a task's notes, and how it did."""

    notes: Notes
    depth: int
    """How many versions lie between it and the static definition."""
    leads: bool
    """Whether the active version is this one, or was made from it."""
    state: NotesState | None
    runs: int
    mean: float | None
    difference: tuple[str, ...]
    """Against its parent, as lines of a unified diff."""


class TaskPage(Struct, frozen=True, kw_only=True):
    """One task with all its versions."""

    ground: Ground
    on_top: int
    pinned: bool
    versions: tuple[TaskVersion, ...]
    """The newest first."""


def read_tasks(ask: StoreReader, asked: ViewRequest) -> TasksView:
    """Every task, on each ground."""
    found = TaskList(ask.store.task_versions).list_tasks()
    rows = [each for each in found if asked.filter.tenant in (None, each.ground.tenant)]
    return TasksView(asked=asked.filter, rows=tuple(rows))


def read_task(ask: StoreReader, asked: ViewRequest) -> TaskPage:
    """One task as a tree of versions."""
    listed = TaskList(ask.store.task_versions)
    history = listed.read_history(asked.id)
    parents = {notes.version: notes.parent for notes in history.versions}
    line = _list_line(parents, history.on_top)

    def build(notes: Notes) -> TaskVersion:
        result = history.find_result(notes.version)
        against = notes.parent
        return TaskVersion(
            notes=notes,
            depth=len(_list_line(parents, notes.version)) - 1,
            leads=notes.version in line,
            state=None if result is None else result.card.state,
            runs=0 if result is None else result.card.runs,
            mean=None if result is None else result.mean,
            difference=()
            if against is None
            else tuple(listed.diff(asked.id, one=against, other=notes.version)),
        )

    versions = sorted(map(build, history.versions), key=lambda each: -each.notes.version)
    return TaskPage(
        ground=history.ground,
        on_top=history.on_top,
        pinned=any(each.state is NotesState.PINNED for each in versions),
        versions=tuple(versions),
    )


def decide_task(ask: StoreReader, order: ActOrder) -> TaskPage:
    """Pin a version, unpin, or roll back; the log records who did."""
    listed, task, version = (
        TaskList(ask.store.task_versions),
        order.id,
        order.words.get("version", ""),
    )
    if version and not (version.isascii() and version.isdecimal() and len(version) < 9):
        raise ConfigurationError(f"{version!r} is no version; they are numbered from 0.")
    wanted = int(version) if version else None
    acts: dict[str, tuple[str, Callable[[], object]]] = {
        "pin": (
            f"pin task {task} to {version}" if version else f"unpin task {task}",
            lambda: listed.pin(task, version=wanted),
        ),
        "roll_back": (f"roll back task {task}", lambda: listed.roll_back(task)),
    }
    what, carry_out = acts[order.act]
    ask.acts.record(carry_out, by=order.by, what=what)
    return read_task(ask, ViewRequest(id=task))


def _list_line(parents: Mapping[int, int | None], version: int) -> list[int]:
    """A version, the one it was made from, and so on to the first."""
    line = [version]
    while (at := parents.get(line[-1])) is not None and len(line) <= len(parents):
        line.append(at)
    return line
