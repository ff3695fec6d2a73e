"""Lessons as pages show them: what was learned, the evidence, and a person's word."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.app.insights.estimates import Estimate
from mulligan.app.insights.lesson_list import LessonHistory, LessonSeen
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.paging import Paging, build_paging
from mulligan.core.failures.lesson import Balance, Lesson, LessonState, Use
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
