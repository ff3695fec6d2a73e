"""What was learned about tasks: the versions, how each did, and what a person may decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Archive
from mulligan.core.notes import Ground, Notes, NotesState
from mulligan.learning.versions import Result, compare, export, pin, results, roll_back, unpin


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSummary:
    """One task on one ground: who is on top, and how much was seen."""

    ground: Ground
    versions: int
    on_top: int
    """The version that is champion or pinned; 0 is the static definition."""
    runs: int
    mean: float | None
    """Of that version's scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskHistory:
    """Every version of a task, and how each did on one ground."""

    ground: Ground
    versions: tuple[Notes, ...]
    results: tuple[Result, ...]


class TaskList:
    """Questions about tasks, and a person's word on their versions."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def tasks(self) -> list[TaskSummary]:
        """Every task that was run, on each ground it was run on."""
        return [self._summary(ground) for ground in self._archive.grounds()]

    def history(self, task: str, *, model: str | None = None) -> TaskHistory:
        """One task with all its versions; the latest ground unless a model is named."""
        ground = self.ground(task, model=model)
        versions = self._archive.versions(ground.task, tenant=ground.tenant)
        found = tuple(results(self._archive, ground))
        return TaskHistory(ground=ground, versions=tuple(reversed(versions)), results=found)

    def diff(self, task: str, *, one: int, other: int) -> list[str]:
        """What differs between two versions, as lines of a unified diff."""
        history = self.history(task)
        by_number = {notes.version: notes for notes in history.versions}
        for number in (one, other):
            if number not in by_number:
                raise ConfigurationError(
                    f"Task {history.ground.task} has no version {number}: "
                    f"it has 0 to {max(by_number)}."
                )
        return compare(by_number[one], by_number[other])

    def pin(self, task: str, *, version: int | None, model: str | None = None) -> Ground:
        """Give a version every run from now on; `None` lets evidence decide again."""
        ground = self.ground(task, model=model)
        if version is None:
            unpin(self._archive, ground)
        else:
            pin(self._archive, ground, version=version)
        return ground

    def roll_back(self, task: str, *, model: str | None = None) -> int | None:
        """Take the version on top out; version 0 takes its place. Which one left, if any."""
        return roll_back(self._archive, self.ground(task, model=model))

    def export(self, task: str) -> dict[str, Any]:
        """Everything that is kept about a task but its runs."""
        ground = self.ground(task)
        return export(self._archive, ground.task, tenant=ground.tenant)

    def ground(self, task: str, *, model: str | None = None) -> Ground:
        """Where a task was run, by its identity or the beginning of it."""
        grounds = [g for g in self._archive.grounds() if task and g.task.startswith(task)]
        exact = [g for g in grounds if g.task == task] or grounds
        if model is not None:
            exact = [g for g in exact if g.model == model]
        if len({g.task for g in exact}) == 1:
            return exact[-1]
        found = (
            f"{len({g.task for g in exact})} tasks start so" if exact else "no such task was run"
        )
        raise ConfigurationError(f"{task!r}: {found}. `mulligan tasks list` has them.")

    def _summary(self, ground: Ground) -> TaskSummary:
        found = results(self._archive, ground)
        top = [r for r in found if r.card.state in (NotesState.CHAMPION, NotesState.PINNED)]
        on_top = top[0].card.version if top else 0
        mean = next((r.mean for r in found if r.card.version == on_top), None)
        return TaskSummary(
            ground=ground,
            versions=len(self._archive.versions(ground.task, tenant=ground.tenant)),
            on_top=on_top,
            runs=sum(r.card.runs for r in found),
            mean=mean,
        )
