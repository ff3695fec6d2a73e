"""What can be done from a page: one row an act, with who may and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mulligan.app.insights.task_list import TaskPage
from mulligan.app.insights.views.answers.notebook import LessonPage
from mulligan.app.insights.views.answers.waiting import Act, ActionPage
from mulligan.app.insights.views.views import Views
from mulligan.core.runtime.dataclass import dataclass
from mulligan.dashboard.security.roles import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class ActOrder:
    """An act that somebody asks for."""

    id: str
    """Of what it is about."""
    by: str
    words: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActRoute:
    """An act, and its address."""

    name: str
    subject: str
    """The view whose things it is about."""
    about: str
    role: Role
    answer: type
    run: Callable[[Views, ActOrder], Any]
    words: tuple[str, ...] = ()
    """What may be said along with it."""
    effect: bool = False
    """It takes the tool's code, so that an application has to carry it out."""

    @property
    def path(self) -> str:
        """Where it is asked for."""
        return f"/api/v1/{self.subject}/{{id}}/{self.name}"


def _build_decision(act: Act, about: str, *, words: tuple[str, ...] = ()) -> ActRoute:
    return ActRoute(
        name=act.value,
        subject="open",
        about=about,
        role=Role.DECIDE,
        answer=ActionPage,
        run=lambda views, order: views.decide(
            act, order.id, by=order.by, note=order.words.get("note", "")
        ),
        words=words,
        effect=act in (Act.APPROVE, Act.UNDO),
    )


def _build_lesson_act(name: str, about: str) -> ActRoute:
    return ActRoute(
        name=name,
        subject="lessons",
        about=about,
        role=Role.ADMIN,
        answer=LessonPage,
        run=lambda views, order: views.learned.decide_lesson(
            name, order.id, by=order.by, note=order.words.get("note", "")
        ),
        words=("note",),
    )


ACTS: tuple[ActRoute, ...] = (
    _build_decision(Act.APPROVE, "Let a held call run, once."),
    _build_decision(Act.DENY, "Never run a held call.", words=("note",)),
    _build_decision(Act.UNDO, "Have an action undone."),
    _build_decision(Act.SETTLE, "Close an open action with a note.", words=("note",)),
    _build_lesson_act("approve", "Use a lesson from now on, whatever the evidence."),
    _build_lesson_act("quarantine", "Use a lesson no more, until it is approved."),
    _build_lesson_act("revoke", "Take a lesson out for good."),
    ActRoute(
        name="pin",
        subject="tasks",
        about="Give a version every run from now on; without one, let runs decide again.",
        role=Role.ADMIN,
        answer=TaskPage,
        run=lambda views, order: views.learned.pin_task(
            order.id, version=order.words.get("version", ""), by=order.by
        ),
        words=("version",),
    ),
    ActRoute(
        name="roll_back",
        subject="tasks",
        about="Take the version on top out; version 0 takes its place.",
        role=Role.ADMIN,
        answer=TaskPage,
        run=lambda views, order: views.learned.roll_task_back(order.id, by=order.by),
    ),
)
