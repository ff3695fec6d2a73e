"""Lessons and tasks as pages show them: what was learned, the evidence, and a person's word."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.app.insights.estimates import Estimate
from mulligan.app.insights.lesson_list import LessonHistory, LessonSeen
from mulligan.app.insights.task_list import TaskHistory, TaskSummary
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.paging import Paging, build_paging
from mulligan.core.failures.lesson import Balance, Lesson, LessonState, Use
from mulligan.core.notes import Ground, Notes, NotesState
from mulligan.core.runtime.dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonsView:
    """What was learned from failures."""

    asked: ViewFilter
    paging: Paging
    states: Mapping[str, int]
    rows: tuple[LessonSeen, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPage:
    """One lesson with all its versions, and the calls it touched."""

    lesson: Lesson
    balance: Balance
    built_in: bool
    versions: tuple[Lesson, ...]
    """The newest first."""
    paging: Paging
    """Of the calls that it touched."""
    uses: tuple[Use, ...]
    """The newest first."""
    rated_up: Estimate
    """The share of thumbs up for replies of the newest turns that it was used in."""
    choices: tuple[str, ...]
    """What a person may do now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TasksView:
    """Every task that was run, on each ground."""

    asked: ViewFilter
    rows: tuple[TaskSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskVersion:
    """One version of a task's notes, and how it did."""

    notes: Notes
    depth: int
    """How many versions lie between it and the static definition."""
    leads: bool
    """The version on top is it, or was made from it."""
    state: NotesState | None
    runs: int
    mean: float | None
    difference: tuple[str, ...]
    """Against its parent, as lines of a unified diff."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage:
    """One task with all its versions."""

    ground: Ground
    on_top: int
    pinned: bool
    versions: tuple[TaskVersion, ...]
    """The newest first."""


def build_lesson_page(
    history: LessonHistory, *, page: int, rated_up: Estimate, built_in: bool
) -> LessonPage:
    """One lesson, with a page of the calls it touched: the last of those that were read."""
    state = history.lesson.state
    choices = {
        LessonState.CANDIDATE: ("approve", "quarantine", "revoke"),
        LessonState.ACTIVE: ("quarantine", "revoke"),
        LessonState.QUARANTINED: ("approve", "revoke"),
        LessonState.RETIRED: ("approve",),
    }[state]
    paging = build_paging(history.balance.uses, number=page)
    read = tuple(reversed(history.uses))
    return LessonPage(
        lesson=history.lesson,
        balance=history.balance,
        built_in=built_in,
        versions=tuple(reversed(history.versions)),
        paging=paging,
        uses=read[(paging.number - 1) * paging.size : paging.number * paging.size],
        rated_up=rated_up,
        choices=() if built_in else choices,
    )


def build_task_page(history: TaskHistory, differences: Mapping[int, tuple[str, ...]]) -> TaskPage:
    """One task as a tree of versions."""
    parents = {notes.version: notes.parent for notes in history.versions}
    line = _list_line(parents, history.on_top)
    versions = []
    pinned = False
    for notes in history.versions:
        result = history.find_result(notes.version)
        card = result.card if result is not None else None
        pinned = pinned or (card is not None and card.state is NotesState.PINNED)
        versions.append(
            TaskVersion(
                notes=notes,
                depth=_measure_depth(parents, notes.version),
                leads=notes.version in line,
                state=card.state if card is not None else None,
                runs=card.runs if card is not None else 0,
                mean=result.mean if result is not None else None,
                difference=differences.get(notes.version, ()),
            )
        )
    return TaskPage(
        ground=history.ground,
        on_top=history.on_top,
        pinned=pinned,
        versions=tuple(sorted(versions, key=lambda each: -each.notes.version)),
    )


def _measure_depth(parents: Mapping[int, int | None], version: int) -> int:
    return len(_list_line(parents, version)) - 1


def _list_line(parents: Mapping[int, int | None], version: int) -> list[int]:
    """A version, the one it was made from, and so on to the first."""
    line = [version]
    while (at := parents.get(line[-1])) is not None and len(line) <= len(parents):
        line.append(at)
    return line
